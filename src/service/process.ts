import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { setFlagsFromString } from "node:v8";
import { Script } from "node:vm";
import { Worker } from "node:worker_threads";
import { destination, type Logger, pino } from "pino";
import type { Config } from "../contract/config/schema.ts";
import type { Log } from "../domain/log.ts";
import { becomeOwner } from "../ledger/engine/data-directory.ts";

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
  // Of a client's address that is no URL, Node warns with all of it.
  process.noDeprecation = true;
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
 * Keeps the service running where its log cannot be written, as on a full disk: unwritten text is tried again
 * with the next line. Without this, pino throws the error, and at the exit sonic-boom tries again for ever.
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
 * Keeps the threads' heaps small: by default they grow under a load of requests to several times
 * what is in use, and stay large. Call it once all is open, because V8 takes no code cache after it.
 */
export function keepHeapsSmall(): void {
  setFlagsFromString("--heap-growing-percent=30");
  // By default V8 keeps compiled code for six collections after its last
  // use. An idle service has two, and would keep the code of its start.
  setFlagsFromString("--bytecode-old-age=1");
  setTimeout(() => setFlagsFromString("--bytecode-old-age=6"), ALLOCATE_MS).unref();
}

/**
 * Lets V8 give back unused memory. V8 collects an idle heap after some ten seconds, and then gives
 * back a third of the main thread's heap of a start; but only if each part of the heap grows slowly,
 * and it takes a rate of exactly zero for the highest (V8 13.6, `Heap::HasLowEmbedderAllocationRate`;
 * `--trace-memory-reducer` says "high alloc"). The part for C++ never grows in this thread. So a
 * script, which is allocated there, is made now and then: V8 forgets a rate within two minutes.
 */
function giveBackIdleMemory(): void {
  const allocate = () => new Script("");
  allocate();
  setInterval(allocate, ALLOCATE_MS).unref();
}

/**
 * Replaces the classes of the Fetch API. Koa asks of each body that is no text whether it is one of theirs,
 * for which Node loads that API's client and streams: 60 ms of the first request. No body here is one.
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
 * Disables core files of this process and its children: they would contain passwords and keys. The unit does
 * the same (LimitCORE=); this is for a service that was started by hand. It uses util-linux's prlimit and not
 * koffi, because koffi flushes standard error with fsync at the exit (lib/native/base/base.cc, FlushStd), and
 * hangs if that fails with an error other than EINVAL, as for a file on a failing disk. Never throws.
 */
async function forbidCoreDumps(log: Logger): Promise<void> {
  try {
    // Not started without need: starting a program takes a tenth of the time of the service's own start.
    if (/^Max core file size +0 /m.test(readFileSync("/proc/self/limits", "utf8"))) return;
    await promisify(execFile)("prlimit", ["--pid", String(process.pid), "--core=0:0"]);
  } catch (error) {
    log.warn({ err: error }, "core dumps are not disabled: prlimit does not run");
  }
}
