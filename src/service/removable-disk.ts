import { type Clock, MINUTE_MS, monotonicMs } from "../domain/clock.ts";
import { FlancoError, messageOf } from "../domain/error.ts";
import { backupFailedFault, type Fault } from "../domain/fault.ts";
import type { Log } from "../domain/log.ts";
import type { BackupLook } from "../store/backup/backup-directory.ts";
import type { RunningJob } from "../store/job/job.ts";
import { noDisk, type SeenTarget } from "./backup-target.ts";

/** How often it is looked at, which takes a process. */
const LOOK_MS = 10 * MINUTE_MS;
/** How long it may take to show its backups. */
const PATIENCE_MS = 30_000;

export interface RemovableDiskOptions {
  readonly directory: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Begins a look at the disk, in a process of its own. */
  readonly look: () => RunningJob<BackupLook>;
  /** 30 s unless a test sets it. */
  readonly patienceMs?: number | undefined;
}

/** The removable disk for backups. A process of its own looks at it, because a disk that hangs would hold this one. */
export class RemovableDisk {
  readonly #options: RemovableDiskOptions;
  #seen: SeenTarget | undefined;
  /** When the last look began, in monotonic milliseconds. */
  #lookedMs = Number.NEGATIVE_INFINITY;
  /** A look that is under way, or that hangs. */
  #looking: RunningJob<BackupLook> | undefined;
  #fault: Fault | undefined;
  #isClosed = false;

  constructor(options: RemovableDiskOptions) {
    this.#options = options;
  }

  /** Why the last look failed; undefined when it did not. */
  get fault(): Fault | undefined {
    return this.#fault;
  }

  /** The disk as it was at most ten minutes ago; undefined before the first look has ended. Waits for half a minute at most. */
  async see(): Promise<SeenTarget | undefined> {
    const nowMs = monotonicMs(this.#options.clock);
    if (this.#looking === undefined && nowMs - this.#lookedMs >= LOOK_MS) {
      this.#lookedMs = nowMs;
      this.#seen = await this.#look();
    }
    return this.#seen;
  }

  /** Ends a look that is under way. */
  close(): void {
    this.#isClosed = true;
    this.#looking?.cancel();
  }

  async #look(): Promise<SeenTarget> {
    const { directory, clock, log, look, patienceMs = PATIENCE_MS } = this.#options;
    const job = look();
    this.#looking = job;
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      late.reject(new FlancoError("unavailable", "The disk does not answer."));
      job.cancel();
    }, patienceMs);
    try {
      const { mounted, ...found } = await Promise.race([job.done, late.promise]);
      this.#fault = undefined;
      return { directory, skipped: mounted ? null : noDisk(directory), ...found };
    } catch (error) {
      const reason = messageOf(error);
      // A look that the service's end has cut off is no failure.
      if (this.#fault === undefined && !this.#isClosed) {
        log.error({ err: error }, "the removable disk cannot be looked at");
        this.#fault = backupFailedFault(directory, reason, clock.nowMs());
      }
      return { directory, skipped: reason, newest: null, foreign: [] };
    } finally {
      clearTimeout(timer);
      // A process that waits for a disk may end much later.
      const ended = () => {
        this.#looking = undefined;
      };
      job.done.then(ended, ended);
    }
  }
}
