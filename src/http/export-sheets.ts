import { MINUTE_MS } from "../domain/clock.ts";
import { formatDay } from "../domain/day.ts";
import type { Language, Pair } from "../domain/language.ts";
import type { FoundRecord, RecordFilter, StoredRecord } from "../domain/record.ts";
import { NOTHING, plus, Report, type ReportSum, type RoomReport } from "../domain/report.ts";
import { EXPORT_TEXTS } from "./export-texts.ts";
import { type Column, type Sheet, sheetOf } from "./workbook.ts";

/** Days with a row of their own: the latest. Posted records may have any time. */
const MAX_DAYS = 10_000;
/** Rows of sums that are made in one turn. */
const PIECE = 100;

const LOCATION: Pair<string> = ["Lugar", "Location"];
const DEVICE: Pair<string> = ["Dispositivo", "Device"];
const ROOM: Pair<string> = ["Habitación", "Room"];

/** A record that is downloaded. */
interface RecordRow {
  readonly record: StoredRecord;
  readonly texts: (typeof EXPORT_TEXTS)[Language];
  /** Local date and time of the record, `2026-11-21T09:05:00.000`. */
  readonly local: string;
  /** That of a moment, if there is one. */
  readonly at: (timeMs: number | null | undefined) => string | null;
}

/** @param localTime gives a moment's local date and time, `2026-11-21T09:05:00.000` */
export function toRow(
  record: StoredRecord,
  language: Language,
  localTime: (timeMs: number) => string,
): RecordRow {
  const at = (timeMs: number | null | undefined) => (timeMs == null ? null : localTime(timeMs));
  return { record, texts: EXPORT_TEXTS[language], local: localTime(record.createdTimeMs), at };
}

/** The columns of records in a workbook and as CSV, which programs know by their places: a new one comes last. */
export const RECORD_COLUMNS: readonly Column<RecordRow>[] = [
  { title: ["Registro", "Record"], kind: "text", of: ({ record }) => String(record.number) },
  { title: ["Fecha", "Date"], kind: "day", of: ({ local }) => local },
  { title: ["Hora", "Time"], kind: "time", of: ({ local }) => local },
  { title: LOCATION, kind: "text", of: ({ record }) => record.locationName },
  { title: DEVICE, kind: "text", of: ({ record }) => record.deviceName },
  { title: ROOM, kind: "text", of: ({ record }) => record.room },
  { title: ["Valor", "Value"], kind: "price", of: ({ record }) => record.valorMicros },
  { title: ["Estado", "State"], kind: "text", of: ({ record, texts }) => texts.words[stateOf(record)] },
  { title: ["Origen", "Origin"], kind: "text", of: ({ record, texts }) => texts.words[record.origin] },
  { title: ["Fin", "Ended"], kind: "moment", of: ({ record, at }) => at(record.endedTimeMs) },
  { title: ["Anulado", "Voided"], kind: "moment", of: ({ record, at }) => at(record.voided?.timeMs) },
  { title: ["Motivo", "Reason"], kind: "text", of: ({ record }) => record.voided?.reason ?? null },
  { title: ["Zona horaria", "Time zone"], kind: "text", of: offsetOf },
  { title: ["Importe contado", "Counted amount"], kind: "money", of: ({ record }) => countedMicros(record) },
  {
    title: ["Devolución de", "Refund of"],
    kind: "text",
    of: ({ record: { refundOf } }) => refundOf && `${refundOf}`,
  },
  { title: ["Explicación", "Explanation"], kind: "text", of: ({ record }) => record.reason },
];

const SUM_COLUMNS: readonly Column<ReportSum>[] = [
  { title: ["Ventas", "Sales"], kind: "count", of: ({ count }) => count },
  { title: ["Bruto", "Gross"], kind: "money", of: (sum) => sum.totalMicros + sum.refundedMicros },
  { title: ["Devoluciones", "Refunds"], kind: "money", of: ({ refundedMicros }) => -refundedMicros },
  { title: ["Neto", "Net"], kind: "money", of: ({ totalMicros }) => totalMicros },
  { title: ["Anulados", "Voided"], kind: "count", of: ({ voided }) => voided },
];

type DaySum = ReportSum & { readonly day: string };
const DAY_COLUMNS: readonly Column<DaySum>[] = [
  { title: ["Día", "Day"], kind: "day", of: ({ day }) => day },
  ...SUM_COLUMNS,
];

const ROOM_COLUMNS: readonly Column<ReportSum & Pick<RoomReport, "location" | "deviceName" | "room">>[] = [
  { title: LOCATION, kind: "text", of: ({ location }) => location },
  { title: DEVICE, kind: "text", of: ({ deviceName }) => deviceName },
  { title: ROOM, kind: "text", of: ({ room }) => room },
  ...SUM_COLUMNS,
];

interface SheetSource {
  /** The records, newest first by time. */
  readonly pieces: AsyncIterable<readonly FoundRecord[]>;
  readonly language: Language;
  /** Stands above each table. */
  readonly note: string;
  readonly localTime: (timeMs: number) => string;
}

/** The sheets of a workbook: the records, and their sums by day and by room, which are made while the records are read. */
export function exportSheets({ pieces, language, note, localTime }: SheetSource): readonly Sheet[] {
  const texts = EXPORT_TEXTS[language];
  const report = new Report();
  const days = new Map<string, DaySum>();
  const records = async function* () {
    for await (const piece of pieces) {
      yield piece.map((record) => {
        const row = toRow(record, language, localTime);
        const day = row.local.replace(/T.*/, "T00:00:00.000");
        const known = days.get(day) ?? { ...NOTHING, day: days.size < MAX_DAYS ? day : texts.otherDays };
        days.set(known.day, { ...known, ...plus(days.get(known.day) ?? NOTHING, record) });
        report.add(record);
        return row;
      });
    }
  };
  const daySums = () => [...days.values()].sort((one, other) => (one.day < other.day ? -1 : 1));
  const roomSums = () => {
    const rest = { location: texts.otherRooms, deviceName: "", room: "" };
    const others = report.others();
    return [...report.rooms(), ...(others === null ? [] : [{ ...others, ...rest }])];
  };
  return [
    sheetOf({ name: texts.records, note }, RECORD_COLUMNS, records()),
    sheetOf({ name: texts.days, note }, DAY_COLUMNS, inPieces(daySums)),
    sheetOf({ name: texts.rooms, note }, ROOM_COLUMNS, inPieces(roomSums)),
  ];
}

/** The rows of a table of sums, made when the first of them is asked for. */
async function* inPieces<T>(made: () => readonly T[]): AsyncGenerator<readonly T[]> {
  const rows = made();
  for (let from = 0; from < rows.length; from += PIECE) yield rows.slice(from, from + PIECE);
}

/** A provisional record counts, a voided one does not. */
function stateOf({ voided, provisional }: StoredRecord): "voided" | "provisional" | "counted" {
  return voided !== null ? "voided" : provisional ? "provisional" : "counted";
}

/** What a record adds to the sums. */
function countedMicros({ voided, valorMicros }: StoredRecord): number {
  return voided === null ? valorMicros : 0;
}

/**
 * The offset from UTC of a record's local time, `UTC+02:00`: it tells the two hours of a change
 * in autumn apart. Without UTC a spreadsheet would take it for a time of day.
 */
function offsetOf({ record, local }: RecordRow): string {
  const minutes = Math.round((Date.parse(`${local}Z`) - record.createdTimeMs) / MINUTE_MS);
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  const digits = (value: number) => String(value).padStart(2, "0");
  return `UTC${minutes < 0 ? "-" : "+"}${digits(hours)}:${digits(rest)}`;
}

/**
 * What was filtered, and when the file was made.
 * @param device the name of the device that is filtered by
 */
export function noteOf(filter: RecordFilter, device: string | null, language: Language, now: string): string {
  const texts = EXPORT_TEXTS[language];
  const { from, to, state, within } = filter;
  const values: { readonly [F in keyof RecordFilter]: string | number | null | undefined } = {
    ...filter,
    from: from && formatDay(from),
    to: to && formatDay(to),
    within: within?.join(" / "),
    deviceId: device,
    state: state && texts.words[state],
  };
  const names = Object.entries(texts.filter) as [keyof RecordFilter, string][];
  const filtered = names.flatMap(([key, name]) => (values[key] == null ? [] : [`${name}: ${values[key]}`]));
  const made = now.slice(0, "2026-11-21T09:05".length).replace("T", " ");
  return `Flanco · ${texts.records}: ${filtered.join(", ") || texts.every} · ${texts.made} ${made}`;
}
