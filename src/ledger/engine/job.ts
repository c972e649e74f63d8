import { readFileSync } from "node:fs";
import { type ErrorData, errorFromData, FlancoError, orNothing } from "../../domain/error.ts";
import { startJobProcess } from "../../platform/thread.ts";
import type { OnProgress, Progress } from "../../platform/work.ts";
import type { JobWork } from "./job-thread.ts";

/** Long work on the ledger's file, beside the service. */
export interface Job {
  readonly kind: keyof JobWork;
  readonly input: unknown;
}

/** What a job says: its progress, then how it ended. */
export type JobMessage =
  | { readonly progress: Progress }
  | { readonly output: unknown }
  | { readonly error: ErrorData };

/** A job that runs in a process of its own: it blocks no event loop, and can be ended at any moment. */
export interface RunningJob<T> {
  readonly done: Promise<T>;
  /**
   * Ends the process without waiting for its end, which a disk that
   * hangs may delay. The next job removes its unfinished files.
   */
  cancel(): void;
}

export interface RunningProcess<T> extends RunningJob<T> {
  /** How much it has done, in no particular unit: while this grows the job is not stuck. 0 once it has ended. */
  activity(): number;
}

/** Begins a job. Its promise rejects with a FlancoError: the job's own, or `unavailable` when it was ended. */
export function beginJob<K extends keyof JobWork>(
  kind: K,
  input: Parameters<JobWork[K]>[0],
  onProgress: OnProgress = () => {},
): RunningProcess<Awaited<ReturnType<JobWork[K]>>> {
  type Output = Awaited<ReturnType<JobWork[K]>>;
  const child = startJobProcess();
  const done = new Promise<Output>((resolve, reject) => {
    child.on("message", (message: JobMessage) => {
      if ("progress" in message) return onProgress(message.progress);
      if ("error" in message) reject(errorFromData(message.error));
      else resolve(message.output as Output);
      child.kill("SIGKILL");
    });
    child.once("error", reject);
    child.once("exit", () => reject(new FlancoError("unavailable", "The work on the ledger was ended.")));
  });
  child.send({ kind, input } satisfies Job);
  return { done, cancel: () => void child.kill("SIGKILL"), activity: () => activityOf(child.pid) };
}

/**
 * Processor time in ticks (proc_pid_stat(5), 14th and 15th
 * field) and bytes read and written (proc_pid_io(5)), added up.
 */
function activityOf(pid: number | undefined): number {
  const read = (name: string) => orNothing(() => readFileSync(`/proc/${pid}/${name}`, "utf8")) ?? "";
  const stat = read("stat");
  const ticks = stat
    .slice(stat.lastIndexOf(")") + 2)
    .split(" ")
    .slice(11, 13);
  const bytes = [...read("io").matchAll(/^[rw]char: (\d+)$/gm)].map(([, count]) => count);
  return [...ticks, ...bytes].reduce((sum, one) => sum + Number(one), 0);
}
