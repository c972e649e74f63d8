import { loadArchivedMonths } from "../api/archives.ts";
import { loadChoices } from "../api/choices.ts";
import { Button } from "../element/button.tsx";
import { Nothing, Unread } from "../element/nothing.tsx";
import { ViewFrame } from "../frame/view.tsx";
import { useFormat } from "../frame/visit.ts";
import { readyValue } from "../live/part.ts";
import { useLoaded } from "../live/use-loaded.ts";
import { elementTexts } from "../messages/element.ts";
import { recordsTexts } from "../messages/records.ts";
import { useSpeech, useTexts } from "../messages/speech.ts";
import { useNavigation, useQuery } from "../navigation.ts";
import { addressOf } from "../route.ts";
import { archivedText } from "./archived-text.ts";
import { ExportDialog } from "./export-dialog.tsx";
import { EVERY_RECORD, filterOf, isOpen, queryOf, type RecordFilter } from "./filter.ts";
import { RecordFilters } from "./record-filters.tsx";
import type { RecordList } from "./record-list.ts";
import { RecordTable } from "./record-table.tsx";
import { useExport } from "./use-export.ts";
import { type Records, useRecords } from "./use-records.ts";

/** All records, newest first, narrowed down by the filter in the address. */
export function RecordsView() {
  const texts = useTexts(recordsTexts);
  const { language } = useSpeech();
  const { replace } = useNavigation();
  const filter = filterOf(useQuery());
  const format = useFormat();
  const { compare } = format;
  const choices = useLoaded((api) => loadChoices(api, compare), "", ["places"]);
  const archived = useLoaded(loadArchivedMonths, "");
  const leftOut = archivedText(readyValue(archived.part) ?? [], filter, texts, format);
  const records = useRecords(filter);
  const exporting = useExport();
  const setFilter = (next: RecordFilter) => replace(addressOf("records", { ...next }));
  const startExport = () => exporting.start(queryOf(filter), language);
  return (
    <ViewFrame
      title={texts.title}
      intro={texts.intro}
      actions={
        <Button icon="download" onPress={startExport}>
          {texts.download}
        </Button>
      }
    >
      <RecordFilters filter={filter} onFilter={setFilter} choices={readyValue(choices.part)} />
      <RecordPanel
        records={records}
        leftOut={leftOut}
        isFiltered={!isOpen(filter)}
        onClear={() => setFilter(EVERY_RECORD)}
      />
      {exporting.state.kind !== "none" && (
        <ExportDialog control={exporting} leftOut={leftOut} onRetry={startExport} />
      )}
    </ViewFrame>
  );
}

interface RecordPanelProps {
  readonly records: Records;
  /** What is archived of what the filter asks for, in words. */
  readonly leftOut: string | undefined;
  readonly isFiltered: boolean;
  readonly onClear: () => void;
}

function RecordPanel({ records, leftOut, isFiltered, onClear }: RecordPanelProps) {
  const texts = useTexts(recordsTexts);
  const { list, begin, more } = records;
  const isEmpty = list.kind === "ready" && list.records.length === 0;
  const showNew = () => {
    scrollTo({ top: 0 });
    begin();
  };
  return (
    <section class="panel record-panel" aria-label={texts.title} aria-busy={list.kind === "waiting"}>
      <div class="record-head">
        <RecordCount list={list} />
      </div>
      {(list.fresh > 0 || list.isOld) && (
        <div class="record-fresh">
          <Button kind="main" onPress={showNew}>
            {list.isOld ? texts.old : texts.fresh(list.fresh)}
          </Button>
        </div>
      )}
      {list.kind === "failed" && <Unread text={texts.failed} onRetry={begin} />}
      {isEmpty && !isFiltered && <Nothing title={texts.none} detail={leftOut ?? texts.noneDetail} />}
      {isEmpty && isFiltered && (
        <Nothing title={texts.noMatch} detail={leftOut ?? texts.noMatchDetail}>
          <Button onPress={onClear}>{texts.clear}</Button>
        </Nothing>
      )}
      {list.records.length > 0 && (
        <div class={list.isStale ? "record-stale" : undefined}>
          <RecordTable
            records={list.records}
            isWhole={list.kind === "ready" && list.next === null}
            onNearEnd={list.hasStopped ? ignore : more}
          />
          <RecordFoot list={list} leftOut={leftOut} onMore={more} />
          <p class="record-print">{texts.printed}</p>
        </div>
      )}
    </section>
  );
}

function ignore(): void {}

/** How many there are. Aloud only when that is news: not with every page that comes while one scrolls. */
function RecordCount({ list }: { readonly list: RecordList }) {
  const texts = useTexts(recordsTexts);
  const { count } = useFormat();
  const known = list.records.length;
  const whole = texts.all(count(known), known === 1);
  const isWaiting = list.kind === "waiting";
  const shown = list.next === null ? whole : texts.shown(count(known));
  const aloud = list.next === null ? whole : texts.found;
  return (
    <>
      <p class="record-count">{isWaiting ? texts.searching : list.kind === "ready" && shown}</p>
      <p class="aloud" role="status">
        {list.kind === "ready" && aloud}
      </p>
    </>
  );
}

interface RecordFootProps {
  readonly list: RecordList;
  readonly leftOut: string | undefined;
  readonly onMore: () => void;
}

function RecordFoot({ list, leftOut, onMore }: RecordFootProps) {
  const texts = useTexts(recordsTexts);
  const { retry } = useTexts(elementTexts);
  if (list.hasStopped) {
    return (
      <div class="record-foot" role="alert">
        <p>{texts.moreFailed}</p>
        <Button onPress={onMore}>{retry}</Button>
      </div>
    );
  }
  if (list.next === null && !list.isStale) {
    return (
      <div class="record-foot">
        <p>{texts.end}</p>
        {leftOut !== undefined && <p>{leftOut}</p>}
      </div>
    );
  }
  return (
    <div class="record-foot">
      <Button kind="quiet" isBusy={list.isAsking} onPress={onMore}>
        {list.isAsking ? texts.loadingMore : texts.more}
      </Button>
    </div>
  );
}
