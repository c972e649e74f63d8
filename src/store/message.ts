import type { ErrorCode, FieldErrors } from "../domain/error.ts";
import type { Change } from "../domain/ledger.ts";
import type { CommandName } from "./commands.ts";

/** What the writer thread is started with. */
export interface WriterSettings {
  readonly file: string;
  readonly timeZone: string;
}

/** One batch of writes: one transaction, one commit, one answer. */
export interface BatchRequest {
  /** Wall time at sending, in Unix milliseconds. */
  readonly nowMs: number;
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
  | { readonly kind: "progress"; readonly what: "rollups"; readonly done: number; readonly total: number }
  | { readonly kind: "ready" }
  | { readonly kind: "failed"; readonly error: ErrorMessage }
  /** The answers to one batch, in its order, after its commit. */
  | { readonly kind: "batch"; readonly results: readonly CommandResult[] };

export type WriterRequest =
  | { readonly kind: "batch"; readonly batch: BatchRequest }
  | { readonly kind: "close" };
