import type { ErrorCode, FieldErrors } from "../domain/error.ts";
import type { Change } from "../domain/ledger.ts";
import type { CommandName } from "./commands.ts";

/** What the writer thread is started with. */
export interface WriterSettings {
  readonly file: string;
  readonly timeZone: string;
  /** A file that holds room on the disk for the time when it is full; undefined: none is held. */
  readonly reserve?: string;
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
  readonly commands: readonly { readonly name: CommandName; readonly input: unknown }[];
}

/** A FlancoError that crosses a thread. */
export interface ErrorMessage {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint: string | undefined;
  readonly fields: FieldErrors | undefined;
}

/** What became of one command. `changes` stands only where it told any. */
export type CommandResult =
  | { readonly output: unknown; readonly changes?: readonly Change[] }
  | { readonly error: ErrorMessage };

/** What the writer thread says. */
export type WriterMessage =
  | { readonly kind: "progress"; readonly done: number; readonly total: number }
  | { readonly kind: "ready" }
  | { readonly kind: "failed"; readonly error: ErrorMessage }
  /** The disk is full since then (Unix milliseconds), or has room again. */
  | { readonly kind: "disk"; readonly fullSinceMs: number | null }
  /** Nothing is written any more in this process: the disk fails, or the file is damaged. */
  | { readonly kind: "fatal"; readonly error: ErrorMessage }
  /** The answers to one batch, in its order, after its commit. */
  | { readonly kind: "batch"; readonly results: readonly CommandResult[] };

export type WriterRequest =
  | { readonly kind: "batch"; readonly batch: BatchRequest }
  | { readonly kind: "close" };
