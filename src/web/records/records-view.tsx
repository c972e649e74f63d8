import { useEffect, useRef, useState } from "preact/hooks";
import { type Api, CONFLICT, statusOf } from "../api/api.ts";
import { loadChoices } from "../api/locations.ts";
import { loadRecords, type RecordQuery } from "../api/records.ts";
import type { StoredRecord } from "../api/shapes.ts";
import { Button } from "../element/button.tsx";
import { Dialog, useDialogs } from "../element/dialog.tsx";
import { TextField } from "../element/field.tsx";
import { Form, useForm } from "../element/form.tsx";
import { Icon } from "../element/icon.tsx";
import { Nothing, Unread } from "../element/notice.tsx";
import { ViewFrame } from "../frame/view.tsx";
import { useFormat, useGateway, useLiveEvents } from "../live/gateway.ts";
import { useData, useLoaded } from "../live/use-loaded.ts";
import { recordsTexts } from "../messages/records.ts";
import { useLanguage, useTexts } from "../messages/use-language.ts";
import { useNavigation, useQuery } from "../navigation.tsx";
import { withQuery } from "../route.ts";
import { apiQueryOf, EVERY_RECORD, filterOf, isOpen, lets, type RecordFilter } from "./filter.ts";
import { RecordFilters, type RecordFiltersProps, roomChoices } from "./record-filters.tsx";
import { RecordTable } from "./record-table.tsx";

export function RecordsView() {
  const texts = useTexts(recordsTexts);
  const { replace } = useNavigation();
  const filter = filterOf(useQuery());
  const { compare } = useFormat();
  const known = useLoaded((api) => loadChoices(api, compare), "", ["locations"]).value;
  const rooms = roomChoices(known, filter);
  const query = apiQueryOf(filter, rooms);
  const { language } = useLanguage();
  const setFilter = (next: RecordFilter) => replace("records", { ...next });
  return (
    <ViewFrame
      title={texts.title}
      intro={texts.intro}
      actions={
        <a class="button" href={withQuery("/api/export", { ...query, lang: language })} download>
          <Icon name="download" />
          {texts.download}
        </a>
      }
    >
      <RecordFilters filter={filter} onFilter={setFilter} choices={known} />
      <RecordPanel filter={filter} onFilter={setFilter} rooms={rooms} query={query} />
    </ViewFrame>
  );
}

/** Resolves too where somebody else has voided it meanwhile. Throws ApiFailure. */
async function voidRecord(api: Api, number: number, reason: string): Promise<void> {
  try {
    await api.send("post", "/api/record/void", { void: { number, reason } });
  } catch (error) {
    if (statusOf(error) !== CONFLICT) throw error;
  }
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
}

/** The records that a filter lets through, a page at a time; a page stays as it is while one reads it. */
function RecordPanel({ filter, onFilter, rooms, query }: RecordPanelProps) {
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
  const isFiltered = !isOpen(filter);
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
          <p class="record-print">{texts.printed}</p>
        </div>
      )}
    </section>
  );
}

interface RecordDialogProps {
  readonly record: StoredRecord;
}

/** All that is known of one record, and an owner's way to void it. */
function RecordDialog({ record }: RecordDialogProps) {
  const texts = useTexts(recordsTexts);
  const { format, self } = useGateway();
  const { number, voided } = record;
  const moment = (timeMs: number) =>
    `${format.dayName(format.day(timeMs), "full")}, ${format.exactTime(timeMs)}`;
  const rows = [
    [texts.date, moment(record.createdTime)],
    ...(record.endedTime === null ? [] : [[texts.ended, moment(record.endedTime)]]),
    [texts.room, record.habitacion],
    [texts.device, record.deviceName],
    [texts.location, record.locationName],
    [texts.value, format.money(record.valor)],
    ...(record.provisional ? [[texts.provisional, texts.provisionalWhy]] : []),
    ...(voided === null ? [] : [[texts.voidedOn(format.dateTime(voided.timeMs)), voided.reason]]),
  ];
  return (
    <Dialog title={texts.one(String(number))}>
      <dl class="fields">
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt class="fine">{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {voided === null && self.role === "owner" && self.serves === "gateway" && (
        <details class="stack record-void-way">
          <summary class="button">{texts.voidIt}</summary>
          <VoidForm record={record} />
        </details>
      )}
    </Dialog>
  );
}

/** Says what a void means, and asks for its reason: that confirms it. */
function VoidForm({ record: { number, valor } }: RecordDialogProps) {
  const texts = useTexts(recordsTexts);
  const { api, format } = useGateway();
  const { finish } = useDialogs();
  const form = useForm({ reason: "" });
  const reason = form.values.reason.trim();
  const send = () =>
    form.submit(reason !== "", async () => {
      await voidRecord(api, number, reason);
      finish(texts.isVoid(String(number)));
    });
  return (
    <Form form={form} onSubmit={send} kind="bad" action={texts.voidIt}>
      <ul class="prose">
        {texts.voidMeaning(format.money(valor)).map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
      <TextField
        label={texts.reason}
        hint={texts.reasonHint}
        choices={texts.reasons}
        {...form.required("reason")}
      />
    </Form>
  );
}
