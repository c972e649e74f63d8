import type { ProvenBackup } from "../../domain/backup.ts";
import { type ErrorData, errorFromData, FlancoError } from "../../domain/error.ts";
import { startThread } from "../../thread.ts";
import type { Verification } from "../repair/verify.ts";
import type { BackupRequest } from "./backup.ts";

/** Long work on the ledger's file, beside the service. */
export type UpkeepJob =
  | { readonly kind: "backup"; readonly request: BackupRequest }
  | { readonly kind: "verify"; readonly ledger: string };

interface UpkeepOutputs {
  backup: ProvenBackup;
  verify: Verification;
}

/** The only message of the thread. */
export type UpkeepMessage = { readonly output: unknown } | { readonly error: ErrorData };

/** A job that runs in a thread of its own, so that it does not block the event loop. */
export interface RunningJob<T> {
  readonly done: Promise<T>;
  /** Ends it at once. The next job removes its unfinished files. */
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
      if ("error" in message) reject(errorFromData(message.error));
      else resolve(message.output as UpkeepOutputs[K]);
    });
    worker.once("error", reject);
    worker.once("exit", () => reject(new FlancoError("unavailable", "The work on the ledger was ended.")));
  });
  return { done, cancel: async () => void (await worker.terminate()) };
}
