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
/** How often a script is allocated: half of the time in which V8 forgets a rate of allocation. */
const ALLOCATE_MS = 60_000;
/** How long a stop may take: less than systemd waits (TimeoutStopSec=). */
const END_MS = 4_500;
/** The log gets a line this long before the process is killed. */
const SAID_MS = 200;
/** How much of the log waits for a reader that does not read. Further lines are dropped. */
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
 * Keeps the service running where its log cannot be written, as on a full disk: pino would throw, and
 * sonic-boom try again for ever at the exit. The text is written with the next line.
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
 * Keeps the threads' heaps small, which otherwise stay as large as under the highest load. Call it once all
 * is open: V8 takes no code cache after it.
 */
export function keepHeapsSmall(): void {
  setFlagsFromString("--heap-growing-percent=30");
  // By default V8 keeps unused code for six collections; an idle service has two.
  setFlagsFromString("--bytecode-old-age=1");
  setTimeout(() => setFlagsFromString("--bytecode-old-age=6"), ALLOCATE_MS).unref();
}

/**
 * Lets V8 give back the memory of a start. It does so only while no part of the heap grows fast, and takes a
 * rate of exactly zero for the highest (V8 13.6, `Heap::HasLowEmbedderAllocationRate`): that of the part for
 * C++, to which a script adds now and then.
 */
function giveBackIdleMemory(): void {
  const allocate = () => new Script("");
  allocate();
  setInterval(allocate, ALLOCATE_MS).unref();
}

/**
 * Replaces classes of the Fetch API, of which koa asks for each body that is no text: loading the API takes
 * 60 ms of the first request, and no body here is one.
 */
function forgoFetch(): void {
  // Assigned, because defining a property makes Node load the API first.
  Object.assign(globalThis, { Response: class {}, ReadableStream: class {} });
}

/** Kills a process that does not end because threads wait for a disk that hangs. Commits are safe. */
export function endHanging(log: Log): void {
  setTimeout(() => {
    log.error({}, "the service does not end by itself: a disk may hang; its process is killed");
  }, END_MS - SAID_MS).unref();
  // In a thread, because the main one may be blocked in its last write to a log that nothing reads.
  new Worker(`setTimeout(() => process.kill(process.pid, "SIGKILL"), ${END_MS})`, { eval: true }).unref();
}

/**
 * Disables core files, which would contain passwords and keys, for a service that was started by hand (the
 * unit has LimitCORE=). By prlimit and not koffi, which flushes standard error with fsync at the exit and
 * hangs on a failing disk. Never throws.
 */
async function forbidCoreDumps(log: Logger): Promise<void> {
  try {
    // Not started without need: starting a program takes a tenth of the time of the service's own start.
    if (/^Max core file size +0 /m.test(readFileSync("/proc/self/limits", "utf8"))) return;
    await promisify(execFile)("prlimit", ["--pid", String(process.pid), "--core=0:0"]);
  } catch (error) {
    log.warn({ err: error }, "core files are not forbidden: prlimit does not run");
  }
}
