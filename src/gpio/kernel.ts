import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  watch,
  writeSync,
} from "node:fs";
import { basename, dirname } from "node:path";
import { getSystemErrorName } from "node:util";
import type { Cancel } from "../domain/clock.ts";
import { FlancoError, systemCode } from "../domain/error.ts";
import type { ChipInfo, LineInfo } from "../domain/line.ts";
import { describeLine, inUseError, placeOf } from "./address.ts";
import {
  CHIP_INFO_BYTES,
  decodeChipInfo,
  decodeLineInfo,
  encodeLineInfoQuery,
  GPIO_GET_CHIPINFO_IOCTL,
  GPIO_V2_GET_LINEINFO_IOCTL,
  type LineInfoStruct,
} from "./uapi.ts";

/** The system calls that the drivers need, so that tests can stand in for the kernel. */
export type GpioKernel = Pick<KoffiKernel, keyof KoffiKernel>;

/** A failed system call, with the code that Node's own errors carry (`EBUSY`). */
export class SyscallError extends Error {
  override readonly name = "SyscallError";
  readonly code: string;

  /** `errno` is positive, as the kernel defines it. */
  constructor(call: string, errno: number) {
    const code = getSystemErrorName(-errno);
    super(`${call}: ${code}`);
    this.code = code;
  }
}

/** Whether the kernel denied access: EACCES or EPERM. */
function isDenied(error: unknown): boolean {
  const code = systemCode(error);
  return code === "EACCES" || code === "EPERM";
}

type Koffi = typeof import("koffi");

interface Libc {
  /** The third argument is variadic in C: koffi takes it as a pair of type and value. */
  readonly ioctl: (fd: number, request: number, type: "void *", argument: Uint8Array) => number;
  readonly memfdCreate: (name: string, flags: number) => number;
  /** The address comes as a number, MAP_FAILED as all ones. */
  readonly mmap: (
    address: null,
    bytes: number,
    protection: number,
    flags: number,
    fd: number,
    offset: number,
  ) => bigint;
}

/** Loads koffi, only when a driver needs it. Throws `unavailable` where it has no binary for this machine. */
export async function loadKernel(): Promise<GpioKernel> {
  try {
    const koffi = await import("koffi");
    const libc = koffi.load("libc.so.6");
    return new KoffiKernel(koffi, {
      ioctl: libc.func("int ioctl(int fd, unsigned long request, ...)"),
      memfdCreate: libc.func("int memfd_create(const char *name, unsigned int flags)"),
      mmap: libc.func(
        "void *mmap(void *address, size_t bytes, int protection, int flags, int fd, int64_t offset)",
      ),
    });
  } catch (error) {
    throw new FlancoError(
      "unavailable",
      "The kernel's GPIO interface cannot be called: koffi does not load.",
      { hint: "Install again with npm ci, without --omit=optional.", cause: error },
    );
  }
}

const DEVICE_FOLDER = "/dev";
const CHIP_NODE = /^gpiochip(\d+)$/;
/** linux/memfd.h. */
const MFD_CLOEXEC = 1;
/** PROT_READ | PROT_WRITE of asm-generic/mman-common.h. */
const PROT_READ_WRITE = 3;
/** linux/mman.h. */
const MAP_SHARED = 1;
const MAP_FAILED = 0xffff_ffff_ffff_ffffn;
/** asm-generic/ioctls.h: the same on x86-64 and arm64. */
const FIONBIO = 0x5421;

class KoffiKernel {
  readonly #koffi: Koffi;
  readonly #libc: Libc;

  constructor(koffi: Koffi, libc: Libc) {
    this.#koffi = koffi;
    this.#libc = libc;
  }

  /** The paths of the chips' character devices, in order of number. Empty where there is none. */
  chipPaths(): readonly string[] {
    // Symbolic links are left out: a Pi 5 has /dev/gpiochip4 as a second name of its first chip.
    return readdirSync(DEVICE_FOLDER, { withFileTypes: true })
      .filter((entry) => entry.isCharacterDevice() && CHIP_NODE.test(entry.name))
      .map((entry) => entry.name)
      .sort((a, b) => chipNumber(a) - chipNumber(b))
      .map((name) => `${DEVICE_FOLDER}/${name}`);
  }

  /** Where the chip of a path is; undefined where sysfs does not show it. */
  placeOf(path: string): string | undefined {
    try {
      return placeOf(dirname(realpathSync(`/sys/bus/gpio/devices/${basename(path)}`)));
    } catch {
      // Without sysfs, chips with one label cannot be told apart: their unnamed lines are refused.
      return undefined;
    }
  }

  /** Opens a character device. Throws an error with a system code (`EACCES`). */
  open(path: string): number {
    return openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  }

  close(fd: number): void {
    closeSync(fd);
  }

  /** ioctl(2): `argument` is read and written in place. Throws a SyscallError. */
  ioctl(fd: number, request: number, argument: Uint8Array): void {
    if (this.#libc.ioctl(fd, request, "void *", argument) < 0) {
      throw new SyscallError("ioctl", this.#koffi.errno());
    }
  }

  /** Makes read(2) on the descriptor return at once. */
  setNonBlocking(fd: number): void {
    this.ioctl(fd, FIONBIO, new Uint8Array(new Int32Array([1]).buffer));
  }

  /** read(2) on a non-blocking descriptor: the number of bytes, 0 when there are none to read. */
  read(fd: number, into: Uint8Array): number {
    try {
      return readSync(fd, into);
    } catch (error) {
      if (systemCode(error) === "EAGAIN") return 0;
      throw error;
    }
  }

  /**
   * Calls back on the event loop as long as the descriptor is readable (level-triggered).
   * `failed` comes at most once and is the last call. Cancel before closing the descriptor.
   *
   * Through libuv's own epoll, so that waiting takes neither a thread nor a timer. koffi
   * calls back with (status, events), not as its declaration says, and outside any scope of
   * Node's: promises that the callback settled would wait for the next turn, and its errors
   * would be lost. Hence the hop over setImmediate, which runs in the same turn of the loop.
   */
  onReadable(fd: number, callback: (state: "readable" | "failed") => void): Cancel {
    let hop: NodeJS.Immediate | null = null;
    let failed = false;
    const handle = this.#koffi.node.poll(fd, { readable: true }, (...outcome: readonly unknown[]) => {
      const [status] = outcome;
      // libuv gives a negative status for POLLERR without POLLPRI, and has stopped by then.
      if (typeof status === "number" && status < 0) failed = true;
      hop ??= setImmediate(() => {
        hop = null;
        callback(failed ? "failed" : "readable");
      });
    });
    return () => {
      handle.close();
      if (hop !== null) clearImmediate(hop);
      hop = null;
    };
  }

  /** Creates zeroed memory that exists while any process has its descriptor open: memfd_create(2). */
  createMemory(bytes: number): number {
    const fd = this.#libc.memfdCreate("flanco-events", MFD_CLOEXEC);
    if (fd < 0) throw new SyscallError("memfd_create", this.#koffi.errno());
    try {
      // Written, not only sized: a lack of memory must show here,
      // not at an access to the mapping, which would kill us.
      writeSync(fd, new Uint8Array(bytes));
    } catch (error) {
      closeSync(fd);
      throw error;
    }
    return fd;
  }

  /** Whether a descriptor is one of `createMemory`. */
  isMemory(fd: number): boolean {
    return fstatSync(fd).isFile();
  }

  /**
   * Maps memory, shared with every other mapping of it. The mapping outlives the descriptor, and is
   * never unmapped: a process maps each line once, and the returned array must not outlive its pages.
   */
  mapMemory(fd: number, bytes: number): Uint8Array {
    if (fstatSync(fd).size < bytes) throw new FlancoError("internal", "A line's kept memory is too small.");
    const address = this.#libc.mmap(null, bytes, PROT_READ_WRITE, MAP_SHARED, fd, 0);
    if (address === MAP_FAILED) throw new SyscallError("mmap", this.#koffi.errno());
    return new Uint8Array(this.#koffi.view(address, bytes));
  }

  /** Calls back when the device node at `path` changes or is removed. Spurious calls are possible. */
  onNodeChange(path: string, callback: () => void): Cancel {
    try {
      const watcher = watch(path, { persistent: false }, () => callback());
      watcher.on("error", () => callback());
      return () => watcher.close();
    } catch {
      // Out of inotify watches. The line still works; only the removal of its chip may go unnoticed.
      return () => {};
    }
  }
}

function chipNumber(name: string): number {
  return Number(CHIP_NODE.exec(name)?.[1] ?? 0);
}

/** The holder of a line that is in use by a program which gave no label. */
const UNNAMED_HOLDER = "an unnamed user";

/**
 * Every chip that has a character device, with lines and holders. Chips that may not be opened are left out,
 * but if none may be opened that is an error. Throws `unavailable`: access denied, or a kernel before 5.10.
 */
export function readChips(kernel: GpioKernel): ChipInfo[] {
  const chips: ChipInfo[] = [];
  let denied: unknown = null;
  for (const path of kernel.chipPaths()) {
    try {
      chips.push(readChip(kernel, path));
    } catch (error) {
      // The chip was removed between the listing and its opening.
      if (systemCode(error) === "ENOENT" || systemCode(error) === "ENODEV") continue;
      if (!isDenied(error)) throw error;
      denied = error;
    }
  }
  if (chips.length === 0 && denied !== null) throw deniedError(denied);
  return chips;
}

/** One chip with lines and holders. Throws `unavailable` as readChips does, and system errors. */
export function readChip(kernel: GpioKernel, path: string): ChipInfo {
  const fd = kernel.open(path);
  try {
    const bytes = new Uint8Array(CHIP_INFO_BYTES);
    kernel.ioctl(fd, GPIO_GET_CHIPINFO_IOCTL, bytes);
    const chip = decodeChipInfo(bytes);
    const lines = Array.from({ length: chip.lines }, (_, offset) => {
      const { name, consumer, used } = readLineInfo(kernel, fd, offset);
      const holder = consumer === "" ? UNNAMED_HOLDER : consumer;
      return {
        chip: chip.name,
        offset,
        name: name === "" ? null : name,
        holder: used ? holder : null,
      };
    });
    const place = kernel.placeOf(path);
    return { name: chip.name, label: chip.label, ...(place === undefined ? {} : { place }), lines };
  } finally {
    kernel.close(fd);
  }
}

/** The device node of a chip. */
export function devicePath(chip: string): string {
  return `/dev/${chip}`;
}

/**
 * What a system error of a call for one line means: access is denied, `holder` has the line, or,
 * for any other code, that the kernel cannot do `what` with it. Gives back what is no system error.
 */
export function refusalOf(
  error: unknown,
  line: LineInfo,
  what: string,
  holder: () => string | null,
): unknown {
  if (isDenied(error)) return deniedError(error);
  const code = systemCode(error);
  if (code === undefined) return error;
  if (code === "EBUSY") return inUseError(line, holder(), error);
  return new FlancoError("unavailable", `The kernel cannot ${what} ${describeLine(line)} (${code}).`, {
    cause: error,
  });
}

/** The error for a device that this user may not open. */
function deniedError(cause: unknown): FlancoError {
  return new FlancoError("unavailable", "The kernel denies this user access to the GPIO lines.", {
    hint: "Add the user that runs flanco to the group gpio (usermod -aG gpio USER) and start it again.",
    cause,
  });
}

function readLineInfo(kernel: GpioKernel, fd: number, offset: number): LineInfoStruct {
  const bytes = encodeLineInfoQuery(offset);
  try {
    kernel.ioctl(fd, GPIO_V2_GET_LINEINFO_IOCTL, bytes);
  } catch (error) {
    // A kernel without this call answers EINVAL (the GPIO core) or ENOTTY (a shim).
    if (systemCode(error) !== "EINVAL" && systemCode(error) !== "ENOTTY") throw error;
    throw new FlancoError(
      "unavailable",
      "This kernel lacks the GPIO interface v2 (Linux 5.10 and later have it).",
      { hint: "Use FLANCO_GPIO_DRIVER=sysfs.", cause: error },
    );
  }
  return decodeLineInfo(bytes);
}
