import type { Config } from "../config/schema.ts";
import { type ArchivedMonth, type Archivist, formatMonth, type RetentionPlan } from "../domain/archive.ts";
import { type Actor, SERVICE_ACTOR } from "../domain/audit.ts";
import type { Clock, ClockTrust } from "../domain/clock.ts";
import type { Month } from "../domain/day.ts";
import { FlancoError } from "../domain/error.ts";
import type { Log } from "../domain/log.ts";
import type { RetentionRequest } from "../store/archive-plan.ts";
import { listBackups } from "../store/backup-directory.ts";
import { beginJob, type RunningJob } from "../store/upkeep-job.ts";
import type { StoreWriter } from "../store/writer.ts";
import { backupDirectory } from "./backup-target.ts";
import { type Place, placeOf } from "./place.ts";

export interface RetentionDependencies {
  readonly config: Pick<Config, "data_dir" | "backup_dir" | "keep_months" | "archive_dir">;
  readonly place: Place;
  readonly clock: Clock;
  readonly trust: ClockTrust;
  readonly writer: Pick<StoreWriter, "archive" | "removeArchived">;
  readonly log: Log;
}

/** Where archives lie. */
export function archiveDirectory(config: Pick<Config, "data_dir" | "archive_dir">): string {
  return config.archive_dir === "" ? placeOf(config.data_dir).archives : config.archive_dir;
}

/** Archives months that are older than what is kept, one at a time. The long part runs in a thread of its own. */
export class Retention implements Archivist {
  readonly #dependencies: RetentionDependencies;
  #running: RunningJob<unknown> | undefined;
  #busy = false;
  #closed = false;

  constructor(dependencies: RetentionDependencies) {
    this.#dependencies = dependencies;
  }

  /** Whether records may leave the ledger, and nobody is at it. */
  get ready(): boolean {
    return this.#dependencies.config.keep_months > 0 && !this.#busy && !this.#closed;
  }

  /** Ends what is under way: a month that is told of is removed by the next run, any other is begun anew. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#running?.cancel();
  }

  finish(): Promise<void> {
    return this.#alone(() => this.#finish());
  }

  plan(): Promise<RetentionPlan> {
    return this.#alone(() => this.#plan());
  }

  archive(month: Month, by: Actor): Promise<ArchivedMonth> {
    return this.#alone(async () => {
      await this.#finish();
      return this.#archive(month, by);
    });
  }

  /** Finishes what was cut off, then archives every month that can be; one that was changed meanwhile has to wait. */
  begin(): RunningJob<readonly ArchivedMonth[]> {
    const done = this.#alone(async () => {
      await this.#finish();
      const { months } = await this.#plan();
      const archived: ArchivedMonth[] = [];
      for (const { month, waits } of months) {
        if (waits !== null) continue;
        try {
          archived.push(await this.#archive(month, SERVICE_ACTOR));
        } catch (error) {
          if (!(error instanceof FlancoError) || error.code !== "conflict") throw error;
          this.#dependencies.log.info({ month: formatMonth(month) }, error.message);
        }
      }
      return archived;
    });
    return { done, cancel: async () => void (await this.#running?.cancel()) };
  }

  #plan(): Promise<RetentionPlan> {
    return this.#run(beginJob({ kind: "retention", request: this.#request() }));
  }

  async #archive(month: Month, by: Actor): Promise<ArchivedMonth> {
    const { config, writer, log } = this.#dependencies;
    const request = { ...this.#request(), month, directory: archiveDirectory(config) };
    const prepared = await this.#run(beginJob({ kind: "archive", request }));
    const { file, records } = prepared.statement;
    await writer.archive(prepared, by);
    log.info({ month: formatMonth(month), file, records }, "a month was archived");
    return { month, file, records };
  }

  /** A service that ended in the middle left rows behind: they are removed while their archive is there, whole. */
  async #finish(): Promise<void> {
    const { config, place, writer, log } = this.#dependencies;
    const directory = archiveDirectory(config);
    for (const { position, file, state } of await this.#run(
      beginJob({ kind: "unfinished", ledger: place.ledger, directory }),
    )) {
      if (state === "right") await writer.removeArchived(position);
      else
        log.warn(
          { file, state, directory },
          "records of this archive stay in the ledger as long as it is not there",
        );
    }
  }

  #request(): RetentionRequest {
    const { config, place, clock, trust } = this.#dependencies;
    return {
      ledger: place.ledger,
      keepMonths: config.keep_months,
      nowMs: clock.nowMs(),
      clockTrusted: trust.trusted(),
      backups: listBackups(backupDirectory(config)),
    };
  }

  async #run<T>(job: RunningJob<T>): Promise<T> {
    this.#running = job;
    try {
      return await job.done;
    } finally {
      this.#running = undefined;
    }
  }

  async #alone<T>(work: () => Promise<T>): Promise<T> {
    if (this.#busy || this.#closed) {
      throw new FlancoError("conflict", "The archive is being worked on.", { hint: "Wait for its end." });
    }
    this.#busy = true;
    try {
      return await work();
    } finally {
      this.#busy = false;
    }
  }
}
