import { Component } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { StoredRecord } from "../api/shapes.ts";
import type { Day } from "../format/day.ts";
import type { Format } from "../format/format.ts";
import { useFormat } from "../live/gateway.ts";
import { recordsTexts } from "../messages/records.ts";
import { useTexts } from "../messages/use-language.ts";
import { isNearEnd, type RowWindow, rowWindow } from "./row-window.ts";

interface RecordTableProps {
  readonly records: readonly StoredRecord[];
  /** All records are in `records`. */
  readonly isWhole: boolean;
  /** The end of what is there comes near. */
  readonly onNearEnd: () => void;
  /** The record's number was pressed. */
  readonly onOpen: (record: StoredRecord) => void;
}

/** How far ahead of what is seen more is asked for: about four screens. */
const AHEAD_ROWS = 60;
const HEADER_ROWS = 1;
const COLUMNS = ["number", "date", "time", "room", "device", "location", "state", "value"] as const;

/** A table that is as tall as all its records, and holds rows only around those that are seen. */
export function RecordTable({ records, isWhole, onNearEnd, onOpen }: RecordTableProps) {
  const texts = useTexts(recordsTexts);
  const format = useFormat();
  const top = useRef<HTMLTableSectionElement>(null);
  const rows = useRef<HTMLTableSectionElement>(null);
  const bottom = useRef<HTMLTableSectionElement>(null);
  const [rowHeight, setRowHeight] = useState(0);
  const [drawn, setDrawn] = useState<RowWindow>(() =>
    rowWindow({ scrolled: 0, height: 0 }, 0, records.length),
  );
  const count = records.length;
  const nearEnd = useRef(onNearEnd);
  nearEnd.current = onNearEnd;

  useLayoutEffect(() => {
    let frame = 0;
    const look = () => {
      frame = 0;
      const list = top.current;
      if (list === null) return;
      const height = rows.current?.rows[0]?.getBoundingClientRect().height ?? 0;
      setRowHeight(height);
      const viewport = { scrolled: -list.getBoundingClientRect().top, height: innerHeight };
      const next = rowWindow(viewport, height, count);
      setDrawn((before) => (before.first === next.first && before.end === next.end ? before : next));
      if (height > 0 && isNearEnd(viewport, height, count, AHEAD_ROWS)) nearEnd.current();
    };
    const onMove = () => {
      frame ||= requestAnimationFrame(look);
    };
    look();
    addEventListener("scroll", onMove, { passive: true });
    addEventListener("resize", onMove);
    return () => {
      cancelAnimationFrame(frame);
      removeEventListener("scroll", onMove);
      removeEventListener("resize", onMove);
    };
  }, [count]);

  const dayOf = (record: StoredRecord | undefined) =>
    record === undefined ? "" : format.day(record.createdTime);
  const first = Math.min(drawn.first, count);
  const end = Math.min(Math.max(drawn.end, first), count);
  // The day above the first row drawn comes first; empty where there is none.
  const days = [
    first === 0 ? "" : dayOf(records[first - 1]),
    ...records.slice(first, end).map((record) => dayOf(record)),
  ];
  return (
    <table class="records" aria-rowcount={isWhole ? count + HEADER_ROWS : -1}>
      <caption class="aloud">{texts.caption}</caption>
      <thead>
        <tr aria-rowindex={1}>
          {COLUMNS.map((column) => (
            <th key={column} scope="col" class={column === "number" ? "record-id" : `record-${column}`}>
              {texts[column]}
            </th>
          ))}
        </tr>
      </thead>
      <Space height={first * rowHeight} rows={top} />
      <tbody ref={rows}>
        {records.slice(first, end).map((record, index) => (
          <RecordRow
            // By position, not by record: a row that leaves at one end is rewritten at the other, which is
            // several times quicker than a new element.
            key={(first + index) % (end - first)}
            record={record}
            rowIndex={first + index + 1 + HEADER_ROWS}
            day={days[index + 1] ?? ""}
            isNewDay={days[index] !== "" && days[index] !== days[index + 1]}
            format={format}
            texts={texts}
            onOpen={onOpen}
          />
        ))}
      </tbody>
      <Space height={(count - end) * rowHeight} rows={bottom} />
    </table>
  );
}

interface SpaceProps {
  readonly height: number;
  readonly rows: { current: HTMLTableSectionElement | null };
}

/** Stands for the rows that are not drawn. */
function Space({ height, rows }: SpaceProps) {
  return (
    <tbody aria-hidden="true" ref={rows}>
      <tr>
        <td class="records-space unprinted" style={{ height: `${height}px` }} />
      </tr>
    </tbody>
  );
}

interface RecordRowProps {
  readonly record: StoredRecord;
  /** From 1, among all rows of the table, the header included. */
  readonly rowIndex: number;
  readonly day: Day;
  /** The record above is of another day. */
  readonly isNewDay: boolean;
  readonly format: Format;
  readonly texts: typeof recordsTexts.es;
  readonly onOpen: (record: StoredRecord) => void;
}

/** One record. A row that stays as it is costs nothing while the list scrolls. */
class RecordRow extends Component<RecordRowProps> {
  override shouldComponentUpdate(next: RecordRowProps): boolean {
    const { record, rowIndex, isNewDay, format, texts } = this.props;
    return (
      next.record !== record ||
      next.rowIndex !== rowIndex ||
      next.isNewDay !== isNewDay ||
      next.format !== format ||
      next.texts !== texts
    );
  }

  override render({ record, rowIndex, day, isNewDay, format, texts, onOpen }: RecordRowProps) {
    const date = format.dayName(day, "numeric");
    const styles = ["record"];
    if (isNewDay) styles.push("record-new-day");
    if (record.voided !== null) styles.push("record-void");
    return (
      <tr class={styles.join(" ")} aria-rowindex={rowIndex}>
        <td class="record-id">
          <button
            type="button"
            class="record-open"
            aria-label={texts.open(String(record.recordId))}
            // Held down, Enter would open it again: the form that it has sent gives the focus back to here.
            onKeyDown={(event) => event.repeat && event.key === "Enter" && event.preventDefault()}
            onClick={() => onOpen(record)}
          >
            {record.recordId}
          </button>
        </td>
        <td class="record-date">{date}</td>
        <td class="record-time">
          <time dateTime={format.iso(record.createdTime)}>{format.exactTime(record.createdTime)}</time>
          <span class="record-under">{format.dayName(day, "brief")}</span>
        </td>
        <th scope="row" class="record-room" title={record.habitacion}>
          <span class="record-number strong">{record.habitacion}</span>
          <span class="record-under">{`${record.deviceName} · ${record.locationName}`}</span>
        </th>
        <td class="record-device" title={record.deviceName}>
          {record.deviceName}
        </td>
        <td class="record-location" title={record.locationName}>
          {record.locationName}
        </td>
        <td class="record-state">
          <RecordState record={record} texts={texts} isBrief={false} />
        </td>
        <td class="record-value">
          <span class="record-amount strong">{format.money(record.valor)}</span>
          <span class="record-under">
            <RecordState record={record} texts={texts} isBrief />
          </span>
        </td>
      </tr>
    );
  }
}

interface RecordStateProps {
  readonly record: StoredRecord;
  readonly texts: typeof recordsTexts.es;
  readonly isBrief: boolean;
}

/** What is to be known of a record, in words. */
function RecordState({ record, texts, isBrief }: RecordStateProps) {
  const mark = isBrief ? "record-mark" : "record-mark clip-two";
  if (record.voided !== null) {
    const why = texts.voidedWhy(record.voided.reason);
    return (
      <span class={`${mark} record-mark-void bad`} title={why}>
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
  if (record.origin === "found_at_start" && !isBrief) return <span>{texts.foundAtStart}</span>;
  return isBrief ? null : <span>{texts.counted}</span>;
}
