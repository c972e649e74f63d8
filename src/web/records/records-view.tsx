import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { type Api, CONFLICT, statusOf } from "../api/api.ts";
import { loadChoices } from "../api/locations.ts";
import { loadRecords, type RecordQuery } from "../api/records.ts";
import type { Data, StoredRecord } from "../api/shapes.ts";
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
import { RecordFilters, roomChoices } from "./record-filters.tsx";
import { type LoadPage, NO_RECORDS, RecordFeed, type RecordList } from "./record-list.ts";
import { RecordTable } from "./record-table.tsx";

export function RecordsView() {
  const texts = useTexts(recordsTexts);
  const { replace } = useNavigation();
  const filter = filterOf(useQuery());
  const { compare } = useFormat();
  const known = useLoaded((api) => loadChoices(api, compare), "", ["locations"]).value;
  const rooms = roomChoices(known, filter);
  const query = apiQueryOf(filter, rooms);
  const records = useRecords(filter, rooms, query);
  const sum = useData("/api/record/sum", ["record", "void", "time"], query);
  const { language } = useLanguage();
  const { open } = useDialogs();
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
      <RecordPanel
        records={records}
        sum={sum.isStale ? undefined : sum.value}
        isFiltered={!isOpen(filter)}
        onClear={() => setFilter(EVERY_RECORD)}
        onOpen={(record) => open(<RecordDialog record={record} />)}
      />
    </ViewFrame>
  );
}

/** Resolves too where somebody else has voided it meanwhile. Throws ApiFailure. */
async function voidRecord(api: Api, recordId: number, reason: string): Promise<void> {
  try {
    await api.send("post", "/api/record/void", { void: { recordId, reason } });
  } catch (error) {
    if (statusOf(error) !== CONFLICT) throw error;
  }
}

interface RecordPanelProps {
  readonly records: Records;
  /** Of all that the filter lets through; undefined while that is not known. */
  readonly sum: RecordSum | undefined;
  readonly isFiltered: boolean;
  readonly onClear: () => void;
  readonly onOpen: (record: StoredRecord) => void;
}

function RecordPanel({ records, sum, isFiltered, onClear, onOpen }: RecordPanelProps) {
  const texts = useTexts(recordsTexts);
  const { count } = useFormat();
  const { list, begin, more } = records;
  const isEmpty = list.kind === "ready" && list.records.length === 0;
  const showNew = () => {
    scrollTo({ top: 0 });
    begin();
  };
  return (
    <section class="panel record-panel" aria-label={texts.title} aria-busy={list.kind === "waiting"}>
      <div class="record-head row spread">
        <RecordCount list={list} />
        <Sum sum={sum} />
      </div>
      {(list.fresh > 0 || list.isOld) && (
        <div class="record-fresh unprinted">
          <Button kind="main" onPress={showNew}>
            {list.isOld ? texts.old : texts.fresh(count(list.fresh))}
          </Button>
        </div>
      )}
      {list.kind === "failed" && <Unread onRetry={begin} />}
      {isEmpty && !isFiltered && <Nothing title={texts.none} detail={texts.noneDetail} />}
      {isEmpty && isFiltered && (
        <Nothing title={texts.noMatch} detail={texts.noMatchDetail}>
          <Button onPress={onClear}>{texts.clear}</Button>
        </Nothing>
      )}
      {list.records.length > 0 && (
        <div class={list.isStale ? "is-stale" : undefined}>
          <RecordTable
            records={list.records}
            isWhole={list.kind === "ready" && list.next === null}
            onNearEnd={list.hasStopped ? ignore : more}
            onOpen={onOpen}
          />
          <RecordFoot list={list} onMore={more} />
          <p class="record-print">{texts.printed}</p>
        </div>
      )}
    </section>
  );
}

function ignore(): void {}

type RecordSum = Data<"/api/record/sum">;

/** Its place is there before the sum is, so that nothing moves. */
function Sum({ sum }: { readonly sum: RecordSum | undefined }) {
  const texts = useTexts(recordsTexts);
  const { count, money } = useFormat();
  return (
    <p class="record-sum">
      {sum !== undefined && (
        <>
          <b class="large">{money(sum.revenue)}</b> <span class="soft">{texts.sum(count(sum.sales))}</span>
        </>
      )}
    </p>
  );
}

/** How many there are. Aloud only when that is news: not with every page that comes while one scrolls. */
function RecordCount({ list }: { readonly list: RecordList }) {
  const texts = useTexts(recordsTexts);
  const { count } = useFormat();
  const known = list.records.length;
  const whole = texts.all(count(known));
  const isWaiting = list.kind === "waiting";
  const shown = list.next === null ? whole : texts.shown(count(known));
  const aloud = list.next === null ? whole : texts.found;
  return (
    <>
      <p class="soft unprinted">{isWaiting ? texts.searching : list.kind === "ready" && shown}</p>
      <p class="aloud" role="status">
        {list.kind === "ready" && aloud}
      </p>
    </>
  );
}

interface RecordFootProps {
  readonly list: RecordList;
  readonly onMore: () => void;
}

function RecordFoot({ list, onMore }: RecordFootProps) {
  const texts = useTexts(recordsTexts);
  if (list.hasStopped) return <Unread onRetry={onMore} />;
  const isEnd = list.next === null && !list.isStale;
  return (
    <div class="record-foot fine unprinted">
      {isEnd ? (
        <p>{texts.end}</p>
      ) : (
        <Button kind="quiet" isBusy={list.isAsking} onPress={onMore}>
          {texts.more}
        </Button>
      )}
    </div>
  );
}

interface Records {
  readonly list: RecordList;
  /** Fetches the list again from the newest record. */
  readonly begin: () => void;
  /** Fetches the page after the last. */
  readonly more: () => void;
}

/** The records that a filter lets through, fetched as they are asked for; void ones are marked as that is told. */
function useRecords(filter: RecordFilter, rooms: readonly string[], query: RecordQuery): Records {
  const { api, format, live } = useGateway();
  const [list, setList] = useState(NO_RECORDS);
  const load: LoadPage = (before) => loadRecords(api, query, before);
  const [feed] = useState(() => new RecordFeed(setList));

  // Before the first paint, which would otherwise make the answer wait on a slow tablet.
  useLayoutEffect(() => {
    feed.begin(load);
    return () => feed.close();
  }, [api, JSON.stringify(query)]);

  useLiveEvents((event) => {
    if (event.kind === "record" && lets(filter, rooms, event.data, format.day)) feed.sold();
    if (event.kind === "time") feed.moved(event.data.recordId);
    if (event.kind === "void") feed.voided(event.data.recordId, event.data.voided);
  });

  const liveBefore = useRef(live);
  useEffect(() => {
    if (liveBefore.current === "lost" && live === "live") feed.reconnected();
    liveBefore.current = live;
  }, [live]);

  return {
    list,
    begin: () => feed.begin(load),
    more: () => feed.more(load),
  };
}

interface RecordDialogProps {
  readonly record: StoredRecord;
}

/** All that is known of one record, and an owner's way to void it. */
function RecordDialog({ record }: RecordDialogProps) {
  const texts = useTexts(recordsTexts);
  const { format, user } = useGateway();
  const { recordId, voided } = record;
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
    <Dialog title={texts.one(String(recordId))}>
      <dl class="fields">
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt class="fine">{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {voided === null && user.role === "owner" && user.serves === "gateway" && (
        <details class="stack record-void-way">
          <summary class="button">{texts.voidIt}</summary>
          <VoidForm record={record} />
        </details>
      )}
    </Dialog>
  );
}

/** Says what a void means, and asks for its reason: that confirms it. */
function VoidForm({ record: { recordId, valor } }: RecordDialogProps) {
  const texts = useTexts(recordsTexts);
  const { api, format } = useGateway();
  const { finish } = useDialogs();
  const form = useForm({ reason: "" });
  const reason = form.values.reason.trim();
  const send = () =>
    form.submit(reason !== "", async () => {
      await voidRecord(api, recordId, reason);
      finish(texts.isVoid(String(recordId)));
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
