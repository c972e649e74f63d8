import { extname } from "node:path";
import { Worker, type WorkerOptions } from "node:worker_threads";
import { isSealed, sealedText } from "./sealed/assets.ts";

/** Where each thread's source is, beside this file, without the ending: a bundle has another one. */
export const THREAD_SOURCES = {
  writer: "store/ledger/writer-thread",
  upkeep: "store/backup/upkeep-thread",
  password: "auth/password-thread",
} as const;

/**
 * Starts one of the program's threads. The one place that knows where their sources are: TypeScript in a
 * checkout, in a bundle (scripts/bundle.mjs) files that lie to each other as those do, and in the sealed program
 * texts.
 */
export function startThread(thread: keyof typeof THREAD_SOURCES, options: WorkerOptions): Worker {
  const source = THREAD_SOURCES[thread];
  if (isSealed()) return new Worker(sealedText(`thread/${source}`), { ...options, eval: true });
  return new Worker(new URL(`${source}${extname(import.meta.url)}`, import.meta.url), options);
}
