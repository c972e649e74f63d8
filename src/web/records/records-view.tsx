import { useEffect, useRef, useState } from "preact/hooks";
import { type Choices, loadChoices } from "../api/locations.ts";
import { loadRecords, type RecordQuery } from "../api/records.ts";
import { Button } from "../element/button.tsx";
import { DialogButton, useDialogs } from "../element/dialog.tsx";
import { Icon } from "../element/icon.tsx";
import { Nothing, Unread } from "../element/notice.tsx";
import { ViewFrame } from "../frame/view.tsx";
import { useFormat, useGateway, useLiveEvents } from "../live/gateway.ts";
import { useData, useLoaded } from "../live/use-loaded.ts";
import { deviceText } from "../locations/location-fields.tsx";
import { byHandTexts } from "../messages/by-hand.ts";
import { panelTexts } from "../messages/panel.ts";
import { recordsTexts } from "../messages/records.ts";
import { useLanguage, useTexts } from "../messages/use-language.ts";
import { useNavigation, useQuery } from "../navigation.tsx";
import { withQuery } from "../route.ts";
import { AddSale } from "./add-sale.tsx";
import { apiQueryOf, EVERY_RECORD, filterOf, isOpen, lets, type RecordFilter } from "./filter.ts";
import { RecordDialog } from "./record-dialog.tsx";
import { RecordFilters, type RecordFiltersProps, roomChoices } from "./record-filters.tsx";
import { RecordTable } from "./record-table.tsx";

export function RecordsView() {
  const texts = useTexts(recordsTexts);
  const { add } = useTexts(byHandTexts);
  const { self } = useGateway();
  const { replace } = useNavigation();
  const filter = filterOf(useQuery());
  const { compare } = useFormat();
  const known = useLoaded((api) => loadChoices(api, compare), "", ["locations"]).value;
  const rooms = roomChoices(known, filter);
  const query = apiQueryOf(filter, rooms);
  const { language } = useLanguage();
  const exportOf = (format: "xlsx" | "csv") => withQuery("/api/export", { ...query, lang: language, format });
  const setFilter = (next: RecordFilter) => replace("records", { ...next });
  const shown = useFilterText(filter, known);
  const { from, to, location } = filter;
  return (
    <ViewFrame
      title={texts.title}
      paper={{
        name: isOpen(filter) ? undefined : [texts.title, from, to, location].filter(Boolean).join(" "),
        head: `${texts.title}: ${shown}`,
      }}
      intro={texts.intro}
      actions={
        <>
          {self.role === "owner" && self.serves === "gateway" && (
            <DialogButton dialog={<AddSale />}>{add.open}</DialogButton>
          )}
          <a class="button" href={exportOf("xlsx")} download>
            <Icon name="download" />
            {texts.download}
          </a>
          <a class="button" href={exportOf("csv")} download aria-label={texts.downloadCsv}>
            CSV
          </a>
        </>
      }
    >
      <RecordFilters filter={filter} onFilter={setFilter} choices={known} />
      <RecordPanel filter={filter} onFilter={setFilter} rooms={rooms} query={query} shown={shown} />
    </ViewFrame>
  );
}

/** What a filter lets through, in words. */
function useFilterText(filter: RecordFilter, choices: Choices | undefined): string {
  const texts = useTexts(recordsTexts);
  const panel = useTexts(panelTexts);
  const format = useFormat();
  const { from, to, location, device, room, state, number } = filter;
  const chosen = choices?.devices.find(({ id }) => id === device);
  const dayText = (day: string) => (day === "" ? "" : format.dayName(day, "numeric"));
  const parts = [
    from + to !== "" && texts.days(dayText(from), dayText(to)),
    location,
    chosen === undefined ? device : deviceText(chosen, panel),
    room !== "" && texts.ofRoom(room),
    state !== "" && texts.states[state].toLowerCase(),
    number !== "" && `${texts.number} ${number}`,
  ];
  return parts.filter(Boolean).join(" · ") || texts.everything;
}

/** Few enough to be drawn at once, also on a slow tablet. */
const PAGE_RECORDS = 100;
/** So many requests are made for a page that has some records already: those of a rare room lie far apart. */
const MAX_REQUESTS = 20;

/** Where a page begins: at a cursor (null: at the newest), with the record of this number in the list. */
interface PageStart {
  readonly from: string | null;
  readonly first: number;
}
const NEWEST: PageStart = { from: null, first: 1 };

interface RecordPanelProps extends Pick<RecordFiltersProps, "filter" | "onFilter"> {
  readonly rooms: readonly string[];
  readonly query: RecordQuery;
  /** What the filter lets through, in words. */
  readonly shown: string;
}

/** The records that a filter lets through, a page at a time; a page stays as it is while one reads it. */
function RecordPanel({ filter, onFilter, rooms, query, shown }: RecordPanelProps) {
  const texts = useTexts(recordsTexts);
  const { format } = useGateway();
  const { open } = useDialogs();
  const key = JSON.stringify(query);
  const [walk, setWalk] = useState({ key, pages: [NEWEST] });
  const [fresh, setFresh] = useState(0);
  const pages = walk.key === key ? walk.pages : [NEWEST];
  const { from, first } = pages.at(-1) ?? NEWEST;
  const loaded = useLoaded(
    (api) => loadRecords(api, query, PAGE_RECORDS, MAX_REQUESTS, { from, goesOn: true }),
    JSON.stringify([key, from]),
    ["void", "time"],
  );
  const sum = useData("/api/record/sum", ["record", "void", "time"], query);
  useLiveEvents((event) => {
    if (event.kind === "record" && lets(filter, rooms, event.data, format.day))
      setFresh((count) => count + 1);
    // Its sale may be in the list.
    if (event.kind === "record" && event.data.refundOf !== null) loaded.reload();
    // It has been fetched again.
    if (event.kind === "missed") setFresh(0);
  });
  useEffect(() => setFresh(0), [key, from]);
  const head = useRef<HTMLParagraphElement>(null);
  const go = (next: readonly PageStart[]) => {
    setWalk({ key, pages: [...next] });
    scrollTo(0, 0);
    head.current?.focus({ preventScroll: true });
  };
  const { kind, isStale, value } = loaded;
  const { records, next } = value ?? { records: [], next: null };
  const { length } = records;
  const counted = records.filter(({ voided, refundOf }) => voided === null && refundOf === null).length;
  const isFiltered = !isOpen(filter);
  // A link to a record leads to its number alone, and opens it.
  const isLinked = useRef(filter.number !== "");
  const found = kind === "ready" && !isStale ? value : undefined;
  useEffect(() => {
    if (found === undefined || !isLinked.current) return;
    isLinked.current = false;
    const [record, ...others] = found.records;
    if (record !== undefined && others.length === 0) open(<RecordDialog record={record} />);
  }, [found, open]);
  const isEmpty = kind === "ready" && !isStale && length === 0 && first === 1;
  // A last page may be empty: the server cannot tell before it has looked.
  const range =
    length === 0
      ? texts.end
      : next === null && first === 1
        ? texts.all(format.count(length))
        : texts.shown(format.count(first), format.count(first + length - 1));
  return (
    <section class="panel record-panel" aria-label={texts.title} aria-busy={kind === "waiting" || isStale}>
      <div class="paper-only">
        {(next !== null || first > 1) && <p class="strong">{texts.printed}</p>}
        <p class="capital">{shown}</p>
        {sum.value !== undefined && (
          <p>{texts.here(range, format.count(counted), format.count(sum.value.sales))}</p>
        )}
      </div>
      <div class="record-head row spread">
        <p class="soft unprinted" role="status" tabIndex={-1} ref={head}>
          {kind === "waiting" || isStale ? texts.searching : kind === "ready" && range}
        </p>
        {/* Its place is there before the sum is, so that nothing moves. */}
        <p class="record-sum">
          {sum.value !== undefined && !sum.isStale && (
            <>
              <b class="large">{format.money(sum.value.revenue)}</b>{" "}
              <span class="soft">{texts.sum(format.count(sum.value.sales))}</span>
            </>
          )}
        </p>
      </div>
      {fresh > 0 && from === null && (
        <div class="record-fresh unprinted">
          <Button
            kind="main"
            onPress={() => {
              setFresh(0);
              loaded.reload();
              scrollTo(0, 0);
            }}
          >
            {texts.fresh(format.count(fresh))}
          </Button>
        </div>
      )}
      {kind === "failed" && <Unread onRetry={loaded.reload} />}
      {isEmpty && (
        <Nothing
          title={isFiltered ? texts.noMatch : texts.none}
          detail={isFiltered ? texts.noMatchDetail : texts.noneDetail}
        >
          {isFiltered && <Button onPress={() => onFilter(EVERY_RECORD)}>{texts.clear}</Button>}
        </Nothing>
      )}
      {kind === "ready" && !isEmpty && (
        <div class={isStale ? "is-stale" : undefined}>
          {length > 0 && (
            <RecordTable records={records} onOpen={(record) => open(<RecordDialog record={record} />)} />
          )}
          <div class="record-foot middle unprinted">
            <div class="actions row">
              <Button icon="back" isDisabled={pages.length === 1} onPress={() => go(pages.slice(0, -1))}>
                {texts.newer}
              </Button>
              <Button
                icon="forward"
                isDisabled={next === null || isStale}
                onPress={() => go([...pages, { from: next, first: first + length }])}
              >
                {texts.older}
              </Button>
            </div>
          </div>
        </div>
      )}
    </section>
  );
}
