import { type MessagePort, parentPort } from "node:worker_threads";
import type { Database } from "better-sqlite3";
import type { Change } from "../../domain/change.ts";
import type { ErrorData } from "../../domain/error.ts";
import { unlinkedEvidence } from "../nouns/audit.ts";
import { LocalCalendar } from "../nouns/calendar.ts";
import { Tail, type TailState } from "../safety/tail.ts";
import { readCommits } from "./chain.ts";
import type { CommandKind, CommandName } from "./commands.ts";
import { Committer } from "./committer.ts";
import { DiskRoom, isFull, Reserve, toFailure } from "./disk-room.ts";
import { readLedgerId } from "./identity.ts";
import { openUpToDate, refuseLongWork } from "./up-to-date.ts";

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

/** A call of a command. */
export interface Command {
  readonly name: CommandName;
  readonly input: readonly unknown[];
}

/** One batch of writes: one transaction, one commit, one answer. */
export interface BatchRequest {
  /** Wall time at sending, in Unix milliseconds. */
  readonly nowMs: number;
  /** The kernel's monotonic time then, in milliseconds. */
  readonly monotonicMs: number;
  readonly commands: readonly Command[];
}

/** The result of one command. `changes` is absent where it told none. */
export type CommandResult =
  | { readonly output: unknown; readonly changes?: readonly Change[] }
  | { readonly error: ErrorData };

export type CommandKinds = Readonly<Record<CommandName, CommandKind>>;

/** Messages of the writer thread. */
export type WriterMessage =
  /** It is open, and runs these commands. */
  | { readonly kind: "ready"; readonly commands: CommandKinds }
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

function say(port: MessagePort, message: WriterMessage): void {
  port.postMessage(message);
}

function addToTail(committer: Committer, tail: Tail | undefined): void {
  const frame = committer.takeCommitted();
  if (frame !== undefined) tail?.add(committer.commits, frame);
}

/** Commits each batch and answers it. */
function serve(port: MessagePort, committer: Committer, tail: Tail | undefined): void {
  port.on("message", (request: WriterRequest) => {
    if (request.kind === "backup") tail?.backup(request.directory, request.proved);
    if (request.kind === "batch") {
      say(port, committer.commit(request.batch));
      addToTail(committer, tail);
      committer.checkpoint();
    }
    const { failure } = committer;
    if (failure !== undefined) say(port, { kind: "fatal", error: failure });
    if (request.kind === "close" || failure !== undefined) {
      committer.close();
      void Promise.resolve(tail?.close()).finally(() => port.close());
    }
  });
}

function openTail(port: MessagePort, db: Database, directory: string | undefined): Tail | undefined {
  if (directory === undefined) return undefined;
  const tail = new Tail(readLedgerId(db), (state) => say(port, { kind: "tail", state }));
  tail.open(directory, readCommits(db));
  return tail;
}

/** Opens the ledger. On a full disk gives up the reserve and tries again: the service must start all the same. */
function openInReserve(reserve: Reserve | undefined, open: () => Database): Database {
  try {
    return open();
  } catch (error) {
    if (!isFull(error) || reserve?.release() !== true) throw error;
    return open();
  }
}

/**
 * Opens the ledger, and answers on this port until it is told to close; where it cannot open the
 * ledger, it sends the error. Runs in a thread of its own, so that a slow disk stalls nothing else.
 */
export function start(port: MessagePort, settings: WriterStart): void {
  const { timeZone, reserve: reserveFile, startMs, tailDirectory } = settings;
  try {
    const calendar = new LocalCalendar(timeZone);
    const reserve = reserveFile === undefined ? undefined : new Reserve(reserveFile);
    const db = openInReserve(reserve, () => openUpToDate(settings, calendar, refuseLongWork));
    const room = reserve && new DiskRoom(reserve, (fullSinceMs) => say(port, { kind: "disk", fullSinceMs }));
    room?.open(startMs);
    const tail = openTail(port, db, tailDirectory);
    const committer = new Committer(db, calendar, room);
    const evidence = unlinkedEvidence(db);
    if (evidence.length > 0) {
      const commands = [{ name: "linkEvidence" as const, input: [evidence] }];
      committer.commit({ nowMs: startMs, monotonicMs: 0, commands });
      addToTail(committer, tail);
    }
    serve(port, committer, tail);
    say(port, { kind: "ready", commands: committer.commandKinds });
  } catch (error) {
    say(port, { kind: "failed", error: toFailure(error) });
    port.close();
  }
}

// A process's first use of Intl takes 15 ms, once for all of its threads: here, while the main thread loads.
Intl.DateTimeFormat();

const port = parentPort;
port?.once("message", (settings: WriterStart) => start(port, settings));
