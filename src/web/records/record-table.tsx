import type { StoredRecord } from "../api/shapes.ts";
import type { Day } from "../format/day.ts";
import { useFormat } from "../live/gateway.ts";
import { byHandTexts } from "../messages/by-hand.ts";
import { recordsTexts } from "../messages/records.ts";
import { useTexts } from "../messages/use-language.ts";

interface RecordTableProps {
  readonly records: readonly StoredRecord[];
  /** Its row was pressed. */
  readonly onOpen: (record: StoredRecord) => void;
}

const COLUMNS = ["number", "date", "time", "room", "device", "location", "state", "value"] as const;

export function RecordTable({ records, onOpen }: RecordTableProps) {
  const texts = useTexts(recordsTexts);
  const { day } = useFormat();
  const days = records.map(({ createdTime }) => day(createdTime));
  return (
    <table class="records">
      <caption class="aloud">{texts.caption}</caption>
      <thead>
        <tr>
          {COLUMNS.map((column) => (
            <th key={column} scope="col" class={column === "number" ? "record-id" : `record-${column}`}>
              {texts[column]}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {records.map((record, index) => (
          <RecordRow
            key={`${record.deviceId} ${record.number}`}
            record={record}
            day={days[index] ?? ""}
            isNewDay={index > 0 && days[index] !== days[index - 1]}
            onOpen={onOpen}
          />
        ))}
      </tbody>
    </table>
  );
}

interface RecordRowProps extends Pick<RecordTableProps, "onOpen"> {
  readonly record: StoredRecord;
  readonly day: Day;
  /** The record above is of another day. */
  readonly isNewDay: boolean;
}

function RecordRow({ record, day, isNewDay, onOpen }: RecordRowProps) {
  const texts = useTexts(recordsTexts);
  const format = useFormat();
  const styles = ["record", isNewDay && "record-new-day", record.voided !== null && "is-void"];
  return (
    // A press on the button inside, also by a key, arrives here as a click.
    <tr
      class={styles.filter(Boolean).join(" ")}
      // To mark a text in it is to copy that.
      onClick={() => getSelection()?.type !== "Range" && onOpen(record)}
    >
      <td class="record-id">
        <button
          type="button"
          class="record-open link"
          aria-label={texts.open(String(record.number))}
          // Held down, Enter would open it again: the form that it has sent gives the focus back to here.
          onKeyDown={(event) => event.repeat && event.key === "Enter" && event.preventDefault()}
        >
          {record.number}
        </button>
      </td>
      <td class="record-date">{format.dayName(day, "numeric")}</td>
      <td class="record-time">
        <time dateTime={format.iso(record.createdTime)}>{format.exactTime(record.createdTime)}</time>
        <span class="record-under fine clip-two">{format.dayName(day, "brief")}</span>
      </td>
      <th scope="row" class="record-room" title={record.habitacion}>
        <span class="record-number strong">{record.habitacion}</span>
        <span class="record-under fine clip-two">{`${record.deviceName} · ${record.locationName}`}</span>
      </th>
      <td class="record-device" title={record.deviceName}>
        {record.deviceName}
      </td>
      <td class="record-location" title={record.locationName}>
        {record.locationName}
      </td>
      <td class="record-state fine">
        <RecordState record={record} texts={texts} isBrief={false} />
      </td>
      <td class="record-value">
        <span class="record-amount strong">{format.money(record.valor)}</span>
        <span class="record-under fine clip-two">
          <RecordState record={record} texts={texts} isBrief />
        </span>
      </td>
    </tr>
  );
}

interface RecordStateProps {
  readonly record: StoredRecord;
  readonly texts: typeof recordsTexts.es;
  readonly isBrief: boolean;
}

/** What people did with a record that counts. */
function marksOf(
  { origin, refundOf, refunded, valor }: StoredRecord,
  shown: (typeof byHandTexts.es)["shown"],
  money: (amount: number) => string,
): readonly string[] {
  return [
    ...(origin === "by_hand" ? [shown.byHand] : []),
    ...(refundOf === null ? [] : [shown.refund]),
    ...(refunded === 0 ? [] : [refunded < valor ? shown.partly(money(refunded)) : shown.refunded]),
  ];
}

/** The reason of a person, and of a refund its sale. */
function titleOf({ refundOf, reason }: StoredRecord, shown: (typeof byHandTexts.es)["shown"]): string {
  return [refundOf !== null && shown.refundOf(String(refundOf)), reason].filter(Boolean).join(": ");
}

/** What is to be known of a record, in words. */
function RecordState({ record, texts, isBrief }: RecordStateProps) {
  const { shown } = useTexts(byHandTexts);
  const { money } = useFormat();
  const mark = isBrief ? "label" : "label clip-two";
  if (record.voided !== null) {
    const why = texts.voidedWhy(record.voided.reason);
    return (
      <span class={`${mark} bad`} title={why}>
        {isBrief ? texts.voided : why}
      </span>
    );
  }
  if (record.provisional) {
    return (
      <span class={`${mark} warn`} title={texts.provisionalWhy}>
        {isBrief ? texts.provisionalBrief : texts.provisional}
      </span>
    );
  }
  const marks = marksOf(record, shown, money);
  if (marks.length > 0) {
    return (
      <span class={`${mark} warn`} title={titleOf(record, shown)}>
        {marks.join(" · ")}
      </span>
    );
  }
  if (record.origin === "found_at_start" && !isBrief) return <span>{texts.foundAtStart}</span>;
  return isBrief ? null : <span>{texts.counted}</span>;
}
