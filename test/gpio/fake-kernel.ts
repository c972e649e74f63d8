import type { Cancel } from "../../src/domain/clock.ts";
import type { DescriptorKeeper } from "../../src/gpio/kept-lines.ts";
import { type GpioKernel, SyscallError } from "../../src/gpio/kernel.ts";
import {
  GPIO_GET_CHIPINFO_IOCTL,
  GPIO_V2_GET_LINE_IOCTL,
  GPIO_V2_GET_LINEINFO_IOCTL,
  GPIO_V2_LINE_GET_VALUES_IOCTL,
  GPIO_V2_LINE_SET_CONFIG_IOCTL,
} from "../../src/gpio/uapi.ts";

const EVENT_BYTES = 48;
const ERRNO = { EPERM: 1, ENXIO: 6, EACCES: 13, EBUSY: 16, ENODEV: 19, EINVAL: 22, ENOTTY: 25 } as const;
type Errno = keyof typeof ERRNO;

export interface FakeLine {
  name: string;
  consumer: string;
  used: boolean;
  level: boolean;
  events: Uint8Array[];
  /** The bytes of the last request of this line. */
  requested: Uint8Array | null;
  /** The bytes of its last configuration, with which its edges begin. */
  configured: Uint8Array | null;
}

/** One line's event as the kernel writes it, by the offsets of linux/gpio.h. */
export function eventBytes(rising: boolean, lineSeqno: number, timestampNs: bigint): Uint8Array {
  const view = new DataView(new ArrayBuffer(EVENT_BYTES));
  view.setBigUint64(0, timestampNs, true);
  view.setUint32(8, rising ? 1 : 2, true);
  view.setUint32(16, lineSeqno, true);
  view.setUint32(20, lineSeqno, true);
  return new Uint8Array(view.buffer);
}

/** A kernel with one chip, gpiochip0, for situations that cannot be produced at will on a real one. */
export class FakeKernel implements GpioKernel {
  readonly lines: FakeLine[];
  readonly openDescriptors = new Set<number>();
  /** Fails the opening of the chip, or calls, with these codes. */
  openError: Errno | null = null;
  requestError: Errno | null = null;
  configError: Errno | null = null;
  hasV2 = true;
  gone = false;
  /** Runs just after a level was read. */
  afterLevel: () => void = () => {};
  /** Runs just after a line was configured. */
  afterConfig: () => void = () => {};
  readonly #chipPath = "/dev/gpiochip0";
  readonly #lineOf = new Map<number, FakeLine>();
  readonly #memoryOf = new Map<number, Uint8Array>();
  readonly #readers = new Map<number, (state: "readable" | "failed") => void>();
  readonly #nodeWatchers = new Set<() => void>();
  #nextFd = 100;

  constructor(names: readonly string[]) {
    this.lines = names.map((name) => ({
      name,
      consumer: "",
      used: false,
      level: false,
      events: [],
      requested: null,
      configured: null,
    }));
  }

  /** Puts an event into a line's buffer. */
  occur(offset: number, rising: boolean, lineSeqno: number, timestampNs = 0n): void {
    const line = this.line(offset);
    line.level = rising;
    line.events.push(eventBytes(rising, lineSeqno, timestampNs));
  }

  /** Wakes the reader of a line, as the event loop would. */
  wake(offset: number, state: "readable" | "failed" = "readable"): void {
    for (const [fd, callback] of this.#readers)
      if (this.#lineOf.get(fd) === this.line(offset)) callback(state);
  }

  /** The chip's device node changes, its mode for example. */
  touchNode(): void {
    for (const callback of [...this.#nodeWatchers]) callback();
  }

  /** Removes the chip without waking readers, as kernels before 6.6 do. */
  remove(): void {
    this.gone = true;
    this.touchNode();
  }

  line(offset: number): FakeLine {
    const line = this.lines[offset];
    if (line === undefined) throw new Error(`The fake chip has no line ${offset}.`);
    return line;
  }

  /** The line of a line's descriptor. */
  lineOf(fd: number): FakeLine | undefined {
    return this.#lineOf.get(fd);
  }

  chipPaths(): readonly string[] {
    return [this.#chipPath];
  }

  placeOf(): undefined {}

  open(): number {
    if (this.openError !== null) throw new SyscallError("open", ERRNO[this.openError]);
    return this.#allocate();
  }

  close(fd: number): void {
    if (!this.openDescriptors.delete(fd)) throw new Error(`The descriptor ${fd} is not open.`);
    const line = this.#lineOf.get(fd);
    this.#lineOf.delete(fd);
    this.#memoryOf.delete(fd);
    if (line !== undefined && ![...this.#lineOf.values()].includes(line)) {
      line.used = false;
      line.consumer = "";
      line.events = [];
    }
  }

  /** Duplicates a descriptor, as dup(2) and a message with descriptors do. */
  duplicate(fd: number): number {
    const copy = this.#allocate();
    const line = this.#lineOf.get(fd);
    const memory = this.#memoryOf.get(fd);
    if (line !== undefined) this.#lineOf.set(copy, line);
    if (memory !== undefined) this.#memoryOf.set(copy, memory);
    return copy;
  }

  /** Ends a process as SIGKILL does: closes every descriptor except these, without any callback. */
  kill(others: ReadonlySet<number>): void {
    this.#readers.clear();
    this.#nodeWatchers.clear();
    for (const fd of [...this.openDescriptors]) if (!others.has(fd)) this.close(fd);
  }

  createMemory(bytes: number): number {
    const fd = this.#allocate();
    this.#memoryOf.set(fd, new Uint8Array(bytes));
    return fd;
  }

  isMemory(fd: number): boolean {
    return this.#memoryOf.has(fd);
  }

  mapMemory(fd: number): Uint8Array {
    const memory = this.#memoryOf.get(fd);
    if (memory === undefined) throw new SyscallError("mmap", ERRNO.ENODEV);
    return memory;
  }

  ioctl(fd: number, request: number, argument: Uint8Array): void {
    const view = new DataView(argument.buffer, argument.byteOffset, argument.byteLength);
    if (this.gone) throw new SyscallError("ioctl", ERRNO.ENODEV);
    switch (request) {
      case GPIO_GET_CHIPINFO_IOCTL:
        argument.set(new TextEncoder().encode("gpiochip0"), 0);
        argument.set(new TextEncoder().encode("fake chip"), 32);
        view.setUint32(64, this.lines.length, true);
        return;
      case GPIO_V2_GET_LINEINFO_IOCTL: {
        if (!this.hasV2) throw new SyscallError("ioctl", ERRNO.EINVAL);
        const line = this.line(view.getUint32(64, true));
        argument.set(new TextEncoder().encode(line.name), 0);
        argument.set(new TextEncoder().encode(line.consumer), 32);
        view.setBigUint64(72, line.used ? 1n : 0n, true);
        return;
      }
      case GPIO_V2_GET_LINE_IOCTL: {
        if (this.requestError !== null) throw new SyscallError("ioctl", ERRNO[this.requestError]);
        const line = this.line(view.getUint32(0, true));
        if (line.used) throw new SyscallError("ioctl", ERRNO.EBUSY);
        line.used = true;
        line.consumer = new TextDecoder().decode(argument.subarray(256, 288)).replaceAll("\0", "");
        line.requested = argument.slice();
        line.configured = null;
        const lineFd = this.#allocate();
        this.#lineOf.set(lineFd, line);
        view.setInt32(588, lineFd, true);
        return;
      }
      case GPIO_V2_LINE_SET_CONFIG_IOCTL: {
        if (this.configError !== null) throw new SyscallError("ioctl", ERRNO[this.configError]);
        const line = this.#lineOf.get(fd);
        if (line !== undefined) line.configured = argument.slice();
        this.afterConfig();
        return;
      }
      case GPIO_V2_LINE_GET_VALUES_IOCTL:
        view.setBigUint64(0, this.#lineOf.get(fd)?.level === true ? 1n : 0n, true);
        this.afterLevel();
        return;
      default:
        throw new SyscallError("ioctl", ERRNO.ENOTTY);
    }
  }

  setNonBlocking(): void {}

  read(fd: number, into: Uint8Array): number {
    if (this.gone) throw new SyscallError("read", ERRNO.ENODEV);
    const events = this.#lineOf.get(fd)?.events.splice(0, Math.floor(into.length / EVENT_BYTES)) ?? [];
    for (const [index, event] of events.entries()) into.set(event, index * EVENT_BYTES);
    return events.length * EVENT_BYTES;
  }

  onReadable(fd: number, callback: (state: "readable" | "failed") => void): Cancel {
    this.#readers.set(fd, callback);
    return () => {
      this.#readers.delete(fd);
    };
  }

  onNodeChange(_path: string, callback: () => void): Cancel {
    this.#nodeWatchers.add(callback);
    return () => {
      this.#nodeWatchers.delete(callback);
    };
  }

  #allocate(): number {
    this.#nextFd += 1;
    this.openDescriptors.add(this.#nextFd);
    return this.#nextFd;
  }
}

/** A descriptor store like systemd's: it stores duplicates, and gives duplicates of them to each process. */
export class FakeKeeper implements DescriptorKeeper {
  readonly #kernel: FakeKernel;
  readonly #stored = new Map<string, number[]>();

  constructor(kernel: FakeKernel) {
    this.#kernel = kernel;
  }

  get names(): string[] {
    return [...this.#stored.keys()];
  }

  get descriptors(): ReadonlySet<number> {
    return new Set([...this.#stored.values()].flat());
  }

  take(): ReadonlyMap<string, readonly number[]> {
    // The order within a name is not guaranteed.
    const given = [...this.#stored].map(([name, fds]): [string, number[]] => [
      name,
      fds.map((fd) => this.#kernel.duplicate(fd)).reverse(),
    ]);
    return new Map(given);
  }

  keep(name: string, descriptors: readonly number[]): void {
    this.#stored.set(
      name,
      descriptors.map((fd) => this.#kernel.duplicate(fd)),
    );
  }

  forget(name: string): void {
    for (const fd of this.#stored.get(name) ?? []) this.#kernel.close(fd);
    this.#stored.delete(name);
  }

  /** Gives what is kept the names of another version. */
  rename(nameOf: (name: string) => string): void {
    const stored = [...this.#stored];
    this.#stored.clear();
    for (const [name, fds] of stored) this.#stored.set(nameOf(name), fds);
  }

  /** Loses one of the descriptors of the first name, as a full store does. */
  loseOne(): void {
    const [fds] = this.#stored.values();
    const fd = fds?.pop();
    if (fd !== undefined) this.#kernel.close(fd);
  }
}

/** Closes forgotten descriptors some time later, as systemd does. */
export class LateKeeper extends FakeKeeper {
  readonly #forgotten: string[] = [];

  override forget(name: string): void {
    this.#forgotten.push(name);
  }

  closeForgotten(): void {
    for (const name of this.#forgotten.splice(0)) super.forget(name);
  }
}
