import { closeSync, constants, fstatSync, openSync, readdirSync, readSync, watch, writeSync } from "node:fs";
import { FlancoError } from "../domain/error.ts";
import type { GpioKernel } from "./kernel.ts";
import { SyscallError, syscallCode } from "./syscall.ts";
import type { Cancel } from "./timers.ts";

type Koffi = typeof import("koffi");
/** ioctl(2), whose third argument is passed as a variadic pair of type and value. */
type Ioctl = (fd: number, request: number, type: "void *", argument: Uint8Array) => number;

const DEVICE_FOLDER = "/dev";
const CHIP_NODE = /^gpiochip(\d+)$/;
type MemfdCreate = (name: string, flags: number) => number;
/** mmap(2); the address comes as a number, MAP_FAILED as all ones. */
type Mmap = (
  address: null,
  bytes: number,
  protection: number,
  flags: number,
  fd: number,
  offset: number,
) => bigint;

/** linux/memfd.h. */
const MFD_CLOEXEC = 1;
/** PROT_READ | PROT_WRITE of asm-generic/mman-common.h. */
const PROT_READ_WRITE = 3;
/** linux/mman.h. */
const MAP_SHARED = 1;
const MAP_FAILED = 0xffff_ffff_ffff_ffffn;
/** asm-generic/ioctls.h: the same on x86-64 and arm64. */
const FIONBIO = 0x5421;

/**
 * Loads koffi. It is imported here alone, and only when a driver asks, so that nobody else pays for it.
 * Throws `unavailable` where koffi has no binary for this machine.
 */
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
      {
        hint: "Install again with npm ci, without --omit=optional.",
        cause: error,
      },
    );
  }
}

interface Libc {
  readonly ioctl: Ioctl;
  readonly memfdCreate: MemfdCreate;
  readonly mmap: Mmap;
}

class KoffiKernel implements GpioKernel {
  readonly #koffi: Koffi;
  readonly #libc: Libc;

  constructor(koffi: Koffi, libc: Libc) {
    this.#koffi = koffi;
    this.#libc = libc;
  }

  chipPaths(): readonly string[] {
    // Symbolic links are left out: a Pi 5 has /dev/gpiochip4 as a second name of its first chip.
    return readdirSync(DEVICE_FOLDER, { withFileTypes: true })
      .filter((entry) => entry.isCharacterDevice() && CHIP_NODE.test(entry.name))
      .map((entry) => entry.name)
      .sort((a, b) => chipNumber(a) - chipNumber(b))
      .map((name) => `${DEVICE_FOLDER}/${name}`);
  }

  open(path: string): number {
    return openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  }

  close(fd: number): void {
    closeSync(fd);
  }

  ioctl(fd: number, request: number, argument: Uint8Array): void {
    if (this.#libc.ioctl(fd, request, "void *", argument) < 0) {
      throw new SyscallError("ioctl", this.#koffi.errno());
    }
  }

  setNonBlocking(fd: number): void {
    this.ioctl(fd, FIONBIO, new Uint8Array(new Int32Array([1]).buffer));
  }

  read(fd: number, into: Uint8Array): number {
    try {
      return readSync(fd, into);
    } catch (error) {
      if (syscallCode(error) === "EAGAIN") return 0;
      throw error;
    }
  }

  /**
   * Through libuv's own epoll, so that waiting takes neither a thread nor a timer. koffi calls back
   * with (status, events), unlike its declaration says, and outside any scope of Node's: promises that
   * the callback settled would wait for the next turn, and what it throws would be lost. Hence the
   * hop over setImmediate, which runs in the same turn of the loop.
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

  createMemory(bytes: number): number {
    const fd = this.#libc.memfdCreate("flanco-events", MFD_CLOEXEC);
    if (fd < 0) throw new SyscallError("memfd_create", this.#koffi.errno());
    try {
      // Written, not only sized: a page that cannot be had must fail here, not under the kernel's hands.
      writeSync(fd, new Uint8Array(bytes));
    } catch (error) {
      closeSync(fd);
      throw error;
    }
    return fd;
  }

  isMemory(fd: number): boolean {
    return fstatSync(fd).isFile();
  }

  /** Never unmapped: a line is mapped once in a process's life, and a view must not outlive its pages. */
  mapMemory(fd: number, bytes: number): Uint8Array {
    if (fstatSync(fd).size < bytes) throw new FlancoError("internal", "A line's kept memory is too small.");
    const address = this.#libc.mmap(null, bytes, PROT_READ_WRITE, MAP_SHARED, fd, 0);
    if (address === MAP_FAILED) throw new SyscallError("mmap", this.#koffi.errno());
    return new Uint8Array(this.#koffi.view(address, bytes));
  }

  onNodeChange(path: string, callback: () => void): Cancel {
    try {
      const watcher = watch(path, { persistent: false }, () => callback());
      watcher.on("error", () => callback());
      return () => watcher.close();
    } catch {
      // Out of inotify watches: a line that is watched without hearing of its chip's end beats no line.
      return () => {};
    }
  }
}

function chipNumber(name: string): number {
  return Number(CHIP_NODE.exec(name)?.[1] ?? 0);
}
