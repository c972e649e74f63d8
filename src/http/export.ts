import { Readable } from "node:stream";
import { exportRecords } from "../contract/record.ts";
import type { Clock } from "../domain/clock.ts";
import { formatDay } from "../domain/day.ts";
import { JobSlots } from "../domain/job-slots.ts";
import type { Log } from "../domain/log.ts";
import type { FoundRecord, RecordFilter } from "../domain/record.ts";
import type { SalesReads } from "../domain/sales.ts";
import { type CsvLanguage, csvHead, csvRow } from "./csv.ts";
import { type ShownAs, toRecordFilter, type WalkedReads, walkRecords } from "./record.ts";
import { type Endpoint, serve } from "./router.ts";

/** Exports under way at once, each of another user: each takes its turn in every round of the event loop. */
const MAX_EXPORTS = 3;

/** What koa ends a stream with whose client is gone. */
const HUNG_UP = "ERR_STREAM_PREMATURE_CLOSE";

const FILE_NAMES = { es: "flanco-ventas", en: "flanco-sales" } as const satisfies Record<CsvLanguage, string>;

type Walk = AsyncIterator<readonly FoundRecord[]>;

export function exportEndpoints(
  sales: WalkedReads & Pick<SalesReads, "countRecords" | "localTime">,
  numbers: ShownAs,
  clock: Clock,
  log: Log,
): readonly Endpoint[] {
  const slots = new JobSlots({ what: "exports", inAll: MAX_EXPORTS, waitingOfUser: 0 });
  const run: Parameters<typeof serve<typeof exportRecords>>[1] = async ({ userId, query, context }) => {
    const filter = toRecordFilter(query);
    const walk = walkRecords(sales, userId, filter)[Symbol.asyncIterator]();
    // Before the answer's head is sent: a ledger that cannot be read still has an answer of its own.
    const first = await walk.next();
    if (filter.room === null && filter.roomPart === null) {
      context.set("X-Flanco-Rows", String(await sales.countRecords(userId, filter)));
    }
    context.set("Content-Type", "text/csv; charset=utf-8");
    const name = fileName(query.lang, filter, sales.localTime(clock.nowMs()));
    context.set("Content-Disposition", `attachment; filename="${name}"`);
    const shown = (record: FoundRecord) => ({ ...record, recordId: numbers.show(record.recordId) });
    const isOver = () => stream.destroyed;
    const stream = Readable.from(rows(query.lang, first, walk, sales, shown, isOver), { objectMode: false });
    stream.once("error", (error: NodeJS.ErrnoException) => {
      // A client that hangs up is no failure, and must not fill the log.
      if (error.code !== HUNG_UP) log.error({ err: error }, "an export broke off");
    });
    return stream;
  };
  return [serve(exportRecords, run, slots)];
}

/** The file's pieces, each made when the one before has been taken. */
async function* rows(
  language: CsvLanguage,
  first: IteratorResult<readonly FoundRecord[]>,
  walk: Walk,
  sales: Pick<SalesReads, "localTime">,
  shown: (record: FoundRecord) => FoundRecord,
  isOver: () => boolean,
): AsyncGenerator<string> {
  yield csvHead(language);
  for (let piece = first; piece.done !== true; piece = await walk.next()) {
    // The client has hung up. Where no record fits, nothing is yielded, and the stream would not notice it.
    if (isOver()) return;
    const text = piece.value
      .map((record) => csvRow(shown(record), language, (timeMs) => sales.localTime(timeMs)))
      .join("");
    if (text !== "") yield text;
  }
}

/** `flanco-ventas-2026-11-01-2026-11-30.csv`: the days that were asked for, or up to today. */
function fileName(language: CsvLanguage, { from, to }: RecordFilter, now: string): string {
  const last = to === null ? now.slice(0, -"T00:00:00.000".length) : formatDay(to);
  const days = from === null ? last : `${formatDay(from)}-${last}`;
  return `${FILE_NAMES[language]}-${days}.csv`;
}
