import { closeSync } from "node:fs";
import { MINUTE_MS } from "../../domain/clock.ts";
import { FlancoError } from "../../domain/error.ts";
import type { Log } from "../../domain/log.ts";
import { type NotifySocket, openNotifySocket } from "./notify-socket.ts";

/** The process's environment, or any part of it. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The variables that systemd sets for this process alone.
 * They are to be removed, so that no child process uses them.
 */
export const OWN_VARIABLES = [
  "LISTEN_PID",
  "LISTEN_FDS",
  "LISTEN_FDNAMES",
  "WATCHDOG_PID",
  "WATCHDOG_USEC",
] as const;

/** Number of the first descriptor that systemd passes (SD_LISTEN_FDS_START of sd-daemon.h). */
const FIRST_DESCRIPTOR = 3;
/** By how much each sign of progress of a slow start extends the time that systemd allows. */
const EXTENSION_MS = MINUTE_MS;
const MICROSECONDS_PER_MILLISECOND = 1_000;
/**
 * After how long a message is sent again for which systemd's
 * socket had no room, and how many messages may wait for that.
 */
const RETRY_MS = 100;
const MAX_UNSENT = 1_024;
/**
 * FileDescriptorStoreMax of systemd/flanco.service. From
 * version 254 on, systemd passes the limit in force (FDSTORE).
 */
export const STORED_DESCRIPTORS = 1_024;

/**
 * Connects to systemd if it started this process (Type=notify). Undefined otherwise. Undefined
 * also where libc cannot be loaded, which is logged: then the service runs as without systemd.
 */
export async function connectSystemd(
  environment: Environment,
  pid: number,
  log: Log,
): Promise<Systemd | undefined> {
  const path = environment["NOTIFY_SOCKET"];
  if (path === undefined) return undefined;
  try {
    const socket = await openNotifySocket(path);
    const passed = passedDescriptors(environment, pid);
    for (const fd of [...passed.values()].flat()) socket.closeOnExec(fd);
    const storeSize = Number(environment["FDSTORE"] ?? STORED_DESCRIPTORS);
    return new Systemd(socket, log, passed, storeSize, watchdogMs(environment, pid));
  } catch (error) {
    if (!(error instanceof FlancoError)) throw error;
    log.warn({ err: error }, "running without systemd: a restart can miss edges");
    return undefined;
  }
}

/**
 * The systemd that started this process (sd_notify(3)), and its descriptor store, which holds duplicates
 * of descriptors while no process of the service runs. Sending never waits for systemd: while its socket
 * is full, signs of life and of progress are left out, and other messages are sent later, in their order.
 * A message that cannot be sent is logged and otherwise ignored: the ledger does not depend on it.
 */
export class Systemd {
  readonly #socket: NotifySocket;
  readonly #log: Log;
  #passed: ReadonlyMap<string, readonly number[]>;
  /** The longest time without a sign of life before systemd restarts the process; null for no bound. */
  readonly watchdogMs: number | null;
  readonly #storeSize: number;
  /** How many descriptors are stored under each name. */
  readonly #stored: Map<string, number>;
  #isFull = false;
  #unsent: Message[] = [];

  /**
   * `passed` are the stored descriptors that this process
   * received, by name; `storeSize` is how many can be stored.
   */
  constructor(
    socket: NotifySocket,
    log: Log,
    passed: ReadonlyMap<string, readonly number[]>,
    storeSize: number,
    watchdogMs: number | null,
  ) {
    this.#socket = socket;
    this.#log = log;
    this.#passed = passed;
    this.#stored = new Map([...passed].map(([name, descriptors]) => [name, descriptors.length]));
    this.#storeSize = storeSize;
    this.watchdogMs = watchdogMs;
  }

  /** The service has started. `status` is one line for `systemctl status`. */
  ready(status: string): void {
    this.#send([statusLine(status), "READY=1"]);
  }

  status(status: string): void {
    this.#sendNow([statusLine(status)]);
  }

  /** A slow start has made progress: extends the time that systemd allows for it. */
  starting(status: string): void {
    const microseconds = EXTENSION_MS * MICROSECONDS_PER_MILLISECOND;
    this.#sendNow([statusLine(status), `EXTEND_TIMEOUT_USEC=${microseconds}`]);
  }

  stopping(): void {
    this.#send(["STOPPING=1"]);
  }

  /** The sign of life that the watchdog waits for. */
  alive(): void {
    this.#sendNow(["WATCHDOG=1"]);
  }

  /** The descriptors that this process received, by name. The caller owns them; a second call returns nothing. */
  take(): ReadonlyMap<string, readonly number[]> {
    const passed = this.#passed;
    this.#passed = new Map();
    return passed;
  }

  /** Stores duplicates of descriptors until `forget`, or until the service or the machine is stopped. */
  keep(name: string, descriptors: readonly number[]): void {
    this.#send(["FDSTORE=1", `FDNAME=${name}`], descriptors);
    this.#stored.set(name, descriptors.length);
    this.#warnWhenFull();
  }

  forget(name: string): void {
    this.#send(["FDSTOREREMOVE=1", `FDNAME=${name}`]);
    this.#stored.delete(name);
  }

  /** Warns once the store is full: systemd drops further descriptors without an error. */
  #warnWhenFull(): void {
    const wanted = [...this.#stored.values()].reduce((sum, count) => sum + count, 0);
    if (this.#isFull || wanted <= this.#storeSize) return;
    this.#isFull = true;
    this.#log.warn(
      { stored: this.#storeSize },
      `systemd stores ${this.#storeSize} descriptors, which is too few for all lines: edges of the others are lost while the service restarts. ` +
        "Run systemctl edit flanco, write [Service] and FileDescriptorStoreMax= with two for each line, and restart the service.",
    );
  }

  /** Sends a message that the next one of its kind replaces. It is dropped while the socket is full. */
  #sendNow(assignments: readonly string[]): void {
    if (this.#unsent.length === 0) this.#isSent({ assignments, descriptors: [] });
  }

  #send(assignments: readonly string[], descriptors: readonly number[] = []): void {
    if (this.#unsent.length === 0 && this.#isSent({ assignments, descriptors })) return;
    if (this.#unsent.length === MAX_UNSENT) {
      this.#log.warn({ assignments }, "systemd could not be notified");
      return;
    }
    // The caller may close its descriptors meanwhile.
    this.#unsent.push({ assignments, descriptors: descriptors.map((fd) => this.#socket.duplicate(fd)) });
    if (this.#unsent.length === 1) this.#retry();
  }

  #retry(): void {
    setTimeout(() => {
      for (let [next] = this.#unsent; next !== undefined && this.#isSent(next); [next] = this.#unsent) {
        for (const fd of next.descriptors) closeSync(fd);
        this.#unsent.shift();
      }
      if (this.#unsent.length > 0) this.#retry();
    }, RETRY_MS).unref();
  }

  /** Sends a message; gives false while the socket is full. A message that fails otherwise is not sent again. */
  #isSent({ assignments, descriptors }: Message): boolean {
    try {
      return this.#socket.send(assignments.join("\n"), descriptors);
    } catch (error) {
      if (!(error instanceof FlancoError)) throw error;
      this.#log.warn({ err: error, assignments }, "systemd could not be notified");
      return true;
    }
  }
}

/** The assignments of a message, one a line, and its descriptors. */
interface Message {
  readonly assignments: readonly string[];
  readonly descriptors: readonly number[];
}

/** The text in one line, because a line break would begin another assignment. */
function statusLine(text: string): string {
  return `STATUS=${text.replaceAll(/\s+/g, " ")}`;
}

/** The descriptors that systemd passed to this process, by name (sd_listen_fds_with_names(3)). */
export function passedDescriptors(
  environment: Environment,
  pid: number,
): ReadonlyMap<string, readonly number[]> {
  const passed = new Map<string, number[]>();
  const count = Number(environment["LISTEN_FDS"] ?? 0);
  if (environment["LISTEN_PID"] !== String(pid) || !Number.isSafeInteger(count)) return passed;
  const names = (environment["LISTEN_FDNAMES"] ?? "").split(":");
  for (let index = 0; index < count; index += 1) {
    const name = names[index] ?? "unknown";
    passed.set(name, [...(passed.get(name) ?? []), FIRST_DESCRIPTOR + index]);
  }
  return passed;
}

/**
 * The longest time without a sign of life before systemd
 * restarts the process (sd_watchdog_enabled(3)), or null.
 */
export function watchdogMs(environment: Environment, pid: number): number | null {
  const watched = environment["WATCHDOG_PID"];
  const microseconds = Number(environment["WATCHDOG_USEC"] ?? 0);
  if (watched !== undefined && watched !== String(pid)) return null;
  return microseconds > 0 ? microseconds / MICROSECONDS_PER_MILLISECOND : null;
}
