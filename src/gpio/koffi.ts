import { closeSync, constants, openSync, readdirSync, readSync, watch } from "node:fs";
import { FlancoError } from "../domain/error.ts";
import type { GpioKernel } from "./kernel.ts";
import { SyscallError, syscallCode } from "./syscall.ts";
import type { Cancel } from "./timers.ts";

type Koffi = typeof import("koffi");
/** ioctl(2), whose third argument is passed as a variadic pair of type and value. */
type Ioctl = (fd: number, request: number, type: "void *", argument: Uint8Array) => number;

const DEVICE_FOLDER = "/dev";
const CHIP_NODE = /^gpiochip(\d+)$/;
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
    return new KoffiKernel(koffi, libc.func("int ioctl(int fd, unsigned long request, ...)"));
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

class KoffiKernel implements GpioKernel {
  readonly #koffi: Koffi;
  readonly #ioctl: Ioctl;

  constructor(koffi: Koffi, ioctl: Ioctl) {
    this.#koffi = koffi;
    this.#ioctl = ioctl;
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
    if (this.#ioctl(fd, request, "void *", argument) < 0) {
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
