import { type ChildProcess, fork, type StdioOptions, spawn } from "node:child_process";
import { basename, extname } from "node:path";
import { fileURLToPath } from "node:url";
import { Worker, type WorkerOptions } from "node:worker_threads";
import { isSealed, sealedText } from "./sealed/assets.ts";

/** The source of each thread, below `src`, without the extension. */
export const THREAD_SOURCES = {
  writer: "ledger/engine/writer-thread",
  job: "ledger/engine/job-thread",
  password: "http/auth/password-thread",
  reader: "ledger/engine/reader-thread",
} as const;

/**
 * The source of the process that runs a job.
 * The sealed program runs it in place of a command when it is given as an argument (scripts/bundle.ts).
 */
export const JOB_PROCESS = "platform/job-process";

/**
 * Starts one of the program's threads. The one place that knows where their sources are: TypeScript files in
 * a checkout, files beside the program in a bundle (scripts/bundle.ts), texts in the sealed program.
 */
export function startThread(thread: keyof typeof THREAD_SOURCES, options: WorkerOptions): Worker {
  const source = THREAD_SOURCES[thread];
  if (isSealed()) return new Worker(sealedText("start"), { ...options, eval: true, argv: [source] });
  return new Worker(fileOf(source), options);
}

/** Starts the process of a job, with a channel to it. */
export function startJobProcess(): ChildProcess {
  const stdio: StdioOptions = ["ignore", "inherit", "inherit", "ipc"];
  if (isSealed()) return spawn(process.execPath, [JOB_PROCESS], { stdio });
  return fork(fileURLToPath(fileOf(JOB_PROCESS)), { stdio });
}

function fileOf(source: string): URL {
  const extension = extname(import.meta.url);
  return new URL(extension === ".ts" ? `../${source}.ts` : basename(source) + extension, import.meta.url);
}
