import { basename, join } from "node:path";
import type { Database } from "better-sqlite3";
import { SERVICE_ACTOR } from "../../domain/audit.ts";
import type { ProvenBackup } from "../../domain/backup.ts";
import { FlancoError, systemCode } from "../../domain/error.ts";
import { syncPath } from "../../platform/durable-file.ts";
import type { OnSteps } from "../../platform/work.ts";
import { entryHash, readCommits, readHead, readRolledUp, setCommits } from "../engine/chain.ts";
import {
  beginningOf,
  folderOf,
  idsOf,
  keyOfLedger,
  type LedgerOrigin,
  setLedgerKey,
  tryLedger,
} from "../engine/identity.ts";
import { openForWriting } from "../engine/open.ts";
import { appendAudit, linkAudit } from "../nouns/audit.ts";
import { MAX_FRESH } from "../nouns/rollup.ts";
import { listBackups } from "./backup-directory.ts";
import { removeDatabase } from "./file-copy.ts";
import { noteLosses } from "./loss.ts";
import { type LostSpan, newestIn, repeatCommits } from "./repeat.ts";
import { nameAside, replaceLedger, replacementDraft } from "./replace.ts";
import { knownCommits, makeOwn, openBackup, openDraft } from "./restore.ts";
import { damageIn, entriesBehind, readFrames, type Segment, segmentsIn } from "./tail.ts";

export interface Recovery {
  /** Where the damaged file is kept, whole; null where it was missing. */
  readonly keptAs: string | null;
  /** Null where the tail reaches back to the ledger's beginning, and no backup was needed. */
  readonly backup: ProvenBackup | null;
  /** How many commits of the tail were made again. */
  readonly commits: number;
  /** The entries that are lost, oldest first. */
  readonly lost: readonly LostSpan[];
  /** `Repeated.unmade` */
  readonly unmade: readonly string[];
  /** A sentence about each damaged file of the tail. */
  readonly tailDamage: readonly string[];
}

/**
 * Replaces a damaged ledger by its newest proven backup and the commits of its tail, and sets
 * the damaged file aside whole. Call with the data directory locked and the ledger closed. The
 * damaged file stays in its place until the new ledger is whole, so that after an interruption
 * at any moment it can be done again. The new ledger needs no check: by its SHA-256 the copy
 * is the file that was proved, and each commit of the tail must lead to the head that it led
 * to before. Throws `damaged` when there is nothing to build on: then nothing has changed.
 */
export function recoverLedger(
  ledger: string,
  damage: FlancoError,
  directories: readonly string[],
  nowMs: number,
  onProgress: OnSteps,
): Recovery {
  const draft = replacementDraft(ledger);
  onProgress(0, 1);
  try {
    const key = keyOfLedger(ledger);
    if (key === undefined) throw unknownLedger(damage);
    const remains = remainsOf(ledger, key, directories);
    const base = openBase(remains, draft, onProgress);
    const keptAs = nameAside(ledger, "damaged", nowMs);
    if (base === undefined) throw noBackup(damage);
    const { db, backup } = base;
    const { commits, lost: missed, unmade } = repeatCommits(db, remains.segments);
    const file =
      keptAs === undefined ? "the file was missing" : `the damaged file is kept as ${basename(keptAs)}`;
    const lost = noteLosses(db, missed, newestKnown(remains, db), file, nowMs);
    const details = { backup: backup?.file ?? "", keptAs: basename(keptAs ?? ""), entries: commits };
    linkAudit(db, appendAudit(db, { kind: "ledger_rebuilt", timeMs: nowMs, details, actor: SERVICE_ACTOR }));
    makeOwn(db, knownCommits(ledger, remains.folders));
    syncPath(draft);
    replaceLedger(ledger, keptAs);
    const tailDamage = damageIn(remains.segments);
    return { keptAs: keptAs ?? null, backup, commits, lost, unmade, tailDamage };
  } finally {
    removeDatabase(draft);
  }
}

/** What there is of a damaged ledger. */
interface Remains {
  /** The damaged file. */
  readonly ledger: string;
  readonly key: string;
  /** Where the ledger began, if it was restored. */
  readonly beginning: LedgerOrigin | undefined;
  /** Its folders of backups. */
  readonly folders: readonly string[];
  /** The folders of its identities on earlier gateways. */
  readonly earlierFolders: readonly string[];
  /** Its tail since it began, oldest first. */
  readonly segments: readonly Segment[];
}

function remainsOf(ledger: string, key: string, directories: readonly string[]): Remains {
  const [id = "", ...earlier] = idsOf(key);
  const foldersOf = (ledgerId: string) => directories.map((directory) => folderOf(directory, ledgerId));
  const beginning = beginningOf(ledger);
  const folders = foldersOf(id);
  const segments = segmentsIn(...folders).filter(({ from }) => from >= (beginning?.commits ?? 0));
  return { ledger, key, beginning, folders, earlierFolders: earlier.flatMap(foldersOf), segments };
}

/**
 * A draft from the newest backup of this ledger that is still what was proved, or an empty one
 * where the tail holds everything; undefined where there is neither.
 */
function openBase(
  remains: Remains,
  draft: string,
  onProgress: OnSteps,
): { readonly db: Database; readonly backup: ProvenBackup | null } | undefined {
  const { key, beginning, segments } = remains;
  for (const { backup, file } of backupsOf(remains)) {
    const db = tryDraft(file, draft, onProgress);
    if (db === undefined) continue;
    setLedgerKey(db, key);
    if (beginning !== undefined && backup.commits < beginning.commits) setCommits(db, beginning.commits);
    return { db, backup };
  }
  if (segments[0]?.from !== 0) return undefined;
  removeDatabase(draft);
  const db = openForWriting(draft);
  setLedgerKey(db, key);
  return { db, backup: null };
}

interface BackupFile {
  readonly backup: ProvenBackup;
  readonly file: string;
}

/** The proven backups of the ledger's history, the newest first. */
function backupsOf(remains: Remains): readonly BackupFile[] {
  const { folders, earlierFolders, beginning } = remains;
  return [
    ...folders.flatMap(backupsIn).filter(({ backup }) => isOfHistory(beginning, backup)),
    // Of the backups from earlier gateways only the one that the ledger began from.
    ...earlierFolders.flatMap(backupsIn).filter(({ backup }) => backup.head === beginning?.head),
  ]
    .toSorted((one, other) => other.backup.commits - one.backup.commits)
    .filter(({ backup }) => isOnChain(remains, backup));
}

function backupsIn(folder: string): readonly BackupFile[] {
  return listBackups(folder).map((backup) => ({ backup, file: join(folder, backup.file) }));
}

/** A draft from a backup; undefined where that is damaged or cannot be read: then an older one is tried. */
function tryDraft(file: string, draft: string, onProgress: OnSteps): Database | undefined {
  try {
    using backup = openBackup(file);
    return openDraft(backup, draft, onProgress);
  } catch (error) {
    if (error instanceof FlancoError && ["damaged", "too_new"].includes(error.code)) return undefined;
    const code = systemCode(error);
    // On a full disk an older backup may fit, but it may be far older.
    if (code === undefined || code === "ENOSPC") throw error;
    return undefined;
  }
}

/** Whether a backup is of the ledger's history: from after its last restore, or the backup that was restored. */
function isOfHistory(beginning: LedgerOrigin | undefined, { commits, head }: ProvenBackup): boolean {
  return beginning === undefined || commits >= beginning.commits || head === beginning.head;
}

/**
 * Whether the backup's newest entry is the one at that position in the damaged file
 * and in the tail, as far as they can be read. After a restore it may be another one.
 */
function isOnChain({ ledger, segments }: Remains, backup: ProvenBackup): boolean {
  const { position, head, commits } = backup;
  const stored = position === 0 ? head : tryLedger(ledger, (db) => entryHash(db, position));
  if (stored !== undefined && stored !== head) return false;
  const segment = segments.find(({ from, end }) => from < commits && commits <= end);
  if (segment === undefined) return true;
  for (const { commit, frame } of readFrames(segment)) if (commit === commits) return frame.head === head;
  return true;
}

/**
 * The newest position that the ledger is known to have had: by the recovered ledger, by the damaged
 * file, by the proof of a backup that has rotted, or by commits of the tail that could not be made again.
 * One more where the tail was not closed, because up to a second of commits may be missing; as many
 * as fit where its end is damaged.
 */
function newestKnown(remains: Remains, recovered: Database): number {
  const { ledger, segments } = remains;
  const proved = backupsOf(remains).map(({ backup }) => backup.position);
  const made = Math.max(readHead(recovered).position, ...proved);
  let { position, commits } = newestIn(segments, { position: made, commits: readCommits(recovered) });
  const stored = tryLedger(ledger, (db) => ({ ...readHead(db), commits: readCommits(db) }));
  if (stored !== undefined) position = Math.max(position, stored.position);
  if (stored !== undefined && stored.commits >= commits) return position;
  // Where the newest entries cannot be read: as many as may follow the mark.
  const mark = stored === undefined ? tryLedger(ledger, readRolledUp) : undefined;
  const isAll = segments.some(({ end, closed }) => end === commits && closed);
  if (isAll && (mark?.commits ?? 0) <= commits) return position;
  const behind = Math.max(1, entriesBehind(segments, commits));
  return Math.max(position + behind, mark === undefined ? 0 : mark.position + MAX_FRESH);
}

function unknownLedger(damage: FlancoError): FlancoError {
  return new FlancoError("damaged", `${damage.message} Which ledger it is cannot be read either.`, {
    hint: "Nothing was changed. Copy the whole data directory to a safe place, then name the backup: flanco restore FILE --replace-ledger.",
    cause: damage,
  });
}

function noBackup(damage: FlancoError): FlancoError {
  return new FlancoError("damaged", `${damage.message} There is no proven backup of it to repair it from.`, {
    hint: "Nothing was changed. Copy the whole data directory to a safe place, then restore a backup from elsewhere with flanco restore FILE. To start anew on purpose, move the whole directory away.",
    cause: damage,
  });
}
