import { extname } from "node:path";
import { Worker, type WorkerOptions } from "node:worker_threads";

/** Where each thread's source is, beside this file, without the ending: a bundle has another one. */
export const THREAD_SOURCES = {
  writer: "store/writer-thread",
  upkeep: "store/upkeep-thread",
  password: "auth/password-thread",
} as const;

/**
 * Starts one of the program's threads. The one place that knows where their sources are: TypeScript in a
 * checkout, and in a bundle (scripts/bundle.mjs) files that lie to each other as those do.
 */
export function startThread(thread: keyof typeof THREAD_SOURCES, options: WorkerOptions): Worker {
  return new Worker(
    new URL(`${THREAD_SOURCES[thread]}${extname(import.meta.url)}`, import.meta.url),
    options,
  );
}
