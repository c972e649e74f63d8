import { Readable } from "node:stream";
import { exportRecords } from "../contract/record.ts";
import { valorFromMicros } from "../domain/amount.ts";
import type { Clock } from "../domain/clock.ts";
import { formatDay } from "../domain/day.ts";
import { JobSlots } from "../domain/job-slots.ts";
import type { Log } from "../domain/log.ts";
import type { FoundRecord, RecordFilter, StoredRecord } from "../domain/record.ts";
import type { SalesReads } from "../domain/sales.ts";
import { BYTE_ORDER_MARK, harmless, separated } from "../domain/text.ts";
import { toRecordFilter, type WalkedReads, walkRecords } from "./record.ts";
import { type Endpoint, serve, whileSignedIn } from "./router.ts";

/** Exports under way, each of another member: one whose client is slow costs next to nothing. */
const EXPORTS = { what: "exports", inAll: 32, ofAccount: 16, waitingOfMember: 0 };
/** Pieces of exports that are being made: each takes time in a turn of the event loop. */
const PIECES = { what: "exports", inAll: 3, waitingOfMember: 1 };

/** The code of the error with which koa ends the stream of a client that is gone. */
const HUNG_UP = "ERR_STREAM_PREMATURE_CLOSE";

const FILE_NAMES = { es: "flanco-ventas", en: "flanco-sales" } as const satisfies Record<CsvLanguage, string>;

export function exportEndpoints(
  sales: WalkedReads & Pick<SalesReads, "localTime">,
  clock: Clock,
  log: Log,
): readonly Endpoint[] {
  const slots = new JobSlots(EXPORTS);
  const pieceSlots = new JobSlots(PIECES);
  const localTime = (timeMs: number) => sales.localTime(timeMs);
  const run: Parameters<typeof serve<typeof exportRecords>>[1] = async (request) => {
    const { userId, signedIn, query, context, requireSession } = request;
    const filter = toRecordFilter(query);
    const walk = walkRecords(sales, userId, filter)[Symbol.asyncIterator]();
    const nextPiece = async () => {
      const leave = await pieceSlots.take(signedIn);
      try {
        return await walk.next();
      } finally {
        leave();
      }
    };
    // Before the answer's headers are sent, so that a ledger
    // that cannot be read is still answered with an error.
    const first = await nextPiece();
    context.set("Content-Type", "text/csv; charset=utf-8");
    const name = fileName(query.lang, filter, localTime(clock.nowMs()));
    context.set("Content-Disposition", `attachment; filename="${name}"`);
    const rowOf = (record: FoundRecord) => csvRow(record, query.lang, localTime);
    /** The pieces of the file. Each is made when the client has taken the one before. */
    const pieces = async function* () {
      yield csvHead(query.lang);
      for (let piece = first; piece.done !== true; piece = await nextPiece()) {
        // The client has hung up. The stream does not notice it where no record fits and nothing is yielded.
        if (stream.destroyed) return;
        const text = piece.value.map(rowOf).join("");
        if (text !== "") yield text;
      }
    };
    const stream = Readable.from(whileSignedIn(pieces(), context, requireSession), { objectMode: false });
    stream.once("error", (error: NodeJS.ErrnoException) => {
      // A client that hangs up is no failure, and must not fill the log.
      if (error.code !== HUNG_UP) log.error({ err: error }, "an export broke off");
    });
    return stream;
  };
  return [serve(exportRecords, run, slots)];
}

/** `flanco-ventas-2026-11-01-2026-11-30.csv`: the days that were asked for, or up to today. */
function fileName(language: CsvLanguage, { from, to }: RecordFilter, now: string): string {
  const last = to === null ? now.slice(0, -"T00:00:00.000".length) : formatDay(to);
  const days = from === null ? last : `${formatDay(from)}-${last}`;
  return `${FILE_NAMES[language]}-${days}.csv`;
}

/** The languages of an export; each has the separator and the decimal point that its spreadsheets expect. */
export type CsvLanguage = "es" | "en";

interface Dialect {
  readonly separator: string;
  readonly decimalPoint: string;
  readonly header: readonly string[];
  readonly states: Readonly<Record<"counted" | "voided" | "provisional", string>>;
  readonly origins: Readonly<Record<StoredRecord["origin"], string>>;
}

const DIALECTS: Readonly<Record<CsvLanguage, Dialect>> = {
  es: {
    separator: ";",
    decimalPoint: ",",
    header: [
      ...["Registro", "Fecha", "Hora", "Lugar", "Dispositivo", "Habitación", "Valor", "Estado", "Origen"],
      ...["Fin", "Anulado", "Motivo"],
    ],
    states: { counted: "contado", voided: "anulado", provisional: "provisional" },
    origins: {
      posted: "enviado",
      edge: "relé",
      found_at_start: "encontrado al arrancar",
      imported: "importado",
    },
  },
  en: {
    separator: ",",
    decimalPoint: ".",
    header: [
      ...["Record", "Date", "Time", "Location", "Device", "Room", "Value", "State", "Origin"],
      ...["Ended", "Voided", "Reason"],
    ],
    states: { counted: "counted", voided: "voided", provisional: "provisional" },
    origins: { posted: "posted", edge: "relay", found_at_start: "found at start", imported: "imported" },
  },
};

/** The beginning of the file: a byte-order mark, by which spreadsheets know UTF-8, and the header row. */
export function csvHead(language: CsvLanguage): string {
  return BYTE_ORDER_MARK + rowOf(DIALECTS[language].header, language);
}

/**
 * One record as a row. `localTime` gives a moment's local date and time (`2026-11-21T09:05:00.000`). Values are
 * exact, without grouping; a provisional record counts, a voided one does not.
 */
export function csvRow(
  record: StoredRecord,
  language: CsvLanguage,
  localTime: (timeMs: number) => string,
): string {
  const { decimalPoint, states, origins } = DIALECTS[language];
  const [date = "", time = ""] = localTime(record.createdTimeMs).slice(0, -".000".length).split("T");
  const moment = (timeMs: number | undefined | null) =>
    timeMs == null ? "" : localTime(timeMs).slice(0, -".000".length).replace("T", " ");
  const texts = [record.locationName, record.deviceName, record.room].map(harmless);
  const value = String(valorFromMicros(record.valorMicros)).replace(".", decimalPoint);
  const state = record.voided !== null ? "voided" : record.provisional ? "provisional" : "counted";
  const cells = [String(record.number), date, time, ...texts, value, states[state], origins[record.origin]];
  const ends = [moment(record.endedTimeMs), moment(record.voided?.timeMs)];
  return rowOf([...cells, ...ends, harmless(record.voided?.reason ?? "")], language);
}

function rowOf(cells: readonly string[], language: CsvLanguage): string {
  return `${separated(cells, DIALECTS[language].separator)}\r\n`;
}
