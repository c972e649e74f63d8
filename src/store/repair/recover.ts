import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import DatabaseConstructor, { type Database } from "better-sqlite3";
import { SERVICE_ACTOR } from "../../domain/audit.ts";
import type { ProvenBackup } from "../../domain/backup.ts";
import { FlancoError } from "../../domain/error.ts";
import type { Loss } from "../../domain/gap.ts";
import { syncPath } from "../../durable-file.ts";
import { folderOf, listBackups } from "../backup/backup-directory.ts";
import { removeDatabase } from "../backup/file-copy.ts";
import { nameAside, replaceLedger, replacementDraft } from "../backup/replace.ts";
import { prepareDraft } from "../backup/restore.ts";
import { appendAudit } from "../ledger/audit.ts";
import { identityOf, readable, readLedger } from "../ledger/identity.ts";
import { entryHash } from "../read/tally.ts";
import { type Salvaged, type SalvageNote, salvage } from "./salvage.ts";
import { openScratch } from "./scratch.ts";
import { faultsOf, verifyLedger } from "./verify.ts";

export interface Recovered extends Salvaged {
  /** Where the damaged file is kept, whole. */
  readonly keptAs: string;
  readonly backup: ProvenBackup;
  /** Directory of that backup. */
  readonly directory: string;
}

/**
 * Replaces a damaged ledger by the newest proven backup and all that can be read of the damaged one, which is set
 * aside whole. Call with the data directory locked and the ledger closed. The damaged file stays in its place until the
 * new one is whole and checked, so that an interruption at any moment leaves it to be done again. Throws `damaged` when
 * there is no backup to build on: then nothing has changed.
 */
export function recoverLedger(
  ledger: string,
  damage: FlancoError,
  directories: readonly string[],
  nowMs: number,
  onProgress: (done: number, total: number) => void,
): Recovered {
  const draft = replacementDraft(ledger);
  const scratch = `${ledger}.salvage`;
  try {
    const id = identityOf(ledger);
    if (id === undefined) throw unknownLedger(damage);
    const folders = directories.map((directory) => folderOf(directory, id));
    const { backup, directory } = restoreNewest(ledger, folders, draft, damage);
    const keptAs = nameAside(ledger, "damaged", nowMs);
    if (keptAs === undefined || !existsSync(ledger)) throw noBackup(damage);
    const model = join(directory, backup.file);
    const source = openScratch(ledger, model, scratch);
    const salvaged = mergeInto(draft, source, { keptAs: basename(keptAs), model, nowMs });
    const faults = faultsOf(verifyLedger(draft, onProgress));
    if (faults.length > 0) {
      throw new FlancoError(
        "damaged",
        `The ledger that was put together anew does not hold: ${faults.join("; ")}.`,
        {
          hint: `Nothing was changed. flanco restore ${model} goes back to that backup.`,
        },
      );
    }
    syncPath(draft);
    replaceLedger(ledger, keptAs);
    return { ...salvaged, keptAs, backup, directory };
  } finally {
    removeDatabase(draft);
    removeDatabase(scratch);
  }
}

/** Copies the newest backup of this ledger that still is what was proved. */
function restoreNewest(
  ledger: string,
  folders: readonly string[],
  draft: string,
  damage: FlancoError,
): { readonly backup: ProvenBackup; readonly directory: string } {
  const candidates = folders
    .flatMap((directory) => listBackups(directory).map((backup) => ({ backup, directory })))
    .map((candidate) => ({ ...candidate, onChain: isOnChain(ledger, candidate.backup) }))
    .filter(({ onChain }) => onChain !== false)
    .toSorted(
      (one, other) =>
        Number(other.onChain ?? false) - Number(one.onChain ?? false) ||
        other.backup.position - one.backup.position ||
        other.backup.number - one.backup.number,
    );
  for (const candidate of candidates) {
    try {
      prepareDraft(join(candidate.directory, candidate.backup.file), draft);
      return candidate;
    } catch (error) {
      // The disk has damaged this one as well: an older one is next.
      if (!(error instanceof FlancoError) || !["damaged", "too_new"].includes(error.code)) throw error;
    }
  }
  throw noBackup(damage);
}

/**
 * Whether the damaged file has the backup's newest entry: a restore may have led away from it. Undefined where that cannot
 * be read.
 */
function isOnChain(ledger: string, { position, head }: ProvenBackup): boolean | undefined {
  if (position === 0) return true;
  const hash = readable(() => readLedger(ledger, (db) => entryHash(db, position)));
  return hash === undefined ? undefined : hash === head;
}

function mergeInto(
  draft: string,
  source: Database | undefined,
  { keptAs, model, nowMs }: SalvageNote & { readonly model: string },
): Salvaged {
  const target = new DatabaseConstructor(draft, { fileMustExist: true });
  try {
    target.pragma("synchronous = FULL");
    const salvaged = salvage(target, source, { nowMs, keptAs });
    const details = { backup: basename(model), keptAs, entries: salvaged.entries };
    appendAudit(target, { kind: "ledger_rebuilt", timeMs: nowMs, details, actor: SERVICE_ACTOR });
    return salvaged;
  } finally {
    target.close();
    source?.close();
  }
}

function unknownLedger(damage: FlancoError): FlancoError {
  return new FlancoError("damaged", `${damage.message} Which ledger it is cannot be read either.`, {
    hint: "Nothing was changed. Copy the whole data directory to a safe place, then name the backup: flanco restore FILE --replace-ledger.",
    cause: damage,
  });
}

function noBackup(damage: FlancoError): FlancoError {
  return new FlancoError("damaged", `${damage.message} There is no proven backup of it to repair it from.`, {
    hint: "Nothing was changed. Copy the whole data directory to a safe place, then restore a backup from elsewhere with flanco restore FILE.",
    cause: damage,
  });
}

/** The entries lost through damage to the file, oldest first, as the `lost` corrections record them. */
export function readLosses(ledger: string): readonly Loss[] {
  return readLedger(ledger, (db) =>
    db
      .prepare<[], Loss>(
        // Losses without a time are older than the chain and cannot be repaired.
        `SELECT correction_id AS position, noted_ms AS notedMs, lost_from AS lostFrom, lost_to AS lostTo, reason
           FROM correction WHERE kind = 'lost' AND lost_from IS NOT NULL AND noted_ms > 0 ORDER BY correction_id`,
      )
      .all(),
  );
}
