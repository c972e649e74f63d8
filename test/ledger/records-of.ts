import type { Id } from "../../src/domain/id.ts";
import type { LedgerReader } from "../../src/domain/ledger.ts";
import type { RecordFilter, RecordPosition, StoredRecord } from "../../src/domain/record.ts";

/** Every record fits. */
export const ANY: RecordFilter = {
  from: null,
  to: null,
  location: null,
  deviceId: null,
  room: null,
  roomPart: null,
  within: null,
};
const PIECE = 200;

/** All records of a user, in the order of the ledger, newest first. */
export function recordsOf(reader: Pick<LedgerReader, "findRecords">, userId: Id): StoredRecord[] {
  const all: StoredRecord[] = [];
  let before: RecordPosition | null = null;
  do {
    const { records, next } = reader.findRecords(userId, { filter: ANY, before, limit: PIECE });
    all.push(...records.map(({ movedBy: _movedBy, ...record }) => record));
    before = next;
  } while (before !== null);
  return all.toSorted((one, other) => other.recordId - one.recordId);
}
