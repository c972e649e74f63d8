import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Sale } from "../api/sale.ts";
import { useFormat } from "../frame/visit.ts";
import { recordsTexts } from "../messages/records.ts";
import { useTexts } from "../messages/speech.ts";
import { RecordRow } from "./record-row.tsx";
import { isNearEnd, type RowWindow, rowWindow } from "./row-window.ts";

interface RecordTableProps {
  readonly records: readonly Sale[];
  /** All records are in `records`. */
  readonly isWhole: boolean;
  /** The end of what is there comes near. */
  readonly onNearEnd: () => void;
}

/** How far ahead of what is seen more is asked for: about four screens. */
const AHEAD_ROWS = 60;
const HEADER_ROWS = 1;

/** A table that is as tall as all its records, and holds rows only around those that are seen. */
export function RecordTable({ records, isWhole, onNearEnd }: RecordTableProps) {
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

  const dayOf = (record: Sale | undefined) => (record === undefined ? "" : format.day(record.createdTimeMs));
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
          <th scope="col" class="record-date">
            {texts.date}
          </th>
          <th scope="col" class="record-time">
            {texts.time}
          </th>
          <th scope="col" class="record-room">
            {texts.room}
          </th>
          <th scope="col" class="record-device">
            {texts.device}
          </th>
          <th scope="col" class="record-place">
            {texts.location}
          </th>
          <th scope="col" class="record-state">
            {texts.state}
          </th>
          <th scope="col" class="record-value">
            {texts.value}
          </th>
        </tr>
      </thead>
      <Space height={first * rowHeight} rows={top} />
      <tbody ref={rows}>
        {records.slice(first, end).map((record, index) => (
          <RecordRow
            // By place, not by record: a row that leaves at one end is written anew at the other, which is
            // several times quicker than to make one.
            key={(first + index) % (end - first)}
            record={record}
            rowIndex={first + index + 1 + HEADER_ROWS}
            day={days[index + 1] ?? ""}
            isNewDay={days[index] !== "" && days[index] !== days[index + 1]}
            format={format}
            texts={texts}
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
        <td class="records-space" style={{ height: `${height}px` }} />
      </tr>
    </tbody>
  );
}
