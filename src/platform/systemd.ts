import { closeSync } from "node:fs";
import { constants } from "node:os";
import { MINUTE_MS } from "../domain/clock.ts";
import { FlancoError } from "../domain/error.ts";
import type { Log } from "../domain/log.ts";

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
    return new Systemd(socket, log, passed, watchdogMs(environment, pid));
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
  #unsent: Message[] = [];

  /** `passed` are the stored descriptors that this process received, by name. */
  constructor(
    socket: NotifySocket,
    log: Log,
    passed: ReadonlyMap<string, readonly number[]>,
    watchdogMs: number | null,
  ) {
    this.#socket = socket;
    this.#log = log;
    this.#passed = passed;
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
  }

  forget(name: string): void {
    this.#send(["FDSTOREREMOVE=1", `FDNAME=${name}`]);
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

/** sys/socket.h and asm-generic/ioctls.h of Linux; the same on x86-64 and arm64. */
const AF_UNIX = 1;
const SOCK_DGRAM = 2;
const SOCK_CLOEXEC = 0x8_0000;
const SOL_SOCKET = 1;
const SCM_RIGHTS = 1;
const MSG_DONTWAIT = 0x40;
const MSG_NOSIGNAL = 0x4000;
const FIOCLEX = 0x5451;
/** struct sockaddr_un: the family, then the path. */
const FAMILY_BYTES = 2;
const MAX_PATH_BYTES = 108;
/** struct cmsghdr: length, level, type; what follows is a multiple of a word. */
const CONTROL_HEADER_BYTES = 16;
const WORD_BYTES = 8;
const FD_BYTES = 4;

/** A socket for sd_notify(3), and the calls on its descriptors. */
export type NotifySocket = Awaited<ReturnType<typeof openNotifySocket>>;

/**
 * Opens a socket to `path`, or to an abstract name after `@`. It calls libc, because
 * libsystemd's calls wait while the socket is full, and Node has no Unix datagrams.
 * Throws `unavailable` where koffi or libc is missing, as in a container's image.
 */
export async function openNotifySocket(path: string) {
  try {
    const koffi = await import("koffi");
    const libc = koffi.load("libc.so.6");
    const socket: (domain: number, type: number, protocol: number) => number = libc.func(
      "int socket(int domain, int type, int protocol)",
    );
    const dup: (fd: number) => number = libc.func("int dup(int fd)");
    const ioctl: (fd: number, request: number) => number = libc.func(
      "int ioctl(int fd, unsigned long request)",
    );
    const part = koffi.struct({ base: "void *", bytes: "size_t" });
    const header = koffi.struct({
      name: "void *",
      nameBytes: "uint32_t",
      parts: koffi.pointer(part),
      partCount: "size_t",
      control: "void *",
      controlBytes: "size_t",
      flags: "int",
    });
    const sendmsg: (fd: number, message: object, flags: number) => number = libc.func("sendmsg", "int64_t", [
      "int",
      koffi.pointer(header),
      "int",
    ]);
    const name = addressOf(path);
    const own = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    /** Closes a descriptor in programs that this process starts. */
    const closeOnExec = (fd: number) => void ioctl(fd, FIOCLEX);
    return {
      /**
       * Sends one message, with descriptors, without waiting. False
       * while there is no room. Throws `unavailable` when it fails.
       */
      send: (state: string, descriptors: readonly number[]): boolean => {
        const text = Buffer.from(state);
        const control = controlOf(descriptors);
        const message = {
          name,
          nameBytes: name.length,
          parts: [{ base: text, bytes: text.length }],
          partCount: 1,
          control: control.length === 0 ? null : control,
          controlBytes: control.length,
          flags: 0,
        };
        if (Number(sendmsg(own, message, MSG_DONTWAIT | MSG_NOSIGNAL)) >= 0) return true;
        const errno = koffi.errno();
        if (errno === constants.errno.EAGAIN || errno === constants.errno.ENOBUFS) return false;
        throw new FlancoError("unavailable", `systemd cannot be notified (error ${errno}).`);
      },
      duplicate: (fd: number): number => {
        const copy = dup(fd);
        closeOnExec(copy);
        return copy;
      },
      closeOnExec,
    };
  } catch (error) {
    throw new FlancoError("unavailable", "systemd cannot be notified: libc does not load.", { cause: error });
  }
}

/** struct sockaddr_un. An abstract name begins with a zero byte and has its length alone for its end. */
function addressOf(path: string): Buffer {
  const text = Buffer.from(path.startsWith("@") ? `\0${path.slice(1)}` : `${path}\0`);
  if (text.length > MAX_PATH_BYTES) throw new FlancoError("unavailable", "NOTIFY_SOCKET is too long.");
  const family = Buffer.alloc(FAMILY_BYTES);
  family.writeUInt16LE(AF_UNIX);
  return Buffer.concat([family, text]);
}

/** A control message with descriptors (SCM_RIGHTS); empty without any. */
function controlOf(descriptors: readonly number[]): Buffer {
  if (descriptors.length === 0) return Buffer.alloc(0);
  const bytes = CONTROL_HEADER_BYTES + descriptors.length * FD_BYTES;
  const control = Buffer.alloc(Math.ceil(bytes / WORD_BYTES) * WORD_BYTES);
  control.writeBigUInt64LE(BigInt(bytes), 0);
  control.writeInt32LE(SOL_SOCKET, 8);
  control.writeInt32LE(SCM_RIGHTS, 12);
  for (const [index, fd] of descriptors.entries()) {
    control.writeInt32LE(fd, CONTROL_HEADER_BYTES + index * FD_BYTES);
  }
  return control;
}

export interface WatchdogDependencies {
  readonly systemd: Pick<Systemd, "alive">;
  /** The longest time without a sign of life before systemd restarts the process. */
  readonly limitMs: number;
  /**
   * Resolves when a test of the service succeeded. Rejects,
   * or does not resolve, when the service does not work.
   */
  readonly probe: () => Promise<void>;
  /** Called with the error of a failed probe. */
  readonly onSilence: (error: unknown) => void;
}

/**
 * Gives systemd two signs of life within its limit, each after a successful
 * probe. A blocked event loop gives none. Returns the function that ends it.
 */
export function feedWatchdog({ systemd, limitMs, probe, onSilence }: WatchdogDependencies): () => void {
  let probing = false;
  let ended = false;
  const check = async () => {
    // A second probe would only queue behind the first.
    if (probing) return;
    probing = true;
    try {
      await probe();
      if (!ended) systemd.alive();
    } catch (error) {
      onSilence(error);
    } finally {
      probing = false;
    }
  };
  const timer = setInterval(() => void check(), limitMs / 2).unref();
  void check();
  return () => {
    ended = true;
    clearInterval(timer);
  };
}
