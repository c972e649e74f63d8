import type { Config } from "../contract/config/schema.ts";
import type { Change } from "../domain/change.ts";
import { type Clock, MINUTE_MS, monotonicMs, SECOND_MS } from "../domain/clock.ts";
import { type ErrorData, errorFromData, errorToData, FlancoError } from "../domain/error.ts";
import { fault } from "../domain/fault.ts";
import type { Log } from "../domain/log.ts";
import type { DataDirectory } from "../ledger/engine/data-directory.ts";
import { identitiesOf } from "../ledger/engine/identity.ts";
import { beginJob } from "../ledger/engine/job.ts";
import { costlyReads, MAX_ROWS_IN_PLACE, openReader, type StoreReader } from "../ledger/engine/reader.ts";
import { openUpToDate } from "../ledger/engine/up-to-date.ts";
import { type StoreWriter, storeWriter } from "../ledger/engine/writer.ts";
import type { WriterSettings } from "../ledger/engine/writer-thread.ts";
import { LocalCalendar } from "../ledger/nouns/calendar.ts";
import {
  clearSuspect,
  isSuspect,
  markSuspect,
  type PrepareRequest,
  type PrepareResult,
} from "../ledger/safety/prepare.ts";
import { UNMADE_SALES } from "../ledger/safety/repeat.ts";
import { finishReplacing } from "../ledger/safety/replace.ts";
import type { OnProgress, Work } from "../platform/work.ts";
import {
  backupDirectory,
  presentDirectories,
  RemovableDisk,
  tailDirectory,
  waitForDisk,
} from "./backup-target.ts";

/**
 * How long a removable disk may take to show its backups, and after
 * a boot to be mounted, before the ledger is opened without it.
 */
const DISK_MS = 10 * SECOND_MS;
/** How long a rebuild waits for the disk to be mounted: its tail may have sales that nothing else has. */
const REBUILD_DISK_MS = 30 * SECOND_MS;
/** Within this time from the boot a disk that is missing may still be on its way. */
const BOOT_MS = 2 * MINUTE_MS;
/** The log gets a line at every so many looks at long work. */
const LOOKS_A_LINE = 10;
/** Progress ends at this: only the ledger's opening is 100 %. */
const LAST_PERCENT = 99;

export interface RecoveryOptions {
  readonly config: Pick<Config, "data_dir" | "backup_dir" | "backup_disk_dir" | "time_zone">;
  readonly dataDirectory: DataDirectory;
  readonly log: Log;
  readonly clock: Clock;
  /**
   * Called each second of long work. `moves` is false while
   * its process makes no progress, as when the disk hangs.
   */
  readonly onWork?: (work: Work, moves: boolean) => void;
  /** Ends long work. */
  readonly cancelled?: AbortSignal;
  /** Does long work; a process of its own where it is absent. */
  readonly run?: (request: PrepareRequest) => Promise<PrepareResult>;
}

type OnChanges = (changes: readonly Change[]) => void;

/** Who is told of the ledger's commits and its end. */
export interface LedgerListener {
  /** After each commit, with what it changed. */
  readonly onChanges: OnChanges;
  /** As `WriterListener.edgesSettled`; absent where no lines are watched. */
  readonly edgesSettled?: () => Promise<void> | undefined;
  /** The ledger cannot be written any more: the process must end, and be started again. */
  readonly onFatal: (error: Error) => void;
}

export interface OpenLedger {
  readonly writer: StoreWriter;
  readonly reader: StoreReader;
  readonly costly: ReturnType<typeof costlyReads>;
}

/** Opens the ledger for writing and reading, by `openRecovering`. */
export function openLedger(options: RecoveryOptions, listener: LedgerListener): Promise<OpenLedger> {
  const { config, dataDirectory } = options;
  return openRecovering(options, async () => {
    const writer = writerOf(options, listener, await tailThatAnswers(options));
    await writer.open();
    try {
      const start = { file: dataDirectory.ledger, timeZone: config.time_zone };
      const reader = openReader(start.file, start.timeZone, MAX_ROWS_IN_PLACE);
      return { writer, reader, costly: costlyReads(reader, reader.budget, start) };
    } catch (error) {
      await writer.close();
      throw error;
    }
  });
}

/**
 * Brings a ledger up to date that no service has, and opens it for the
 * work of one command. What must be closed is added to `closing`.
 */
export async function openAlone(
  settings: WriterSettings,
  clock: Clock,
  closing: Pick<AsyncDisposableStack, "defer">,
  { onChanges = () => {}, onProgress = () => {} }: { onChanges?: OnChanges; onProgress?: OnProgress },
): Promise<Pick<OpenLedger, "writer" | "reader">> {
  const { file, timeZone } = settings;
  const start = { ...settings, startMs: clock.nowMs() };
  openUpToDate(start, new LocalCalendar(timeZone), onProgress).close();
  const writer = storeWriter(settings, clock, { onChanges, onDeath: () => {} });
  closing.defer(() => writer.close());
  await writer.open();
  const reader = openReader(file, timeZone);
  closing.defer(() => reader.close());
  return { writer, reader };
}

/**
 * The directory of the tail; on the gateway itself where the removable disk does not answer.
 * A disk that hangs would keep the service from watching lines until it is pulled out.
 */
async function tailThatAnswers({ config, dataDirectory, clock, log }: RecoveryOptions): Promise<string> {
  const directory = tailDirectory(config);
  if (directory === backupDirectory(config)) return directory;
  const ledgerIds = identitiesOf(dataDirectory.ledger);
  const survey = () => beginJob("survey", { directory, ledgerIds, isOpened: false });
  const disk = new RemovableDisk({ directory, clock, log, survey, patienceMs: DISK_MS });
  return (await disk.examine())?.skipped === null ? directory : backupDirectory(config);
}

function writerOf(
  { config, clock, log, dataDirectory }: RecoveryOptions,
  { onChanges, edgesSettled, onFatal }: LedgerListener,
  tailDirectory: string,
): StoreWriter {
  const { ledger, reserve } = dataDirectory;
  return storeWriter({ file: ledger, tailDirectory, timeZone: config.time_zone, reserve }, clock, {
    onDisk: (fullSinceMs) => {
      if (fullSinceMs === null) log.warn({}, "the disk has room again");
      else log.error({ ...fault("disk_full", fullSinceMs) }, "the disk is full");
    },
    onChanges,
    ...(edgesSettled && { edgesSettled }),
    onDeath: (error) => {
      // The quick check of the next start may miss the damage, so it must check the whole file.
      if (error instanceof FlancoError && error.code === "damaged") markSuspect(ledger, log);
      onFatal(error);
    },
  });
}

/**
 * Opens a ledger with `open`. Long work that must come first is done in a process of
 * its own: a damaged ledger is set aside and rebuilt from the newest proven backup and
 * the tail, an older one upgraded. Call with the data directory locked. `open` must
 * leave nothing open when it throws. Throws `unavailable` once `cancelled` is aborted.
 */
export async function openRecovering<T>(options: RecoveryOptions, open: () => Promise<T>): Promise<T> {
  const { config, log, dataDirectory, clock, cancelled } = options;
  const { ledger } = dataDirectory;
  finishReplacing(ledger);
  // The disk's tail also shows whether the card has lost the newest commits.
  if (monotonicMs(clock) < BOOT_MS) await waitForDisk(config, DISK_MS, cancelled);
  let damage: ErrorData | null = null;
  if (!isSuspect(ledger)) {
    try {
      return await open();
    } catch (error) {
      damage = damageIn(error);
    }
  }
  const prepared = await prepare(options, damage);
  if (prepared !== null) logRebuild(log, prepared);
  clearSuspect(ledger);
  return open();
}

/**
 * The damage for which the ledger was not opened; null where
 * its schema is an older one. Throws all other errors.
 */
function damageIn(error: unknown): ErrorData | null {
  if (error instanceof FlancoError && error.code === "damaged") return errorToData(error);
  if (error instanceof FlancoError && error.code === "outdated") return null;
  throw error;
}

function logRebuild(log: Log, { damage, recovered }: NonNullable<PrepareResult>): void {
  log.error({ err: errorFromData(damage) }, "the ledger was damaged: it is set aside");
  const { keptAs, backup, commits, lost, unmade, tailDamage } = recovered;
  const from = backup === null ? "its beginning" : `the backup ${backup.file}`;
  log.warn({ keptAs, commits }, `the ledger was rebuilt from ${from} and ${commits} later commits`);
  if (tailDamage.length > 0) log.error({ tailDamage }, "the tail is damaged");
  if (lost.length > 0) log.error({ lost }, "entries of the ledger are lost");
  if (unmade.length > 0) log.error({ sales: unmade }, UNMADE_SALES);
}

async function prepare(options: RecoveryOptions, damage: ErrorData | null): Promise<PrepareResult> {
  const { config, dataDirectory, clock, cancelled, run = prepareAside } = options;
  const isRebuild = damage !== null || isSuspect(dataDirectory.ledger);
  if (isRebuild) await waitForDisk(config, REBUILD_DISK_MS, cancelled);
  const tailDirectory = await tailThatAnswers(options);
  const answering = [...new Set([backupDirectory(config), tailDirectory])];
  const request = {
    ledger: dataDirectory.ledger,
    timeZone: config.time_zone,
    tailDirectory,
    answering,
    directories: presentDirectories(config),
    nowMs: clock.nowMs(),
    damage,
  };
  return run(request, options);
}

/** Does long work in a process of its own. Reports its progress each second, and logs it now and then. */
async function prepareAside(request: PrepareRequest, options: RecoveryOptions): Promise<PrepareResult> {
  const { log, clock, onWork, cancelled } = options;
  cancelled?.throwIfAborted();
  const sinceMs = clock.nowMs();
  const first = isSuspect(request.ledger) ? "check" : "upgrade";
  let work: Work = { kind: request.damage === null ? first : "rebuild", percent: 0, sinceMs };
  const job = beginJob("prepare", request, ({ kind, done, total }) => {
    work = { kind, percent: Math.min(LAST_PERCENT, Math.floor((100 * done) / Math.max(1, total))), sinceMs };
  });
  const cancel = () => job.cancel();
  cancelled?.addEventListener("abort", cancel);
  let looks = 0;
  let activity = 0;
  const report = () => {
    if (looks % LOOKS_A_LINE === 0) log.info({ ...work }, "the ledger is being prepared");
    looks += 1;
    const before = activity;
    activity = job.activity();
    onWork?.(work, activity > before);
  };
  const timer = setInterval(report, SECOND_MS);
  report();
  try {
    return await job.done;
  } finally {
    clearInterval(timer);
    cancelled?.removeEventListener("abort", cancel);
  }
}
