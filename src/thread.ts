import { type ChildProcess, fork, type StdioOptions, spawn } from "node:child_process";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import { Worker, type WorkerOptions } from "node:worker_threads";
import { isSealed, sealedText } from "./sealed/assets.ts";

/** The source of each thread, relative to this file, without the extension, which differs in a bundle. */
export const THREAD_SOURCES = {
  writer: "store/ledger/writer-thread",
  job: "store/job/job-thread",
  password: "auth/password-thread",
  reader: "store/read/reader-thread",
} as const;

/**
 * The source of the process that runs a job. It is beside this file, because it starts a thread itself.
 * The sealed program runs it in place of a command when it is given as an argument (scripts/bundle.ts).
 */
export const JOB_PROCESS = "job-process";

/**
 * Starts one of the program's threads. The one place that knows where their sources are: TypeScript files in
 * a checkout, files at the same relative places in a bundle (scripts/bundle.ts), texts in the sealed program.
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
