import { readFileSync } from "node:fs";
import type { ProvenBackup } from "../../domain/backup.ts";
import { type ErrorData, errorFromData, FlancoError } from "../../domain/error.ts";
import type { OnProgress, Progress } from "../../domain/work.ts";
import { startJobProcess } from "../../thread.ts";
import type { BackupRequest } from "../backup/backup.ts";
import type { Prepared, PrepareRequest } from "../repair/prepare.ts";
import type { Verification } from "../repair/verify.ts";

/** Long work on the ledger's file, beside the service. */
export type Job =
  | { readonly kind: "backup"; readonly request: BackupRequest }
  | { readonly kind: "verify"; readonly ledger: string }
  | { readonly kind: "prepare"; readonly request: PrepareRequest };

interface JobOutputs {
  backup: ProvenBackup;
  verify: Verification;
  prepare: Prepared;
}

/** What a job says: its progress, then how it ended. */
export type JobMessage =
  | { readonly progress: Progress }
  | { readonly output: unknown }
  | { readonly error: ErrorData };

/** A job that runs in a process of its own: it blocks no event loop, and can be ended at any moment. */
export interface RunningJob<T> {
  readonly done: Promise<T>;
  /** Ends it at once, and does not wait for that: a disk that hangs would hold it. The next job removes its unfinished files. */
  cancel(): void;
}

export interface RunningProcess<T> extends RunningJob<T> {
  /** Processor time that it has used, in ticks of the kernel's clock: what grows is not stuck. 0 once it has ended. */
  ticks(): number;
}

/** Begins a job. Its promise rejects with a FlancoError: the job's own, or `unavailable` when it was ended. */
export function beginJob<K extends Job["kind"]>(
  job: Extract<Job, { kind: K }>,
  onProgress: OnProgress = () => {},
): RunningProcess<JobOutputs[K]> {
  const child = startJobProcess();
  const done = new Promise<JobOutputs[K]>((resolve, reject) => {
    child.on("message", (message: JobMessage) => {
      if ("progress" in message) return onProgress(message.progress);
      if ("error" in message) reject(errorFromData(message.error));
      else resolve(message.output as JobOutputs[K]);
      child.kill("SIGKILL");
    });
    child.once("error", reject);
    child.once("exit", () => reject(new FlancoError("unavailable", "The work on the ledger was ended.")));
  });
  child.send(job);
  return { done, cancel: () => void child.kill("SIGKILL"), ticks: () => ticksOf(child.pid) };
}

/** Of user and of system, the 14th and 15th field of proc_pid_stat(5): the 12th and 13th behind the program's name. */
function ticksOf(pid: number | undefined): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return Number(fields[11]) + Number(fields[12]);
  } catch {
    return 0;
  }
}
