import type { Config } from "../config/schema.ts";
import type { Clock } from "../domain/clock.ts";
import { FlancoError } from "../domain/error.ts";
import { diskFullFault } from "../domain/fault.ts";
import type { Change } from "../domain/ledger.ts";
import type { Log } from "../domain/log.ts";
import { finishReplacing } from "../store/backup/replace.ts";
import type { DataDirectory } from "../store/data-directory.ts";
import { type StoreWriter, storeWriter } from "../store/ledger/writer.ts";
import { openReader, type StoreReader } from "../store/read/reader.ts";
import { type Recovered, recoverLedger } from "../store/repair/recover.ts";
import { clearSuspect, isSuspect, markSuspect } from "../store/repair/suspect.ts";
import { verifyLedger } from "../store/repair/verify.ts";
import { backupTargets, tailDirectory } from "./backup-target.ts";

export interface RecoveryOptions {
  readonly config: Pick<Config, "data_dir" | "backup_dir" | "backup_disk_dir">;
  readonly dataDirectory: DataDirectory;
  readonly log: Log;
  readonly nowMs: () => number;
  readonly onProgress: (done: number, total: number) => void;
}

export interface LedgerOptions extends Omit<RecoveryOptions, "nowMs"> {
  readonly config: RecoveryOptions["config"] & Pick<Config, "time_zone">;
  readonly clock: Clock;
  /** After each commit, with what it changed. */
  readonly onChanges: (changes: readonly Change[]) => void;
  /** The ledger cannot be written any more: the process must end, and be started again. */
  readonly onFatal: (error: Error) => void;
}

export interface OpenLedger {
  readonly writer: StoreWriter;
  readonly reader: StoreReader;
}

/** Opens the ledger for writing and for reading, recovered as `openRecovering` does. */
export function openLedger(options: LedgerOptions): Promise<OpenLedger> {
  const { config, dataDirectory, clock } = options;
  return openRecovering({ ...options, nowMs: () => clock.nowMs() }, async () => {
    const writer = writerOf(options);
    await writer.open();
    try {
      return { writer, reader: openReader(dataDirectory.ledger, config.time_zone) };
    } catch (error) {
      await writer.close();
      throw error;
    }
  });
}

function writerOf(options: LedgerOptions): StoreWriter {
  const { config, clock, log, onChanges, onProgress, onFatal } = options;
  const { ledger, reserve } = options.dataDirectory;
  const tail = { tailDirectory: tailDirectory(config) };
  return storeWriter({ file: ledger, ...tail, timeZone: config.time_zone, reserve }, clock, {
    onDisk: (fullSinceMs) => {
      if (fullSinceMs === null) log.warn({}, "the disk has room again");
      else log.error({ ...diskFullFault(fullSinceMs) }, "the disk is full");
    },
    onChanges,
    onProgress,
    onDeath: (error) => {
      // The quick check of the next start may miss the damage: it must check all of the file.
      if (error instanceof FlancoError && error.code === "damaged") markSuspect(ledger, log);
      onFatal(error);
    },
  });
}

/**
 * Opens a ledger with `open`. A damaged ledger is set aside first, and rebuilt from the newest proven backup and
 * the tail. Call with the data directory locked. `open` must leave nothing
 * open when it throws.
 */
export async function openRecovering<T>(options: RecoveryOptions, open: () => Promise<T>): Promise<T> {
  const { dataDirectory, onProgress } = options;
  finishReplacing(dataDirectory.ledger);
  try {
    if (isSuspect(dataDirectory.ledger)) requireSound(dataDirectory.ledger, onProgress);
    const opened = await open();
    clearSuspect(dataDirectory.ledger);
    return opened;
  } catch (error) {
    if (!(error instanceof FlancoError) || error.code !== "damaged") throw error;
    recover(options, error);
    clearSuspect(dataDirectory.ledger);
    return open();
  }
}

function requireSound(ledger: string, onProgress: RecoveryOptions["onProgress"]): void {
  const { damage } = verifyLedger(ledger, onProgress);
  if (damage.length === 0) return;
  throw new FlancoError("damaged", `The ledger ${ledger} is damaged: ${damage[0]}.`, {
    hint: "Restore a backup with flanco restore.",
  });
}

function recover(options: RecoveryOptions, damage: FlancoError): void {
  const { config, dataDirectory, log, nowMs, onProgress } = options;
  const directories = backupTargets(config)
    .filter(({ skipped }) => skipped === null)
    .map(({ directory }) => directory);
  const recovered = recoverLedger(dataDirectory.ledger, damage, directories, nowMs(), onProgress);
  log.error({ err: damage }, "the ledger was damaged: it is set aside");
  logRecovered(log, recovered);
}

function logRecovered(log: Log, { keptAs, backup, commits, lost }: Recovered): void {
  const from = backup === null ? "its beginning" : `the backup ${backup.file}`;
  log.warn({ keptAs, commits }, `the ledger was rebuilt from ${from} and ${commits} later commits`);
  if (lost !== null) log.error({ ...lost }, "entries of the ledger are lost");
}
