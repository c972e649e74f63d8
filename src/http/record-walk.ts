import { setImmediate as turn } from "node:timers/promises";
import type { Id } from "../domain/id.ts";
import type { LedgerReader } from "../domain/ledger.ts";
import type { FoundRecord, RecordFilter, RecordPosition } from "../domain/record.ts";

/** Records of one piece: about a millisecond's reading and writing out. */
const PIECE = 100;

/** What a walk needs of the ledger. */
export type WalkedReader = Pick<LedgerReader, "findRecords" | "findMoved" | "newestEntry">;

/**
 * Every record that fits and stood in the ledger when the walk began, each once, newest first, in pieces between
 * which others have their turn. Each piece is a read of its own, so that a slow reader keeps no old state of the
 * file alive, and others write meanwhile. What they add is left out: it is newer than the walk. A record that they
 * move to its time, the clock having been set, could jump over the place that the walk has reached, either way:
 * such a one comes last, unless it was given out where it stood before. A record that is taken back after it was
 * given out was counted when it was read.
 */
export async function* walkRecords(
  reader: WalkedReader,
  userId: Id,
  filter: RecordFilter,
): AsyncGenerator<readonly FoundRecord[]> {
  const start = reader.newestEntry();
  /** Given out before their time was set: they alone can move. */
  const doubtful = new Set<number>();
  let before: RecordPosition | null = null;
  do {
    const { records, next } = reader.findRecords(userId, { filter, before, limit: PIECE });
    yield records.filter(({ recordId, movedBy, provisional }) => {
      if (provisional) doubtful.add(recordId);
      return recordId <= start && (movedBy ?? 0) <= start;
    });
    before = next;
    await turn();
  } while (before !== null);
  let after: number | null = start;
  while (after !== null) {
    const { records, next } = reader.findMoved(userId, { filter, since: start, after, limit: PIECE });
    yield records.filter(({ recordId }) => !doubtful.has(recordId));
    after = next;
    if (after !== null) await turn();
  }
}
