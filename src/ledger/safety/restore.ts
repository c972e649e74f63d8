import { closeSync, existsSync, fstatSync, openSync, rmSync, statSync } from "node:fs";
import { basename, dirname } from "node:path";
import type { Database } from "better-sqlite3";
import { MICROS_PER_UNIT, valorFromMicros } from "../../domain/amount.ts";
import type { Actor, AuditDetails } from "../../domain/audit.ts";
import type { ProvenBackup } from "../../domain/backup.ts";
import type { SalesSpan } from "../../domain/boot.ts";
import type { ChainHead } from "../../domain/chain-entry.ts";
import { FlancoError } from "../../domain/error.ts";
import { syncPath } from "../../platform/durable-file.ts";
import type { OnSteps } from "../../platform/work.ts";
import {
  entryHash,
  passOverCommits,
  readCommits,
  readHead,
  readRolledUp,
  type Tally,
  tallyOf,
} from "../engine/chain.ts";
import { LedgerConnection } from "../engine/connection.ts";
import {
  folderOf,
  forgetIdentity,
  hasHeldKey,
  idsOf,
  keyOfLedger,
  movedKey,
  noteIdentity,
  readLedger,
  readLedgerKey,
  setLedgerKey,
  tryLedger,
} from "../engine/identity.ts";
import { openForWriting } from "../engine/open.ts";
import { SCHEMA_VERSION } from "../engine/schema.ts";
import { appendAudit, linkAudit, takeAudit } from "../nouns/audit.ts";
import { keepUnwatched } from "../nouns/line.ts";
import { locationsOf } from "../nouns/location.ts";
import { MAX_FRESH } from "../nouns/rollup.ts";
import { readProof } from "./backup-directory.ts";
import { copyDurably, removeDatabase, requireRoom } from "./file-copy.ts";
import { noteLosses } from "./loss.ts";
import { type LostSpan, newestIn, repeatCommits } from "./repeat.ts";
import { finishReplacing, nameAside, replaceLedger, replacementDraft } from "./replace.ts";
import { damageIn, entriesBehind, MAX_LEAP, type Segment, segmentsIn } from "./tail.ts";
import { faultsOf, verifyLedger } from "./verify.ts";

/**
 * How many numbers of requests a restored ledger skips. Numbers from after the backup
 * must not be used again, because request and sequence identify an edge for all time.
 */
const SKIPPED_REQUESTS = 1_000_000;

/** Entries of the replaced ledger that the restored one lacks. */
export interface MissingEntries extends SalesSpan {
  /** How many records of the restored one were void, and count again. */
  readonly voids: number;
  /** What the records that were not void add up to, in units of the currency. */
  readonly revenue: number;
}

export interface RestoredLedger extends Tally {
  /** How many commits of the tail were made again on top of the backup. */
  readonly later: number;
  /** Where the replaced ledger is kept; null where there was none. */
  readonly keptAs: string | null;
  /** Wall time of the newest record; null in a ledger without any. */
  readonly newestMs: number | null;
  /** What the replaced ledger has beyond it; null where that could not be read, or there was none. */
  readonly missing: MissingEntries | null;
  /** Entries that are lost with damaged parts of the tail, oldest first. */
  readonly lost: readonly LostSpan[];
  /** `Repeated.unmade` */
  readonly unmade: readonly string[];
  /** A sentence about each damaged file of the tail. */
  readonly tailDamage: readonly string[];
}

/** A backup by open descriptors: the process may continue as a user that may not open its files. */
export interface OpenedBackup extends Disposable {
  readonly file: string;
  readonly descriptor: number;
  /** SQLite's log beside it: a ledger that was copied by hand from a data directory has one. */
  readonly log: number | null;
  /** Undefined for a file without one. */
  readonly proof: ProvenBackup | undefined;
}

export interface RestoreRequest {
  readonly backup: OpenedBackup;
  readonly ledger: string;
  /** Wall time in Unix milliseconds. */
  readonly nowMs: number;
  readonly onProgress: OnSteps;
  readonly by: Actor;
  /** What came after the backup and is to be restored too, in the order of the commits. */
  readonly tail: readonly Segment[];
  /** The directories of backups, one of which may have the ledger's tail. */
  readonly directories: readonly string[];
  /** Whether the backup may be another ledger's. */
  readonly mayBeOther: boolean;
  /**
   * Called before the proved backup takes the ledger's place; where it throws,
   * nothing has changed. `isOther`: it takes the place of another ledger.
   */
  readonly onProved: (isOther: boolean) => void;
}

/**
 * Puts a backup in the ledger's place, once a copy of it was checked in full. Call with the data
 * directory locked. The replaced ledger is kept with its log as it is: nothing is written to it, not
 * even by SQLite, which would cut a damaged log where the damage is. The restored ledger takes over
 * its further audit entries, and an entry says who restored it (`by`). After an interruption at any
 * moment one whole ledger is there, the old or the new. Throws `not_found`, `damaged` when the backup
 * fails its check, `too_new` when a later program wrote it, `conflict` when it is another ledger's,
 * `mayBeOther` is not set, and the ledger here has users or records; then nothing has changed.
 */
export function restoreLedger(request: RestoreRequest): RestoredLedger {
  const { backup, ledger, nowMs, onProgress, tail, directories, mayBeOther, onProved } = request;
  finishReplacing(ledger);
  const draft = replacementDraft(ledger);
  try {
    const restoring = openDraft(backup, draft);
    const here = keyOfLedger(ledger);
    const from = readLedgerKey(restoring);
    const isOwn = here !== undefined && hasHeldKey(here, from);
    const other = !isOwn && (here !== undefined || existsSync(ledger));
    const key = isOwn ? here : movedKey(from);
    setLedgerKey(restoring, key);
    const [id = ""] = idsOf(key);
    const folders = directories.map((directory) => folderOf(directory, id));
    const { commits: later, lost: missed, unmade } = repeatCommits(restoring, tail);
    const common = readHead(restoring);
    const lost = noteLosses(
      restoring,
      missed,
      newestKnown(tail, restoring),
      "the tail is damaged there",
      nowMs,
    );
    const commits = makeOwn(restoring, knownCommits(ledger, folders));
    if (other && !mayBeOther && !isUnusedLedger(ledger)) throw anotherLedger(backup.file, draft, ledger);
    const missing = missingFrom(ledger, common);
    // Of another ledger nothing was here. What a ledger had that cannot be read is known from its tail alone.
    const isUnknown = isOwn && existsSync(ledger) && missing === null && tail.length === 0;
    noteRestored(draft, request, isUnknown ? { sales: "unknown" } : detailsOf(missing), lost.length > 0);
    const faults = faultsOf(verifyLedger(draft, onProgress));
    if (faults.length > 0) throw refused(backup.file, faults.join("; "));
    const held = readLedger(draft, (db) => ({ ...tallyOf(db), newestMs: newestTime(db) }));
    const keptAs = nameAside(ledger, "replaced", nowMs);
    syncPath(draft);
    onProved(other);
    if (other) forgetIdentity(ledger);
    replaceLedger(ledger, keptAs);
    // With its tail, even one that cannot be read, the history goes on where it ended, as after a rebuild.
    noteIdentity(ledger, key, later + lost.length > 0 ? undefined : { commits, head: held.head });
    return { ...held, later, keptAs: keptAs ?? null, missing, lost, unmade, tailDamage: damageIn(tail) };
  } finally {
    removeDatabase(draft);
  }
}

/**
 * The newest number that the tail of this history tells of, beyond what could be made again, and as many more as
 * may have been in commits that are missing at its end.
 */
function newestKnown(tail: readonly Segment[], made: Database): number {
  const before = readCommits(made);
  const own = tail.filter(({ from }) => from - before < MAX_LEAP);
  const { position, commits } = newestIn(own, {
    position: readHead(made).position,
    commits: before,
  });
  return position + entriesBehind(own, commits);
}

/** Takes over the audit entries of the replaced ledger: going back to a backup must not remove them. */
function noteRestored(
  draft: string,
  { backup, ledger, nowMs, by: actor }: RestoreRequest,
  missing: AuditDetails,
  isLossy: boolean,
): void {
  using db = new LedgerConnection(draft, { fileMustExist: true });
  keepUnwatched(db);
  tryLedger(ledger, (source) => takeAudit(db, source));
  const records = db.prepare<[], number>("SELECT count(*) FROM record").pluck().get() ?? 0;
  const details = { backup: basename(backup.file), records, ...missing };
  const auditId = appendAudit(db, { kind: "ledger_restored", timeMs: nowMs, details, actor });
  // It is what explains entries that say of a loss. Otherwise the next start links all of them in their order.
  if (isLossy) linkAudit(db, auditId);
}

/** What a restore takes away, as its audit entry tells it: `toldBy` reads it. */
function detailsOf(missing: MissingEntries | null): AuditDetails {
  if (missing === null || missing.records + missing.voids === 0) return {};
  const { records: sales, voids, revenue, firstMs, lastMs } = missing;
  const [since, until] = [firstMs, lastMs].map((ms) => (ms === null ? "" : new Date(ms).toISOString()));
  return { sales, voids, revenue, since: since ?? "", until: until ?? "" };
}

/** Opens a backup for a restore. Throws `not_found`. */
export function openBackup(file: string): OpenedBackup {
  if (!existsSync(file)) {
    throw new FlancoError("not_found", `There is no backup ${file}.`, {
      hint: "Backups lie in the directory that backup_dir names (flanco config show).",
    });
  }
  // To open a pipe waits for its other end, and a device may have none.
  if (!statSync(file).isFile()) throw refused(file, "it is no file");
  const descriptor = openSync(file, "r");
  const logFile = `${file}-wal`;
  const log = existsSync(logFile) && statSync(logFile).size > 0 ? openSync(logFile, "r") : null;
  const dispose = () => {
    closeSync(descriptor);
    if (log !== null) closeSync(log);
  };
  return { file, descriptor, log, proof: readProof(file), [Symbol.dispose]: dispose };
}

/** Copies a backup to a draft, and opens that with this program's schema. */
export function openDraft(
  { file, descriptor, log, proof }: OpenedBackup,
  draft: string,
  onProgress: OnSteps = () => {},
): Database {
  removeDatabase(draft);
  requireRoom(dirname(draft), fstatSync(descriptor).size, "copy the backup");
  const sha256 = copyDurably(descriptor, draft, onProgress);
  if (log !== null) copyDurably(log, `${draft}-wal`);
  if (proof !== undefined && proof.sha256 !== sha256)
    throw refused(file, "it is not the file that was proved");
  try {
    const db = openForWriting(draft);
    for (let schema = 1; schema < SCHEMA_VERSION; schema += 1) {
      rmSync(`${draft}.schema-${schema}`, { force: true });
    }
    return db;
  } catch (error) {
    if (error instanceof FlancoError && error.code === "damaged")
      throw refused(file, "SQLite cannot read it");
    throw error;
  }
}

/** The highest number of a commit that the ledger or its tail has, as far as they can be read. */
export function knownCommits(ledger: string, folders: readonly string[]): number {
  const held =
    tryLedger(ledger, readCommits) ?? tryLedger(ledger, (db) => readRolledUp(db).commits + MAX_FRESH) ?? 0;
  return Math.max(held, ...segmentsIn(...folders).map(({ end }) => end));
}

/**
 * Makes a copy a ledger of its own, in one file, and closes it.
 * `known` is as for `passOverCommits`. Gives its number of commits.
 */
export function makeOwn(db: Database, known: number): number {
  // A session may have ended since the backup was made, by signing out or by a changed password.
  db.exec("DELETE FROM session");
  // Continues with numbers of requests that were never used.
  db.exec(
    `INSERT INTO setting (name, value) VALUES ('last_request', '${SKIPPED_REQUESTS}')
     ON CONFLICT (name) DO UPDATE SET value = CAST(value AS INTEGER) + ${SKIPPED_REQUESTS}`,
  );
  passOverCommits(db, known);
  const commits = readCommits(db);
  db.pragma("journal_mode = DELETE");
  db.close();
  return commits;
}

/** The entries that only the replaced ledger has. Null when they are not known. */
function missingFrom(ledger: string, common: ChainHead): MissingEntries | null {
  const missing = tryLedger(ledger, (db) => {
    // The two ledgers have different histories, so there is no common entry to count from.
    if (common.position > 0 && entryHash(db, common.position) !== common.hash) return undefined;
    const found = db
      .prepare<{ position: number }, Omit<MissingEntries, "revenue"> & { units: number; micros: number }>(
        `SELECT count(*) AS records, min(effective_ms) AS firstMs, max(effective_ms) AS lastMs,
                coalesce(sum(valor_micros / ${MICROS_PER_UNIT}) FILTER (WHERE voided_by IS NULL), 0) AS units,
                coalesce(sum(valor_micros % ${MICROS_PER_UNIT}) FILTER (WHERE voided_by IS NULL), 0) AS micros,
                (SELECT count(*) FROM correction
                  WHERE kind = 'void' AND correction_id > :position AND record_id <= :position) AS voids
           FROM record WHERE record_id > :position`,
      )
      .get(common);
    if (found === undefined) return undefined;
    const { units, micros, ...entries } = found;
    return { ...entries, revenue: valorFromMicros(BigInt(units) * BigInt(MICROS_PER_UNIT) + BigInt(micros)) };
  });
  return missing ?? null;
}

/** Whether a ledger is as at a new gateway's first start, so that it may be replaced without a question. */
export function isUnusedLedger(ledger: string): boolean {
  const used = "SELECT EXISTS (SELECT 1 FROM account) OR EXISTS (SELECT 1 FROM record)";
  return tryLedger(ledger, (db) => db.prepare<[], number>(used).pluck().get()) === 0;
}

/** Describes both ledgers, so that a person can tell whether the file is the wrong one or the gateway is new. */
function anotherLedger(backup: string, draft: string, ledger: string): FlancoError {
  const here = tryLedger(ledger, described) ?? "one that cannot be read";
  const message = `The backup ${backup} is of another ledger: ${readLedger(draft, described)}. The ledger here is ${here}.`;
  return new FlancoError("conflict", message, {
    hint: "Nothing was changed. To put the other ledger in this one's place, which is kept, add --replace-ledger.",
  });
}

/** A ledger as a person knows it from others. */
function described(db: Database): string {
  const { records, totalMicros } = tallyOf(db);
  const times = db
    .prepare<[], number | null>(
      "SELECT min(effective_ms) FROM record UNION ALL SELECT max(effective_ms) FROM record",
    )
    .pluck()
    .all()
    .flatMap((timeMs) => (timeMs === null ? [] : new Date(timeMs).toISOString().slice(0, 10)));
  const dates =
    records === 0 ? "" : ` from ${times.join(" to ")}, ${valorFromMicros(BigInt(totalMicros))} in all`;
  return `${locationsOf(db).join(", ") || "without a location"}, ${records} records${dates}`;
}

function newestTime(db: Database): number | null {
  const newest = db.prepare<[], number>("SELECT effective_ms FROM record ORDER BY record_id DESC LIMIT 1");
  return newest.pluck().get() ?? null;
}

function refused(backup: string, reason: string): FlancoError {
  return new FlancoError("damaged", `The backup ${backup} fails its check: ${reason}.`, {
    hint: "Nothing was changed. Restore an older one: each has its proof, a .json file, beside it.",
  });
}
