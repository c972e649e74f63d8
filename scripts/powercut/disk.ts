import {
  closeSync,
  ftruncateSync,
  openSync,
  readFileSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { runCommand } from "../command.ts";
import { installFor } from "../debian.ts";
import type { CrashState } from "./crash-state.ts";
import type { WriteLog } from "./write-log.ts";

const MIB = 1024 * 1024;
/** Stretches of a disk that are written out, or left out where nothing was ever written. */
const CHUNK_BYTES = 64 * 1024;

/**
 * Makes an empty ext4 file system in a file of this machine, with everything written now that the kernel
 * would otherwise write later in the background. `content` names a folder that is copied into its root.
 */
export function makeDisk(file: string, sizeMib: number, content?: string): void {
  installFor("ext4 image");
  writeFileSync(file, "");
  truncateSync(file, sizeMib * MIB);
  runCommand([
    "mke2fs",
    ...["-q", "-F", "-t", "ext4", "-b", "4096", "-J", "size=4"],
    ...["-E", "lazy_itable_init=0,lazy_journal_init=0,nodiscard"],
    ...(content === undefined ? [] : ["-d", content]),
    file,
  ]);
}

/**
 * A disk in memory that is taken forward through its log. States must come in the order of the log: what
 * is on the medium for good is applied once.
 */
export class CrashedDisk {
  readonly #log: WriteLog;
  readonly #bytes: Buffer;
  /** Chunks that may hold something else than zeros. */
  readonly #used = new Set<number>();
  #applied = 0;

  /** `image` is the disk as it was before the log's first entry. */
  constructor(image: string, log: WriteLog) {
    this.#log = log;
    this.#bytes = readFileSync(image);
    for (let chunk = 0; chunk * CHUNK_BYTES < this.#bytes.length; chunk += 1) {
      const from = chunk * CHUNK_BYTES;
      if (this.#bytes.subarray(from, from + CHUNK_BYTES).some((byte) => byte !== 0)) this.#used.add(chunk);
    }
  }

  /** Writes the disk as `state` has it to a file. */
  write(state: CrashState, file: string): void {
    if (state.durable < this.#applied) throw new Error("States must come in the order of the log.");
    for (; this.#applied < state.durable; this.#applied += 1) {
      const entry = this.#log.entries[this.#applied];
      if (entry === undefined || entry.length === 0) continue;
      this.#log.dataOf(entry).copy(this.#bytes, entry.offset);
      const last = Math.floor((entry.offset + entry.length - 1) / CHUNK_BYTES);
      for (let chunk = Math.floor(entry.offset / CHUNK_BYTES); chunk <= last; chunk += 1)
        this.#used.add(chunk);
    }
    const descriptor = openSync(file, "w");
    try {
      ftruncateSync(descriptor, this.#bytes.length);
      for (const chunk of this.#used) {
        const from = chunk * CHUNK_BYTES;
        writeSync(descriptor, this.#bytes, from, Math.min(CHUNK_BYTES, this.#bytes.length - from), from);
      }
      for (const { entry, ranges } of state.fragments) {
        const write = this.#log.entries[entry];
        if (write === undefined) throw new Error(`The log has no entry ${entry}.`);
        const data = this.#log.dataOf(write);
        for (const [from, to] of ranges) {
          if (to > from) writeSync(descriptor, data, from, to - from, write.offset + from);
        }
      }
    } finally {
      closeSync(descriptor);
    }
  }
}
