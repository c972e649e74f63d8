import { Readable } from "node:stream";
import { exportRecords, WORKBOOK_TYPE } from "../contract/record.ts";
import type { Clock } from "../domain/clock.ts";
import { formatDay } from "../domain/day.ts";
import type { Id } from "../domain/id.ts";
import { JobSlots } from "../domain/job-slots.ts";
import type { Log } from "../domain/log.ts";
import type { FoundRecord, RecordFilter } from "../domain/record.ts";
import type { SalesReads } from "../domain/sales.ts";
import type { Currency } from "../domain/status.ts";
import { csvHead, csvRow } from "./export-csv.ts";
import { type SettlementReads, settlementSheet } from "./export-settlement.ts";
import { exportSheets, noteOf, RECORD_COLUMNS, toRow } from "./export-sheets.ts";
import { EXPORT_TEXTS } from "./export-texts.ts";
import { toRecordFilter, type WalkedReads, walkRecords } from "./record.ts";
import { type Endpoint, serve, whileSignedIn } from "./router.ts";
import { writeWorkbook } from "./workbook.ts";

/** Exports under way, each of another member: one whose client is slow costs next to nothing. */
const EXPORTS = { what: "exports", inAll: 32, ofAccount: 16, waitingOfMember: 0 };
/** Pieces of exports that are being made: each takes time in a turn of the event loop. */
const PIECES = { what: "exports", inAll: 3, waitingOfMember: 1 };

/** The code of the error with which koa ends the stream of a client that is gone. */
const HUNG_UP = "ERR_STREAM_PREMATURE_CLOSE";

type ExportReads = WalkedReads & Pick<SalesReads, "localTime" | "firstDay">;

export function exportEndpoints(
  sales: ExportReads,
  clock: Clock,
  log: Log,
  currency: Currency,
  settlements: SettlementReads | null,
): readonly Endpoint[] {
  const slots = new JobSlots(EXPORTS);
  const pieceSlots = new JobSlots(PIECES);
  const localTime = (timeMs: number) => sales.localTime(timeMs);
  const run: Parameters<typeof serve<typeof exportRecords>>[1] = async (request) => {
    const { userId, signedIn, within, query, context, requireSession } = request;
    const { lang: language, format } = query;
    const filter = toRecordFilter(query, within);
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
    const now = localTime(clock.nowMs());
    const name = await fileName(sales, userId, language, filter, first.value?.[0], now);
    context.set("Content-Type", format === "xlsx" ? WORKBOOK_TYPE : "text/csv; charset=utf-8");
    context.set("Content-Disposition", `attachment; filename="${name}.${format}"`);
    /** The records. Each piece is read when the client has taken the one before. */
    const records = async function* () {
      for (let piece = first; piece.done !== true; piece = await nextPiece()) {
        // The client has hung up. The stream does not notice it where no record fits and nothing is yielded.
        if (stream.destroyed) return;
        yield piece.value;
      }
    };
    const csv = async function* () {
      yield csvHead(RECORD_COLUMNS, language);
      for await (const piece of records()) {
        const text = piece
          .map((record) => csvRow(RECORD_COLUMNS, toRow(record, language, localTime), language))
          .join("");
        if (text !== "") yield text;
      }
    };
    const workbook = () => {
      // By the name that the newest of its records has; an id where there is none.
      const device = filter.deviceId && (first.value?.[0]?.deviceName ?? filter.deviceId);
      const note = noteOf(filter, device, language, now);
      const sheets = exportSheets({ pieces: records(), language, note, localTime });
      const settled =
        settlements === null ? [] : settlementSheet(settlements, { userId, filter, language, note });
      return writeWorkbook([...sheets, ...settled], { language, currency });
    };
    const pieces: AsyncIterable<string | Buffer> = format === "xlsx" ? workbook() : csv();
    const stream = Readable.from(whileSignedIn(pieces, context, requireSession), { objectMode: false });
    stream.once("error", (error: NodeJS.ErrnoException) => {
      // A client that hangs up is no failure, and must not fill the log.
      if (error.code !== HUNG_UP) log.error({ err: error }, "an export broke off");
    });
    return stream;
  };
  return [serve(exportRecords, run, slots)];
}

/**
 * `flanco-ventas-2026-11-01-2026-11-30`: the days that were asked for;
 * in place of one that was not, that of the account's first sale, or of the newest record.
 */
async function fileName(
  sales: Pick<ExportReads, "firstDay" | "localTime">,
  userId: Id,
  language: keyof typeof EXPORT_TEXTS,
  { from, to, within }: RecordFilter,
  newest: FoundRecord | undefined,
  now: string,
): Promise<string> {
  const latest = newest === undefined ? now : sales.localTime(newest.createdTimeMs);
  const last = to === null ? latest.slice(0, -"T00:00:00.000".length) : formatDay(to);
  const firstDay = from ?? (await sales.firstDay(userId, within));
  const first = firstDay === null ? last : formatDay(firstDay);
  return [EXPORT_TEXTS[language].file, ...new Set([first, last])].join("-");
}
