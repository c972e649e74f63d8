import type { Database, Statement } from "better-sqlite3";
import { isFull } from "./disk-error.ts";
import type { Reserve } from "./reserve.ts";

/** How often a full disk is asked for room again. */
const RETRY_MS = 1_000;

/**
 * Whether the ledger's disk has room, by one rule: it has while the reserve is held. A full disk stays
 * full, for who can come back later, until the reserve could be made again; the room of the released one
 * is for edges and for saying so. Since when it is full stands in the ledger, so that a restart knows it.
 */
export class DiskRoom {
  readonly #reserve: Reserve;
  readonly #onChange: (fullSinceMs: number | null) => void;
  readonly #load: Statement<[], number>;
  readonly #save: Statement<[string]>;
  readonly #remove: Statement<[]>;
  #fullSinceMs: number | null = null;
  #retry: NodeJS.Timeout | undefined;

  constructor(db: Database, reserve: Reserve, onChange: (fullSinceMs: number | null) => void) {
    this.#reserve = reserve;
    this.#onChange = onChange;
    this.#load = db
      .prepare<[], number>("SELECT CAST(value AS INTEGER) FROM setting WHERE name = 'disk_full_since'")
      .pluck();
    this.#save = db.prepare(
      "INSERT INTO setting (name, value) VALUES ('disk_full_since', ?) ON CONFLICT (name) DO NOTHING",
    );
    this.#remove = db.prepare("DELETE FROM setting WHERE name = 'disk_full_since'");
  }

  /** Makes the reserve. Without room for it the disk is full from the start. */
  open(nowMs: number): void {
    const before = this.#load.get();
    if (!this.#reserve.take()) this.#enter(before ?? nowMs);
    else if (before !== undefined) this.#remove.run();
  }

  close(): void {
    clearInterval(this.#retry);
  }

  get full(): boolean {
    return this.#fullSinceMs !== null;
  }

  /** A write found no room. Gives whether it is worth trying once more, in the room of the reserve. */
  ranOut(nowMs: number): boolean {
    const released = this.#reserve.release();
    if (!this.full) this.#enter(nowMs);
    return released;
  }

  #enter(fullSinceMs: number): void {
    this.#fullSinceMs = fullSinceMs;
    this.#ifRoom(() => this.#save.run(String(fullSinceMs)));
    this.#retry = setInterval(() => this.#recover(), RETRY_MS);
    this.#onChange(fullSinceMs);
  }

  #recover(): void {
    if (!this.#reserve.take()) return;
    if (!this.#ifRoom(() => this.#remove.run())) {
      this.#reserve.release();
      return;
    }
    clearInterval(this.#retry);
    this.#fullSinceMs = null;
    this.#onChange(null);
  }

  /** Gives whether there was room; throws every other failure. */
  #ifRoom(write: () => unknown): boolean {
    try {
      write();
      return true;
    } catch (error) {
      if (isFull(error)) return false;
      throw error;
    }
  }
}
