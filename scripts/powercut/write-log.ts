import { closeSync, fstatSync, openSync, readSync } from "node:fs";

/** The first eight bytes of a log, little-endian (WRITE_LOG_MAGIC in dm-log-writes.c of Linux). */
const MAGIC = 0x6a736677736872n;
const VERSION = 1n;
const HEADER_BYTES = 32;
const FLUSH = 1n;
const FUA = 2n;
const DISCARD = 4n;

/** The unit in which a disk is addressed, and the most that a power cut leaves either old or new. */
export const SECTOR_BYTES = 512;

/** One thing that the guest asked of its disk. */
export interface LogEntry {
  /** First byte on the disk. */
  readonly offset: number;
  /** How many bytes were written or discarded; 0 for a flush alone. */
  readonly length: number;
  /** Where the written bytes are in the log; null where there are none. */
  readonly dataAt: number | null;
  /** Everything that was written before is on the medium. */
  readonly flush: boolean;
  /** This very write is on the medium. */
  readonly fua: boolean;
  /** Where the entry ends in the log, in bytes. */
  readonly endsAt: number;
}

/**
 * A log of a disk's writes in the format of Linux's dm-log-writes, as QEMU's blklogwrites driver makes it:
 * a superblock (magic, version, number of entries, sector size), then for each entry a sector of header (sector,
 * sectors, flags) and the data. QEMU makes none of the format's marks. An entry is in the log before the guest hears that it is
 * done.
 */
export class WriteLog {
  readonly entries: readonly LogEntry[];
  readonly #descriptor: number;

  private constructor(descriptor: number, entries: readonly LogEntry[]) {
    this.#descriptor = descriptor;
    this.entries = entries;
  }

  /** Reads the entries of a finished log. Throws when the file is not one. `close` closes it. */
  static open(file: string): WriteLog {
    const descriptor = openSync(file, "r");
    try {
      return new WriteLog(descriptor, readEntries(descriptor));
    } catch (error) {
      closeSync(descriptor);
      throw error;
    }
  }

  /** How many entries lay whole in the first `bytes` of the log. */
  entriesWithin(bytes: number): number {
    return this.entries.findLastIndex(({ endsAt }) => endsAt <= bytes) + 1;
  }

  /** The bytes that an entry wrote. A discarded stretch reads as zeros. */
  dataOf(entry: LogEntry): Buffer {
    const data = Buffer.alloc(entry.length);
    if (entry.dataAt !== null) readFully(this.#descriptor, data, entry.dataAt);
    return data;
  }

  close(): void {
    closeSync(this.#descriptor);
  }
}

function readEntries(descriptor: number): LogEntry[] {
  const header = Buffer.alloc(HEADER_BYTES);
  readFully(descriptor, header, 0);
  if (header.readBigUInt64LE(0) !== MAGIC || header.readBigUInt64LE(8) !== VERSION) {
    throw new Error("This is not a log of dm-log-writes, version 1.");
  }
  const count = Number(header.readBigUInt64LE(16));
  const sectorBytes = header.readUInt32LE(24);
  const fileBytes = fstatSync(descriptor).size;
  const entries: LogEntry[] = [];
  let at = sectorBytes;
  for (let index = 0; index < count; index += 1) {
    readFully(descriptor, header, at);
    const flags = header.readBigUInt64LE(16);
    const length = Number(header.readBigUInt64LE(8)) * sectorBytes;
    const hasData = length > 0 && (flags & DISCARD) === 0n;
    const dataAt = at + sectorBytes;
    const endsAt = dataAt + (hasData ? length : 0);
    if (endsAt > fileBytes) throw new Error(`Entry ${index} of the write log is cut off.`);
    entries.push({
      offset: Number(header.readBigUInt64LE(0)) * sectorBytes,
      length,
      dataAt: hasData ? dataAt : null,
      flush: (flags & FLUSH) !== 0n,
      fua: (flags & FUA) !== 0n,
      endsAt,
    });
    at = endsAt;
  }
  return entries;
}

function readFully(descriptor: number, target: Buffer, position: number): void {
  const bytes = readSync(descriptor, target, 0, target.length, position);
  if (bytes < target.length) throw new Error("The write log is cut off.");
}
