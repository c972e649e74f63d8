import { closeSync, fdatasyncSync, openSync, readSync, statSync, truncateSync } from "node:fs";
import DatabaseConstructor, { type Database, type Statement } from "better-sqlite3";
import { CHECKPOINT_PAGES } from "./open.ts";

/** Bytes of the log's own header, and of the header of each frame (sqlite.org/walformat.html). */
const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
/**
 * Where a frame's header says how many pages the file has
 * after a commit; 0 where more frames of the commit follow.
 */
const COMMIT_OFFSET = 4;

/**
 * SQLite's log, for the connection that writes: when it is synced, and when it is brought into the file.
 *
 * A commit is synced here, by fdatasync, before it is answered. SQLite's own fsync would
 * also write the file's time of change, which costs 12 kB of the file system's journal.
 * Before a checkpoint SQLite itself syncs the log, and after it the file. During a sync a
 * reader sees a commit that a power cut could still undo; its client has no answer yet.
 */
export class WriteAheadLog {
  readonly #db: Database;
  readonly #file: string;
  /** `log`: frames in the log, committed; -1 where SQLite does not know. */
  readonly #state: Statement<[], { readonly log: number }>;
  #descriptor: number | undefined;
  /** Whether the newest commit is not known to be durable. */
  #isBehind = false;

  constructor(db: Database) {
    this.#db = db;
    this.#file = `${db.name}-wal`;
    db.pragma("synchronous = NORMAL");
    // SQLite reports no failure of a checkpoint that it makes by itself.
    db.pragma("wal_autocheckpoint = 0");
    this.#state = db.prepare("PRAGMA wal_checkpoint(NOOP)");
  }

  /**
   * Makes every commit durable. Throws SQLITE_IOERR_FSYNC; then
   * this process cannot know what the disk holds, and must end.
   */
  sync(): void {
    this.#isBehind = true;
    try {
      this.#descriptor ??= openSync(this.#file, "r");
      fdatasyncSync(this.#descriptor);
    } catch (cause) {
      const { code } = cause as NodeJS.ErrnoException;
      throw new DatabaseConstructor.SqliteError(`The log is not synced (${code}).`, "SQLITE_IOERR_FSYNC");
    }
    this.#isBehind = false;
  }

  /** Brings a long log into the file. Throws what SQLite throws. */
  checkpoint(): void {
    const frames = this.#state.get()?.log ?? 0;
    if (frames >= CHECKPOINT_PAGES) this.#db.pragma("wal_checkpoint(PASSIVE)");
  }

  /**
   * Cuts the newest commit off the log if its sync failed, as far as a failing disk allows. The next
   * process would read it from the log, though its client was told that it failed and may send it again.
   */
  cutBack(): void {
    try {
      let frames = this.#state.get()?.log ?? -1;
      if (frames < 0) return;
      const frameBytes = FRAME_HEADER_BYTES + Number(this.#db.pragma("page_size", { simple: true }));
      if (this.#isBehind) frames = this.#framesBeforeLastCommit(frames, frameBytes);
      const end = HEADER_BYTES + frames * frameBytes;
      if (statSync(this.#file).size > end) truncateSync(this.#file, end);
    } catch {
      // The disk takes not even this; the process ends all the same.
    }
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }

  #framesBeforeLastCommit(frames: number, frameBytes: number): number {
    this.#descriptor ??= openSync(this.#file, "r");
    const pages = Buffer.alloc(4);
    for (let before = frames - 1; before > 0; before -= 1) {
      const header = HEADER_BYTES + (before - 1) * frameBytes;
      readSync(this.#descriptor, pages, 0, pages.length, header + COMMIT_OFFSET);
      if (pages.readUInt32BE() > 0) return before;
    }
    return 0;
  }
}
