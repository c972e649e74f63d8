import type { RetentionPlan } from "../domain/archive.ts";
import type { ProvenBackup } from "../domain/backup.ts";
import { FlancoError } from "../domain/error.ts";
import { startThread } from "../thread.ts";
import type { ArchiveRequest, PreparedArchive } from "./archive-make.ts";
import type { RetentionRequest } from "./archive-plan.ts";
import type { UnfinishedArchive } from "./archive-state.ts";
import type { BackupRequest } from "./backup.ts";
import type { FullCheck } from "./full-check.ts";
import type { ErrorMessage } from "./message.ts";

/** Long work on the ledger's file, beside the service. */
export type UpkeepJob =
  | { readonly kind: "backup"; readonly request: BackupRequest }
  | { readonly kind: "verify"; readonly ledger: string; readonly archives: string }
  | { readonly kind: "retention"; readonly request: RetentionRequest }
  | { readonly kind: "archive"; readonly request: ArchiveRequest }
  | { readonly kind: "unfinished"; readonly ledger: string; readonly directory: string };

interface UpkeepOutputs {
  backup: ProvenBackup;
  verify: FullCheck;
  retention: RetentionPlan;
  archive: PreparedArchive;
  unfinished: readonly UnfinishedArchive[];
}

/** What the thread says, once. */
export type UpkeepMessage = { readonly output: unknown } | { readonly error: ErrorMessage };

/** A job that runs in a thread of its own, so that it blocks nobody's loop. */
export interface RunningJob<T> {
  readonly done: Promise<T>;
  /** Ends it at once; what it has begun to write is removed by the next. */
  cancel(): Promise<void>;
}

/** Begins a job. Its promise rejects with a FlancoError: the job's own, or `unavailable` when it was cancelled. */
export function beginJob<K extends UpkeepJob["kind"]>(
  job: Extract<UpkeepJob, { kind: K }>,
): RunningJob<UpkeepOutputs[K]> {
  const worker = startThread("upkeep", {
    workerData: job,
    name: `flanco-${job.kind}`,
  });
  const done = new Promise<UpkeepOutputs[K]>((resolve, reject) => {
    worker.once("message", (message: UpkeepMessage) => {
      if ("error" in message) reject(toError(message.error));
      else resolve(message.output as UpkeepOutputs[K]);
    });
    worker.once("error", reject);
    worker.once("exit", () => reject(new FlancoError("unavailable", "The work on the ledger was ended.")));
  });
  return { done, cancel: async () => void (await worker.terminate()) };
}

function toError({ code, message, hint }: ErrorMessage): FlancoError {
  return new FlancoError(code, message, hint === undefined ? {} : { hint });
}
