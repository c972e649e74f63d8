import { existsSync, readdirSync, rmSync } from "node:fs";
import { type ErrorData, errorFromData, errorToData, FlancoError, orNothing } from "../../domain/error.ts";
import type { Log } from "../../domain/log.ts";
import { writeDurably } from "../../platform/durable-file.ts";
import type { OnProgress } from "../../platform/work.ts";
import { folderOf, identitiesOf } from "../engine/identity.ts";
import { START_REBUILDS, schemaOf } from "../engine/open.ts";
import { SCHEMA_VERSION } from "../engine/schema.ts";
import { openUpToDate } from "../engine/up-to-date.ts";
import { LocalCalendar } from "../nouns/calendar.ts";
import { setAsideLater } from "./backup-directory.ts";
import { type Recovery, recoverLedger } from "./recover.ts";
import { findDamage } from "./verify.ts";

export interface PrepareRequest {
  readonly ledger: string;
  readonly timeZone: string;
  readonly tailDirectory: string;
  /**
   * The directories that may have backups and tails. A rebuild
   * waits for each: a slow disk may have the newest sales.
   */
  readonly directories: readonly string[];
  /** Those of these directories whose disks answer. */
  readonly answering: readonly string[];
  /** Wall time in Unix milliseconds. */
  readonly nowMs: number;
  /** What is known to be wrong with the file; null where nothing is. */
  readonly damage: ErrorData | null;
}

/** Null where the ledger was not damaged. */
export type PrepareResult = { readonly damage: ErrorData; readonly recovered: Recovery } | null;

/**
 * Does all work that may take long before a ledger can be used, so that it then opens at once:
 * checks a suspect file in full, rebuilds a damaged ledger, upgrades an older one, and
 * computes rollups of another time zone again. Call with the data directory locked. Throws as
 * `openForWriting` and `recoverLedger` do. After an interruption at any moment, call it again.
 */
export function prepareLedger(request: PrepareRequest, onProgress: OnProgress): PrepareResult {
  const { ledger, timeZone, tailDirectory, directories, nowMs } = request;
  setLaterCopiesAside(ledger, request.answering);
  const file = { file: ledger, tailDirectory, startMs: nowMs };
  const open = () => openUpToDate(file, new LocalCalendar(timeZone), onProgress);
  try {
    if (request.damage !== null) throw errorFromData(request.damage);
    if (isSuspect(ledger)) requireSound(ledger, onProgress);
    open().close();
    return null;
  } catch (error) {
    if (!(error instanceof FlancoError) || error.code !== "damaged") throw error;
    const rebuilding = (done: number, total: number) => onProgress({ kind: "rebuild", done, total });
    const recovered = recoverLedger(ledger, error, directories, nowMs, rebuilding);
    open().close();
    return { damage: errorToData(error), recovered };
  }
}

/**
 * Sets aside backups and tails of a later schema than an older ledger's. They are from after an
 * upgrade that was taken back by putting the older file in place again; once that file is
 * upgraded, they would be taken for what it has lost. The version before has set aside those that
 * it saw, but a disk may have been away. Throws where a disk with such files takes no change.
 */
function setLaterCopiesAside(ledger: string, directories: readonly string[]): void {
  const [id] = identitiesOf(ledger);
  const schema = schemaOf(ledger);
  if (id === undefined || schema >= SCHEMA_VERSION) return;
  for (const folder of directories.map((directory) => folderOf(directory, id))) {
    if (orNothing(() => readdirSync(folder)) !== undefined) setAsideLater(folder, schema);
  }
}

function requireSound(ledger: string, onProgress: OnProgress): void {
  onProgress({ kind: "check", done: 0, total: 1 });
  const damage = findDamage(ledger);
  if (damage.length === 0) return;
  throw new FlancoError("damaged", `The ledger ${ledger} is damaged: ${damage[0]}.`, {
    hint: START_REBUILDS,
  });
}

/**
 * The file that marks a ledger as suspect, because it was found damaged while in use. The
 * quick check of a start reads only a part of a ledger; a suspect one is checked in full.
 */
function markOf(ledger: string): string {
  return `${ledger}.suspect`;
}

/** Never throws: the caller goes on to say what is wrong, on a disk that may be full or failing. */
export function markSuspect(ledger: string, log: Pick<Log, "error">): void {
  try {
    writeDurably(markOf(ledger), "");
  } catch (error) {
    log.error({ err: error }, "no mark for a full check could be written: the next start checks a part");
  }
}

export function isSuspect(ledger: string): boolean {
  return existsSync(markOf(ledger));
}

export function clearSuspect(ledger: string): void {
  rmSync(markOf(ledger), { force: true });
}
