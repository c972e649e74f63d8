import { randomBytes } from "node:crypto";
import { renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import DatabaseConstructor from "better-sqlite3";
import { type ErrorData, errorToData, systemCode } from "../../domain/error.ts";
import { OWNER_ONLY, syncPath } from "../../platform/durable-file.ts";
import { freeBytesOf } from "../safety/file-copy.ts";

/** How often a full disk is asked for room again. */
const RETRY_MS = 1_000;

/** Room for some tens of thousands of edges. */
export const RESERVE_BYTES = 4 * 1024 * 1024;
/** Free space beyond the reserve without which it is not made: making it must not fill the disk. */
const MARGIN_BYTES = 512 * 1024;
const NO_ROOM: ReadonlySet<string | undefined> = new Set(["ENOSPC", "EDQUOT"]);

/** Bytes of the small write that asks the disk for room: as much as a commit's last page may have asked for. */
const PROBE_BYTES = 64 * 1024;

/** The disk has no room: nothing was written, and the same write may succeed later. */
export function isFull(error: unknown): boolean {
  const code = sqliteCode(error);
  // The index of the log could not grow: SQLite gives no other name to ENOSPC there.
  return code === "SQLITE_FULL" || code === "SQLITE_IOERR_SHMSIZE";
}

/**
 * The disk fails, or the file's content is not what was written. After a
 * failed fsync the kernel marks pages as clean that never reached the disk, so
 * a second attempt would succeed without writing them. The process must end.
 */
export function isFailing(error: unknown): boolean {
  const code = sqliteCode(error) ?? "";
  return /^SQLITE_(IOERR|CORRUPT|NOTADB)/.test(code) && !isFull(error);
}

/** SQLite cannot make sense of a file. */
export function isDamage(error: unknown): boolean {
  return /^SQLITE_(CORRUPT|NOTADB)/.test(sqliteCode(error) ?? "");
}

/**
 * SQLite reports a quota that is used up (EDQUOT) as SQLITE_IOERR_WRITE, as if the disk failed, though
 * room may come back. So after that error a small write of our own asks the disk, and EDQUOT becomes
 * SQLITE_FULL. Every other error is given back. `probe` gives the code that the small write fails with.
 */
export function namedByDisk(
  error: unknown,
  directory: string,
  probe: (directory: string) => string | undefined = refusalOf,
): unknown {
  if (sqliteCode(error) !== "SQLITE_IOERR_WRITE" || probe(directory) !== "EDQUOT") return error;
  return new DatabaseConstructor.SqliteError("The quota is used up.", "SQLITE_FULL");
}

/** The code that a small write to a directory fails with; undefined where it succeeds. */
function refusalOf(directory: string): string | undefined {
  const file = join(directory, "probe");
  try {
    writeFileSync(file, Buffer.alloc(PROBE_BYTES, 1));
    return undefined;
  } catch (error) {
    return systemCode(error);
  } finally {
    try {
      rmSync(file, { force: true });
    } catch {
      // A file system that was made read-only keeps what is there; the next probe writes over it.
    }
  }
}

/** SQLite's code of an error, or of what caused it; undefined when it has none. */
function sqliteCode(error: unknown): string | undefined {
  if (error instanceof DatabaseConstructor.SqliteError) return error.code;
  return error instanceof Error && error.cause !== undefined ? sqliteCode(error.cause) : undefined;
}

export const DISK_FULL: ErrorData = {
  code: "unavailable",
  message: "The disk is full.",
  hint: "Free some room on the disk of the data directory.",
};

/** What the client of a write is told. */
export function toData(error: unknown): ErrorData {
  if (!(error instanceof DatabaseConstructor.SqliteError)) return errorToData(error);
  const disk = /^SQLITE_(FULL|IOERR|READONLY|CANTOPEN|BUSY|CORRUPT)/.test(error.code);
  return {
    code: disk ? "unavailable" : "internal",
    message: `The ledger takes no writes (${error.code}).`,
    hint: isFailing(error)
      ? "The disk or card may be failing: look at the kernel's log (dmesg), and replace it in time."
      : "Check that the disk is not full and not damaged.",
  };
}

/**
 * The error that ends the writer: `damaged` where SQLite cannot
 * make sense of the file, which the next start then sets aside.
 */
export function toFailure(error: unknown): ErrorData {
  const message = toData(error);
  return isDamage(error) ? { ...message, code: "damaged" } : message;
}

/** A file that holds room on the ledger's disk, to be given up when nothing else is left. */
export class Reserve {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  get held(): boolean {
    return statSync(this.#file, { throwIfNoEntry: false })?.size === RESERVE_BYTES;
  }

  /**
   * Makes the file, unless it is there. Gives whether it is held: false when the disk has no room for it.
   * Throws what else the file system says.
   */
  take(): boolean {
    if (this.held) return true;
    const draft = `${this.#file}.new`;
    rmSync(draft, { force: true });
    // Only spares the disk a useless write: whether there is room shows when the file is written.
    if (freeBytesOf(dirname(this.#file)) < RESERVE_BYTES + MARGIN_BYTES) return false;
    try {
      // Random bytes: a file system may keep no room for zeros, or for what it can compress.
      writeFileSync(draft, randomBytes(RESERVE_BYTES), { mode: OWNER_ONLY });
      syncPath(draft);
      renameSync(draft, this.#file);
      return true;
    } catch (error) {
      rmSync(draft, { force: true });
      if (NO_ROOM.has(systemCode(error))) return false;
      throw error;
    }
  }

  /** Frees the reserved space for the next writes. Returns whether there was any. */
  release(): boolean {
    const held = this.held;
    rmSync(this.#file, { force: true });
    return held;
  }
}

/**
 * Whether the ledger's disk has room: it has while the reserve is held. When the disk is full, the
 * reserve is released for edges, sign-ins and other writes, and posts are refused until the reserve
 * can be made again.
 */
export class DiskRoom {
  readonly #reserve: Reserve;
  readonly #onChange: (fullSinceMs: number | null) => void;
  /** Asks for room while the disk is full. */
  #retry: NodeJS.Timeout | undefined;

  constructor(reserve: Reserve, onChange: (fullSinceMs: number | null) => void) {
    this.#reserve = reserve;
    this.#onChange = onChange;
  }

  /** Makes the reserve. Where there is no room for it, the disk counts as full from the start. */
  open(nowMs: number): void {
    if (!this.#reserve.take()) this.#enter(nowMs);
  }

  close(): void {
    clearInterval(this.#retry);
  }

  get full(): boolean {
    return this.#retry !== undefined;
  }

  /**
   * Call when a write found no room. Releases the reserve, and gives
   * whether there was one, so that the write can be tried again.
   */
  ranOut(nowMs: number): boolean {
    const released = this.#reserve.release();
    if (!this.full) this.#enter(nowMs);
    return released;
  }

  #enter(fullSinceMs: number): void {
    this.#retry = setInterval(() => this.#recover(), RETRY_MS);
    this.#onChange(fullSinceMs);
  }

  #recover(): void {
    if (!this.#reserve.take()) return;
    clearInterval(this.#retry);
    this.#retry = undefined;
    this.#onChange(null);
  }
}
