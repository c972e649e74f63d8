import type { Cancel } from "./timers.ts";

/** The system calls that the drivers need, so that tests can stand in for the kernel. */
export interface GpioKernel {
  /** The paths of the chips' character devices, in order of number. Empty where there is none. */
  chipPaths(): readonly string[];
  /** Opens a character device. Throws an error with a system code (`EACCES`). */
  open(path: string): number;
  close(fd: number): void;
  /** ioctl(2): `argument` is read and written in place. Throws a SyscallError. */
  ioctl(fd: number, request: number, argument: Uint8Array): void;
  /** Makes read(2) on the descriptor answer at once. */
  setNonBlocking(fd: number): void;
  /** read(2) on a non-blocking descriptor: the number of bytes, 0 when nothing waits. */
  read(fd: number, into: Uint8Array): number;
  /**
   * Calls back on the event loop each time it finds the descriptor readable (level-triggered), and
   * with `failed` at most once, after which it watches no more. Cancel before closing the descriptor.
   */
  onReadable(fd: number, callback: (state: "readable" | "failed") => void): Cancel;
  /** Makes zeroed memory that lives as long as its descriptor is open somewhere: memfd_create(2). */
  createMemory(bytes: number): number;
  /** Whether a descriptor is one of `createMemory`. */
  isMemory(fd: number): boolean;
  /** The memory itself, shared with everybody who maps it, also when its descriptor is closed here. */
  mapMemory(fd: number, bytes: number): Uint8Array;
  /** Calls back when the device node at `path` changes or goes. Spurious calls are possible. */
  onNodeChange(path: string, callback: () => void): Cancel;
}
