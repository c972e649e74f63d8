import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { setFlagsFromString } from "node:v8";
import { Script } from "node:vm";
import { Worker } from "node:worker_threads";
import { destination, type Logger, pino } from "pino";
import type { Config } from "../config/schema.ts";
import type { Log } from "../domain/log.ts";
import { becomeOwner } from "../store/data-directory.ts";

const STANDARD_ERROR = 2;
/** Half of the time in which V8 forgets a rate. */
const ALLOCATE_MS = 60_000;
/** What a stop may take: less than systemd waits for (TimeoutStopSec=). */
const END_MS = 4_500;
/** The log gets a line this long before. */
const SAID_MS = 200;
/** Of the log, for a reader that stands still. Further lines are dropped. */
const MAX_UNWRITTEN_LOG_BYTES = 1024 * 1024;

/** Makes the process one that serves, as the owner of the data directory. Gives its log, on standard error. */
export async function beginServing(config: Pick<Config, "data_dir" | "log_level">): Promise<Logger> {
  giveBackIdleMemory();
  forgoFetch();
  becomeOwner(config.data_dir);
  // Not synchronous: a log that is slow to take its lines would hold up the requests and the edges.
  const dest = destination({ dest: STANDARD_ERROR, sync: false, maxLength: MAX_UNWRITTEN_LOG_BYTES });
  outliveFailures(dest);
  const log = pino({ level: config.log_level }, dest);
  await forbidCoreDumps(log);
  return log;
}

/**
 * Keeps the service running where its log cannot be written, as on a full disk: what is left of it is tried again with the next
 * line. Left alone, pino throws the error, and at the exit sonic-boom tries again for ever.
 */
function outliveFailures(dest: ReturnType<typeof destination>): void {
  const flush = dest.flushSync.bind(dest);
  let fails = false;
  dest.on("error", () => {
    fails = true;
  });
  dest.on("write", () => {
    fails = false;
  });
  dest.flushSync = () => {
    if (!fails) flush();
  };
}

/**
 * Left alone, the threads' heaps grow under a load of requests to several times what is in use, and stay so. To be called once all is
 * open: V8 takes no code cache from then on.
 */
export function keepHeapsSmall(): void {
  setFlagsFromString("--heap-growing-percent=30");
  // V8 keeps what it compiled for six collections after its last use. An idle service has two, and then keeps what only a start runs.
  setFlagsFromString("--bytecode-old-age=1");
  setTimeout(() => setFlagsFromString("--bytecode-old-age=6"), ALLOCATE_MS).unref();
}

/**
 * V8 collects an idle heap after some ten seconds and gives back what it does not need: a third of the main thread's heap after a
 * start. It asks how fast each part of the heap grows, and takes a rate of exactly zero for the highest (V8 13.6,
 * `Heap::HasLowEmbedderAllocationRate`; `--trace-memory-reducer` says "high alloc"). In the part that belongs to C++ nothing grows in
 * this thread, so a script, which is allocated there, is made now and then. V8 forgets a rate within two minutes.
 */
function giveBackIdleMemory(): void {
  const allocate = () => new Script("");
  allocate();
  setInterval(allocate, ALLOCATE_MS).unref();
}

/**
 * Koa asks of each body that is no text whether it is one of the Fetch API, and Node loads that API's client and its streams
 * to answer: 60 ms of the first request. No body here is one.
 */
function forgoFetch(): void {
  // Assigned, because defining a property makes Node load the API first.
  Object.assign(globalThis, { Response: class {}, ReadableStream: class {} });
}

/** Kills a process that does not end, because threads wait for a disk that hangs. What is committed is safe. */
export function endHanging(log: Log): void {
  setTimeout(() => {
    log.error({}, "the service does not end by itself: a disk may hang; its process is killed");
  }, END_MS - SAID_MS).unref();
  // In a thread, because the main one may be blocked in its last write to a log that nothing reads.
  new Worker(`setTimeout(() => process.kill(process.pid, "SIGKILL"), ${END_MS})`, { eval: true }).unref();
}

/**
 * Disables core files of this process and its children: they would contain passwords and keys. The unit does the same
 * (LimitCORE=); this is for a service that was started by hand. It uses util-linux's prlimit and not koffi, because koffi
 * flushes standard error with fsync at the exit (lib/native/base/base.cc, FlushStd), and hangs if that fails with an error
 * other than EINVAL, as for a file on a failing disk. Never throws.
 */
async function forbidCoreDumps(log: Logger): Promise<void> {
  try {
    // Starting a program takes a tenth of the time of the service's own start.
    if (/^Max core file size +0 /m.test(readFileSync("/proc/self/limits", "utf8"))) return;
    await promisify(execFile)("prlimit", ["--pid", String(process.pid), "--core=0:0"]);
  } catch (error) {
    log.warn({ err: error }, "core files are not forbidden: prlimit does not run");
  }
}
