import { RECORD_FIELDS, type RecordEntry, type StoredRecord } from "../../src/domain/record.ts";
import { newRecord } from "../ledger/test-ledger.ts";

/** A sale of a relay as it enters the chain. A field that is not given is null. */
export function aRecordEntry(given: Partial<RecordEntry>): RecordEntry {
  const entry: unknown = {
    ...Object.fromEntries(RECORD_FIELDS.map((field) => [field, null])),
    ...newRecord(),
    origin: "edge",
    provisional: 0,
    ...given,
  };
  return entry as RecordEntry;
}

/** The same as it stands in the ledger. */
export function aStoredRecord(given: Partial<StoredRecord> = {}): StoredRecord {
  const entry = aRecordEntry({ position: 1, number: 1 });
  const { position: recordId, userId, bootId, line, request, sequence, monotonicNs, ...same } = entry;
  const nothing = { endedTimeMs: null, provisional: false, voided: null, refundedMicros: 0, paid: null };
  return { ...same, ...nothing, recordId, ...given };
}
