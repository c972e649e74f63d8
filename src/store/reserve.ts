import { randomFillSync } from "node:crypto";
import { closeSync, fsyncSync, openSync, renameSync, rmSync, statfsSync, statSync, writeSync } from "node:fs";
import { dirname } from "node:path";

/** Some tens of thousands of edges. */
export const RESERVE_BYTES = 4 * 1024 * 1024;
/** Beyond the reserve, so that making it does not itself fill the disk. */
const MARGIN_BYTES = 512 * 1024;
const PIECE_BYTES = 256 * 1024;
const OWNER_ONLY = 0o600;
const NO_ROOM: ReadonlySet<string | undefined> = new Set(["ENOSPC", "EDQUOT"]);

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
    if (!mayHaveRoom(dirname(this.#file))) return false;
    try {
      fill(draft);
      renameSync(draft, this.#file);
      return true;
    } catch (error) {
      rmSync(draft, { force: true });
      if (error instanceof Error && NO_ROOM.has((error as NodeJS.ErrnoException).code)) return false;
      throw error;
    }
  }

  /** Gives the room to whoever writes next. Gives whether there was any. */
  release(): boolean {
    const held = this.held;
    rmSync(this.#file, { force: true });
    return held;
  }
}

/** A hint that saves the disk useless writing; whether there is room shows when it is written. */
function mayHaveRoom(directory: string): boolean {
  const { blocks, bavail, bsize } = statfsSync(directory);
  // A file system in memory alone (ramfs) counts nothing.
  return blocks === 0 || bavail * bsize >= RESERVE_BYTES + MARGIN_BYTES;
}

/** Random bytes: a file system may keep no room for zeros, or for what it can compress. */
function fill(file: string): void {
  const descriptor = openSync(file, "wx", OWNER_ONLY);
  try {
    const piece = Buffer.alloc(PIECE_BYTES);
    for (let written = 0; written < RESERVE_BYTES; ) {
      randomFillSync(piece);
      written += writeSync(descriptor, piece, 0, Math.min(PIECE_BYTES, RESERVE_BYTES - written));
    }
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
