import type { Change } from "../../domain/change.ts";
import type { ErrorData } from "../../domain/error.ts";
import type { LedgerCommands } from "../../domain/ledger.ts";

export type CommandName = keyof LedgerCommands;

/**
 * The commands that are not treated as any other. `post`: refused while the disk is full, because the client can
 * send it again. `edge`: may use reserved entries of the queue, because a relay cannot switch again. `room`:
 * changes what a sale of a wired room is, so the edges that were seen before it are committed first.
 */
export const COMMAND_KINDS: { readonly [N in CommandName]?: "post" | "edge" | "room" } = {
  addRecord: "post",
  importRecords: "post",
  noteUnwatched: "edge",
  keepUnwatched: "edge",
  takeIn: "edge",
  ping: "edge",
  removeUser: "room",
  changeLocation: "room",
  removeLocation: "room",
  changeDevice: "room",
  removeDevice: "room",
  setWiring: "room",
  rewire: "room",
  removeWiring: "room",
  setPrices: "room",
};

/** What the writer thread is started with. */
export interface WriterSettings {
  readonly file: string;
  readonly timeZone: string;
  /** A file that holds room on the disk for the time when it is full; undefined: none is held. */
  readonly reserve?: string;
  /** The backup directory that the tail (tail.ts) is kept in; undefined: no tail is kept. */
  readonly tailDirectory?: string;
}

/** The settings as they reach the thread. */
export interface WriterStart extends WriterSettings {
  /** Wall time at its start, in Unix milliseconds. */
  readonly startMs: number;
}

/** One batch of writes: one transaction, one commit, one answer. */
export interface BatchRequest {
  /** Wall time at sending, in Unix milliseconds. */
  readonly nowMs: number;
  /** The kernel's monotonic time then, in milliseconds. */
  readonly monotonicMs: number;
  readonly commands: readonly { readonly name: CommandName; readonly input: readonly unknown[] }[];
}

/** The result of one command. `changes` is absent where it told none. */
export type CommandResult =
  | { readonly output: unknown; readonly changes?: readonly Change[] }
  | { readonly error: ErrorData };

/** The state of the tail. */
export interface TailState {
  /**
   * The commit that it follows without a gap. With it a backup
   * of that commit or a later one can be brought up to date.
   */
  readonly from: number;
  /** Why it is not being written; null while it is. */
  readonly failure: string | null;
}

/** Messages of the writer thread. */
export type WriterMessage =
  /** It is open, and runs these commands. */
  | { readonly kind: "ready"; readonly commands: readonly CommandName[] }
  | { readonly kind: "failed"; readonly error: ErrorData }
  /** The disk is full since then (Unix milliseconds), or has room again. */
  | { readonly kind: "disk"; readonly fullSinceMs: number | null }
  | { readonly kind: "tail"; readonly state: TailState }
  /** Nothing is written any more in this process: the disk fails, or the file is damaged. */
  | { readonly kind: "fatal"; readonly error: ErrorData }
  /** The answers to a batch, in its order, after its commit, and how long the disk took for that. */
  | { readonly kind: "batch"; readonly results: readonly CommandResult[]; readonly syncMs: number };

export type WriterRequest =
  | { readonly kind: "batch"; readonly batch: BatchRequest }
  /** A backup to that directory begins, or, with the number of its commits, is proved. */
  | { readonly kind: "backup"; readonly directory: string; readonly proved: number | null }
  | { readonly kind: "close" };
