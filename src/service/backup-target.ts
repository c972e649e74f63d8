import { setTimeout as after } from "node:timers/promises";
import type { Config } from "../contract/config/schema.ts";
import { type Clock, HOUR_MS, MINUTE_MS, monotonicMs } from "../domain/clock.ts";
import { FlancoError, messageOf, withHint } from "../domain/error.ts";
import { type Fault, fault } from "../domain/fault.ts";
import type { Log } from "../domain/log.ts";
import { dataDirectoryOf } from "../ledger/engine/data-directory.ts";
import type { RunningJob } from "../ledger/engine/job.ts";
import { type BackupSurvey, isMounted } from "../ledger/safety/backup-directory.ts";

/** A directory that backups go to. */
export interface BackupTarget {
  readonly directory: string;
  /** Why it takes none at the moment; null when it does. */
  readonly skipped: string | null;
}

/** A directory of backups, and what was found there. */
export type SeenTarget = BackupTarget & Pick<BackupSurvey, "newest" | "foreign">;

/** The directory of backups on the gateway itself. */
export function backupDirectory(config: Pick<Config, "data_dir" | "backup_dir">): string {
  return config.backup_dir === "" ? dataDirectoryOf(config.data_dir).backups : config.backup_dir;
}

/** The configured directories, the gateway's own first. A removable disk that is not there is skipped. */
export function backupTargets(
  config: Pick<Config, "data_dir" | "backup_dir" | "backup_disk_dir">,
): readonly BackupTarget[] {
  const own = { directory: backupDirectory(config), skipped: null };
  const disk = config.backup_disk_dir;
  if (disk === "") return [own];
  return [own, { directory: disk, skipped: isMounted(disk) ? null : noDisk(disk) }];
}

/** How often a disk that is not mounted yet is looked for. */
const MOUNT_LOOK_MS = 200;

/**
 * Waits until the removable disk is mounted, for so long at most: systemd starts the service without
 * waiting for a stick, which may hold the newest sales. Rejects once `cancelled` is aborted.
 */
export async function waitForDisk(
  { backup_disk_dir: disk }: Pick<Config, "backup_disk_dir">,
  patienceMs: number,
  cancelled?: AbortSignal,
): Promise<void> {
  const endMs = performance.now() + patienceMs;
  while (disk !== "" && !isMounted(disk) && performance.now() < endMs) {
    cancelled?.throwIfAborted();
    await after(MOUNT_LOOK_MS);
  }
}

/** Why a removable disk that is not there takes no backup. */
function noDisk(directory: string): string {
  return withHint(fault("backup_disk_missing", 0, { directory }));
}

/** What a person must know where the gateway's keys are left out beside a backup. */
export function aboutMissingKeys(folder: string): string {
  return `The gateway's keys were left out of ${folder}: its file system keeps no file from other users. A disk with ext4 takes them.`;
}

/** The configured directories without a missing removable disk, the gateway's own first. */
export function presentDirectories(config: Parameters<typeof backupTargets>[0]): readonly string[] {
  return backupTargets(config).flatMap(({ directory, skipped }) => (skipped === null ? [directory] : []));
}

/** The directory of the tail: on the removable disk while that is mounted. */
export function tailDirectory(config: Parameters<typeof backupTargets>[0]): string {
  return presentDirectories(config).at(-1) ?? backupDirectory(config);
}

/** How often the disk is looked at, which takes a process. */
const LOOK_MS = 10 * MINUTE_MS;
/** How long the disk may take to show its backups. */
const PATIENCE_MS = 30_000;
/** For so long a disk may be away, to be carried elsewhere or exchanged. */
const AWAY_MS = HOUR_MS;

export interface RemovableDiskOptions {
  readonly directory: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Begins a look at the disk, in a process of its own. */
  readonly survey: () => RunningJob<BackupSurvey>;
  /** 30 s unless a test sets it. */
  readonly patienceMs?: number | undefined;
}

/**
 * The removable disk for backups. A process of its own looks
 * at it, because a disk that hangs would hold this one.
 */
export class RemovableDisk {
  readonly #options: RemovableDiskOptions;
  #seen: SeenTarget | undefined;
  /** When the last look began, in monotonic milliseconds. */
  #lookedMs = Number.NEGATIVE_INFINITY;
  /** The look that is under way, or hangs. */
  #looking: RunningJob<BackupSurvey> | undefined;
  #fault: Fault | undefined;
  /** Since when no disk has been mounted, in monotonic milliseconds; undefined while one is, or it is not known. */
  #awaySinceMs: number | undefined;
  #isClosed = false;

  constructor(options: RemovableDiskOptions) {
    this.#options = options;
  }

  /** Why the last look failed, or that the disk has been away for an hour. */
  get fault(): Fault | undefined {
    return this.#fault;
  }

  /**
   * The disk as it was at most ten minutes ago; undefined before
   * the first look has ended. Waits for half a minute at most.
   */
  async examine(): Promise<SeenTarget | undefined> {
    const nowMs = monotonicMs(this.#options.clock);
    if (this.#looking === undefined && nowMs - this.#lookedMs >= LOOK_MS) {
      this.#lookedMs = nowMs;
      this.#seen = await this.#survey();
    }
    return this.#seen;
  }

  /** Ends a look that is under way. */
  close(): void {
    this.#isClosed = true;
    this.#looking?.cancel();
  }

  /** The fault of a disk that has been away for long, from its first look on. */
  #absence(): Fault | undefined {
    const { directory, clock, log } = this.#options;
    if (this.#awaySinceMs === undefined) return undefined;
    const awayMs = monotonicMs(clock) - this.#awaySinceMs;
    if (awayMs < AWAY_MS) return undefined;
    if (this.#fault?.code === "backup_disk_missing") return this.#fault;
    const missing = fault("backup_disk_missing", clock.nowMs() - awayMs, { directory });
    log.warn({ directory }, withHint(missing));
    return missing;
  }

  async #survey(): Promise<SeenTarget> {
    const { directory, clock, log, survey, patienceMs = PATIENCE_MS } = this.#options;
    const job = survey();
    this.#looking = job;
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      late.reject(new FlancoError("unavailable", "The disk does not answer."));
      job.cancel();
    }, patienceMs);
    try {
      const { mounted, ...found } = await Promise.race([job.done, late.promise]);
      this.#awaySinceMs = mounted ? undefined : (this.#awaySinceMs ?? monotonicMs(clock));
      this.#fault = this.#absence();
      return { directory, skipped: mounted ? null : noDisk(directory), ...found };
    } catch (error) {
      const reason = messageOf(error);
      // A look that was ended with the service is no failure.
      if (this.#fault?.code !== "backup_failed" && !this.#isClosed) {
        log.error({ err: error }, "the removable disk cannot be read");
        this.#fault = fault("backup_failed", clock.nowMs(), { directory, reason });
      }
      return { directory, skipped: reason, newest: null, foreign: [] };
    } finally {
      clearTimeout(timer);
      // A process that waits for a disk may end much later than it is cancelled.
      const ended = () => {
        this.#looking = undefined;
      };
      job.done.then(ended, ended);
    }
  }
}
