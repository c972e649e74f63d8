import { getSystemErrorName } from "node:util";
import { MINUTE_MS } from "../domain/clock.ts";
import { FlancoError } from "../domain/error.ts";
import type { Log } from "../domain/log.ts";

/** The process's environment, or any part of it. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The variables that systemd sets for this process alone. They are to be removed, so that no child process uses them. */
export const OWN_VARIABLES = [
  "LISTEN_PID",
  "LISTEN_FDS",
  "LISTEN_FDNAMES",
  "WATCHDOG_PID",
  "WATCHDOG_USEC",
] as const;

/** Number of the first descriptor that systemd passes (SD_LISTEN_FDS_START of sd-daemon.h). */
const FIRST_DESCRIPTOR = 3;
/** By how much a slow start extends systemd's patience, at each sign of progress. */
const EXTENSION_MS = MINUTE_MS;
const MICROSECONDS_PER_MILLISECOND = 1_000;
/** FileDescriptorStoreMax of systemd/flanco.service. From version 254 on, systemd passes the limit in force (FDSTORE). */
export const STORED_DESCRIPTORS = 1_024;

/**
 * Connects to systemd if it started this process (Type=notify). Undefined otherwise, and where its library does not
 * load: then the service runs as it would on a laptop, and the log says so.
 */
export async function connectSystemd(
  environment: Environment,
  pid: number,
  log: Log,
): Promise<Systemd | undefined> {
  if (environment["NOTIFY_SOCKET"] === undefined) return undefined;
  try {
    const library = await loadSystemdLibrary();
    const passed = passedDescriptors(environment, pid);
    for (const fd of [...passed.values()].flat()) library.closeOnExec(fd);
    const storeSize = Number(environment["FDSTORE"] ?? STORED_DESCRIPTORS);
    return new Systemd(library, log, passed, storeSize, watchdogMs(environment, pid));
  } catch (error) {
    if (!(error instanceof FlancoError)) throw error;
    log.warn({ err: error }, "running without systemd: a restart can miss edges");
    return undefined;
  }
}

/**
 * The systemd that started this process (sd_notify(3)), and its descriptor store, which holds duplicates of descriptors
 * while no process of the service runs. A message that cannot be sent is logged and otherwise ignored: the ledger does
 * not depend on it.
 */
export class Systemd {
  readonly #library: SystemdLibrary;
  readonly #log: Log;
  #passed: ReadonlyMap<string, readonly number[]>;
  /** The longest time without a sign of life before systemd restarts the process; null for no bound. */
  readonly watchdogMs: number | null;
  readonly #storeSize: number;
  /** How many descriptors are stored under each name. */
  readonly #stored: Map<string, number>;
  #isFull = false;

  /** `passed` are the stored descriptors that this process received, by name; `storeSize` is how many can be stored. */
  constructor(
    library: SystemdLibrary,
    log: Log,
    passed: ReadonlyMap<string, readonly number[]>,
    storeSize: number,
    watchdogMs: number | null,
  ) {
    this.#library = library;
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
    this.#send([statusLine(status)]);
  }

  /** A slow start has made progress: extends the time that systemd allows for it. */
  starting(status: string): void {
    const microseconds = EXTENSION_MS * MICROSECONDS_PER_MILLISECOND;
    this.#send([statusLine(status), `EXTEND_TIMEOUT_USEC=${microseconds}`]);
  }

  stopping(): void {
    this.#send(["STOPPING=1"]);
  }

  /** The sign of life that the watchdog waits for. */
  alive(): void {
    this.#send(["WATCHDOG=1"]);
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

  /** systemd drops what exceeds its store without a word. */
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

  #send(assignments: readonly string[], descriptors: readonly number[] = []): void {
    try {
      this.#library.notify(assignments.join("\n"), descriptors);
    } catch (error) {
      if (!(error instanceof FlancoError)) throw error;
      this.#log.warn({ err: error, assignments }, "systemd could not be notified");
    }
  }
}

/** On one line, because a line break would begin another assignment. */
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

/** The longest time without a sign of life before systemd restarts the process (sd_watchdog_enabled(3)), or null. */
export function watchdogMs(environment: Environment, pid: number): number | null {
  const watched = environment["WATCHDOG_PID"];
  const microseconds = Number(environment["WATCHDOG_USEC"] ?? 0);
  if (watched !== undefined && watched !== String(pid)) return null;
  return microseconds > 0 ? microseconds / MICROSECONDS_PER_MILLISECOND : null;
}

/** sd_pid_notify_with_fds(3): pid 0 is this process, the state has one assignment per line. */
type Notify = (
  pid: 0,
  unsetEnvironment: 0,
  state: string,
  descriptors: Int32Array,
  descriptorCount: number,
) => number;
type Ioctl = (fd: number, request: number) => number;

/** asm-generic/ioctls.h: sets close-on-exec; the same on x86-64 and arm64. */
const FIOCLEX = 0x5451;

/** The functions of libsystemd and libc that this folder needs. */
interface SystemdLibrary {
  /** Sends one message, with descriptors. Throws `unavailable`, with the system's code, when that fails. */
  notify(state: string, descriptors: readonly number[]): void;
  /** Closes a descriptor in programs that this process starts. */
  closeOnExec(fd: number): void;
}

/** Loads libsystemd through koffi. Throws `unavailable` where either is missing, as in a container's image. */
async function loadSystemdLibrary(): Promise<SystemdLibrary> {
  try {
    const koffi = await import("koffi");
    const notify: Notify = koffi
      .load("libsystemd.so.0")
      .func(
        "int sd_pid_notify_with_fds(int pid, int unset, const char *state, const int *fds, unsigned int count)",
      );
    const ioctl: Ioctl = koffi.load("libc.so.6").func("int ioctl(int fd, unsigned long request)");
    return {
      notify: (state, descriptors) => {
        const result = notify(0, 0, state, Int32Array.from(descriptors), descriptors.length);
        if (result < 0) {
          throw new FlancoError("unavailable", `systemd cannot be notified (${getSystemErrorName(result)}).`);
        }
      },
      closeOnExec: (fd) => void ioctl(fd, FIOCLEX),
    };
  } catch (error) {
    throw new FlancoError("unavailable", "systemd cannot be notified: libsystemd does not load.", {
      hint: "Install the package libsystemd0, then restart flanco.",
      cause: error,
    });
  }
}
