import type { Database } from "better-sqlite3";
import { type ChainEntry, type ChainHead, NO_HASH } from "../../domain/chain-entry.ts";
import type { LedgerReader } from "../../domain/ledger.ts";
import { RECORD_COLUMNS, type RecordEntry } from "../../domain/record.ts";
import { correctionText, entryHash, evidenceText, recordText, selectList } from "../engine/chain.ts";
import { idsOf, readLedgerKey } from "../engine/identity.ts";
import { type EvidenceRow, SELECT_EVIDENCE } from "./audit.ts";
import { type CorrectionRow, SELECT_CORRECTION, toCorrection } from "./correction.ts";

type RecordRow = RecordEntry & { readonly hash: string };
/** The parameters of a read: entries after one position, up to another one, at most so many. */
type Span = [after: number, upTo: number, limit: number];
/** An entry that is still to be linked with the one before it. */
type EntryBody = ChainEntry extends infer E
  ? E extends ChainEntry
    ? Omit<E, "previousHash">
    : never
  : never;

/** A read ends with the entry that makes it as long as this, in bytes: an acceptance report has megabytes. */
const MAX_BYTES = 1024 * 1024;

/** Reads the chain as its entries were appended, whatever table they stand in. */
export function chainReader(db: Database) {
  const records = db.prepare<Span, RecordRow>(
    `SELECT ${selectList(RECORD_COLUMNS)}, lower(hex(hash)) AS hash FROM record LEFT JOIN boot USING (boot)
      WHERE record_id > ? AND record_id <= ? ORDER BY record_id LIMIT ?`,
  );
  const corrections = db.prepare<Span, CorrectionRow>(
    `${SELECT_CORRECTION} WHERE correction_id > ? AND correction_id <= ? ORDER BY correction_id LIMIT ?`,
  );
  const evidence = db.prepare<Span, EvidenceRow>(
    `${SELECT_EVIDENCE} WHERE position > ? AND position <= ? ORDER BY position LIMIT ?`,
  );
  const sizes = db.prepare<Span, { position: number; bytes: number }>(
    `SELECT position, octet_length(details) AS bytes FROM audit
      WHERE position > ? AND position <= ? ORDER BY position LIMIT ?`,
  );
  function endOf(after: number, upTo: number, limit: number): number {
    let read = 0;
    for (const { position, bytes } of sizes.all(after, upTo, limit)) {
      read += bytes;
      if (read >= MAX_BYTES) return position;
    }
    return upTo;
  }
  const hashAt = (position: number) => (position === 0 ? NO_HASH : entryHash(db, position));

  // One transaction: all of it is of the same commit.
  const read = db.transaction((after: number, upTo: number, limit: number): readonly ChainEntry[] => {
    const end = endOf(after, upTo, limit);
    const found = [
      ...records.all(after, end, limit).map(ofRecord),
      ...corrections.all(after, end, limit).map(toCorrection).map(ofCorrection),
      ...evidence.all(after, end, limit).map(ofEvidence),
    ]
      .sort((one, other) => one.position - other.position)
      .slice(0, limit);
    let before: ChainHead = { position: after, hash: hashAt(after) ?? "" };
    return found.map((entry) => {
      const isNext = entry.position === before.position + 1 && before.hash !== "";
      const linked = { ...entry, previousHash: isNext ? before.hash : null };
      before = entry;
      return linked;
    });
  });
  return {
    ledgerIds: () => idsOf(readLedgerKey(db)),
    entryHash: hashAt,
    entriesAfter: read,
  } satisfies Partial<LedgerReader>;
}

function ofRecord({ hash, ...record }: RecordRow): EntryBody {
  return { kind: "record", position: record.position, hash, text: recordText(record), record };
}

function ofCorrection({ hash, ...correction }: CorrectionRow): EntryBody {
  const { position } = correction;
  return { kind: "correction", position, hash, text: correctionText(correction), correction };
}

function ofEvidence({ hash, ...evidence }: EvidenceRow): EntryBody {
  return { kind: "evidence", position: evidence.position, hash, text: evidenceText(evidence), evidence };
}
