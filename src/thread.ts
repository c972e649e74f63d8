import { type ChildProcess, fork, type StdioOptions, spawn } from "node:child_process";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import { Worker, type WorkerOptions } from "node:worker_threads";
import { isSealed, sealedText } from "./sealed/assets.ts";

/** Where each thread's source is, beside this file, without the ending: a bundle has another one. */
export const THREAD_SOURCES = {
  writer: "store/ledger/writer-thread",
  job: "store/job/job-thread",
  password: "auth/password-thread",
  reader: "store/read/reader-thread",
} as const;

/**
 * The source of the process that runs a job: beside this file, because it starts a thread itself. As an argument it has the
 * sealed program run that in place of a command (scripts/bundle.ts).
 */
export const JOB_PROCESS = "job-process";

/**
 * Starts one of the program's threads. The one place that knows where their sources are: TypeScript in a
 * checkout, in a bundle (scripts/bundle.ts) files that lie to each other as those do, and in the sealed program
 * texts.
 */
export function startThread(thread: keyof typeof THREAD_SOURCES, options: WorkerOptions): Worker {
  const source = THREAD_SOURCES[thread];
  if (isSealed()) return new Worker(sealedText("start"), { ...options, eval: true, argv: [source] });
  return new Worker(besideThis(source), options);
}

/** Starts the process of a job, with a channel to it. */
export function startJobProcess(): ChildProcess {
  const stdio: StdioOptions = ["ignore", "inherit", "inherit", "ipc"];
  if (isSealed()) return spawn(process.execPath, [JOB_PROCESS], { stdio });
  return fork(fileURLToPath(besideThis(JOB_PROCESS)), { stdio });
}

function besideThis(source: string): URL {
  return new URL(`${source}${extname(import.meta.url)}`, import.meta.url);
}
