import type { Worker } from "node:worker_threads";
import type { Change } from "../../domain/change.ts";
import { type Cancel, type Clock, monotonicMs, type Timers } from "../../domain/clock.ts";
import { errorFromData, FlancoError } from "../../domain/error.ts";
import type { LedgerCommands, LedgerWriter, PostedRecord } from "../../domain/ledger.ts";
import type { Queue } from "../../domain/line.ts";
import { justMade } from "../../domain/record.ts";
import { systemTimers } from "../../platform/machine.ts";
import { startThread } from "../../platform/thread.ts";
import type { TailState } from "../safety/tail.ts";
import type { CommandKind, CommandName } from "./commands.ts";
import type {
  Command,
  CommandKinds,
  WriterMessage,
  WriterRequest,
  WriterSettings,
  WriterStart,
} from "./writer-thread.ts";

/** The most writes that may wait for a commit. A request beyond that is told to come back later. */
const MAX_WAITING = 4_096;
/** Further entries that only writes of lines may take: a relay cannot be told to come back. */
const RESERVED_FOR_EDGES = 16;

/** No batch waits where a sync takes less than this: timers count whole milliseconds. */
const SLOW_MS = 1;
/** How long a batch waits for further writes: this share of a sync's time, and at most MAX_MS. */
const SHARE = 0.5;
const MAX_MS = 25;
/** So many writes are sent as a second batch while another one is on its way. */
const FOLLOWING = 8;
/** The weight of the newest value in a running mean. */
const NEWEST = 0.2;

/** Syncs whose times are kept. */
const SYNCS = 100;

/** What this side uses of the writer thread: a `Worker`, or another one in tests. */
export interface WriterPort {
  postMessage(request: WriterRequest): void;
  on(event: "message", listener: (message: WriterMessage) => void): unknown;
  on(event: "error", listener: (error: Error) => void): unknown;
  on(event: "exit", listener: () => void): unknown;
}

/**
 * Megabytes of the writer thread's heap. The thread makes and drops many objects
 * and keeps few; without a bound the heap grows by a hundred megabytes before it
 * is collected. A thread that needs more ends the process; no commit is lost.
 */
const MEMORY = { maxYoungGenerationSizeMb: 6, maxOldGenerationSizeMb: 96 };

/** A thread that was started early and waits for its settings. */
let ahead: Worker | undefined;

/** Starts the thread that the next writer takes: it loads beside the rest of the program. */
export function startWriterAhead(): void {
  const worker = newWriterThread();
  // The thread that is started in its place will report the error.
  worker.once("error", () => {});
  worker.once("exit", () => {
    if (ahead === worker) ahead = undefined;
  });
  ahead = worker;
}

function startWriterThread(start: WriterStart): WriterPort {
  const worker = ahead ?? newWriterThread();
  ahead = undefined;
  worker.postMessage(start);
  return worker;
}

function newWriterThread(): Worker {
  return startThread("writer", { resourceLimits: MEMORY, name: "flanco-writer" });
}

interface WaitingWrite {
  readonly command: Command;
  resolve(output: unknown): void;
  reject(error: FlancoError): void;
}

export interface WriterListener {
  /** What one commit changed, after it, in commit order. */
  onChanges(changes: readonly Change[]): void;
  /** Resolves once every edge that was seen until now is committed; undefined where none waits. */
  edgesSettled?(): Promise<void> | undefined;
  /** The disk is full since then (Unix milliseconds), or, with null, has room again. */
  onDisk?(fullSinceMs: number | null): void;
  /**
   * The thread died after `open` had resolved, or the disk fails: nothing can be written
   * any more, and the process must stop. An error before that only rejects `open`.
   */
  onDeath(error: Error): void;
}

/**
 * The writer thread, seen from the main thread. Writes gather while a commit is under way and go
 * out together: one message each way and one fsync per batch. One batch is on its way, or two
 * (`GroupCommit`). Writes that are submitted without a pause are in one batch, except for posts.
 */
class WriterLink {
  readonly #settings: WriterSettings;
  readonly #clock: Clock;
  readonly #listener: WriterListener;
  readonly #start: (start: WriterStart) => WriterPort;
  readonly #timers: WriterTimers;
  #worker: WriterPort | undefined;
  #waiting: WaitingWrite[] = [];
  /** Writes that wait for their commit, sent or not. */
  #depth = 0;
  /** The batches that are on their way. */
  #inFlight: WaitingWrite[][] = [];
  readonly #gathering: GroupCommit;
  /** Ends the wait of a batch for further writes. */
  #timer: Cancel | undefined;
  /** Whether an edge waits: its batch does not wait for other writes. */
  #urgent = false;
  #scheduled = false;
  #opened = false;
  #closing = false;
  #diskFullSinceMs: number | null = null;
  #tail: TailState | null = null;
  #onIdle: (() => void) | undefined;
  /** How long each of the newest syncs took. */
  readonly #syncs: number[] = [];

  constructor(
    settings: WriterSettings,
    clock: Clock,
    listener: WriterListener,
    start: (start: WriterStart) => WriterPort,
    timers: WriterTimers,
  ) {
    this.#settings = settings;
    this.#clock = clock;
    this.#listener = listener;
    this.#start = start;
    this.#timers = timers;
    this.#gathering = new GroupCommit(timers.busyMs);
  }

  /**
   * Opens the file. Throws `damaged`, `too_new`, `unavailable`, and
   * `outdated` where long work must come first (up-to-date.ts).
   */
  async open(): Promise<void> {
    const worker = this.#start({ ...this.#settings, startMs: this.#clock.nowMs() });
    this.#worker = worker;
    await new Promise<void>((resolve, reject) => {
      worker.on("message", (message: WriterMessage) => {
        switch (message.kind) {
          case "ready":
            this.#opened = true;
            this.#addMethods(message.commands);
            resolve();
            break;
          case "failed":
            reject(errorFromData(message.error));
            break;
          case "disk":
            this.#noteDisk(message.fullSinceMs);
            break;
          case "tail":
            this.#tail = message.state;
            break;
          case "fatal":
            this.#die(errorFromData(message.error));
            break;
          case "batch":
            this.#settle(message);
        }
      });
      worker.on("error", (error: Error) => {
        reject(error);
        this.#die(error);
      });
      worker.on("exit", () => {
        const error = new FlancoError("unavailable", "The ledger's writer has ended.");
        reject(error);
        this.#die(error);
      });
    });
  }

  /** Commits everything that waits, then closes the file. Later writes are refused as `unavailable`. */
  async close(): Promise<void> {
    const worker = this.#worker;
    if (worker === undefined || this.#closing) return;
    this.#closing = true;
    const ended = new Promise<void>((resolve) => worker.on("exit", resolve));
    if (this.#depth > 0) {
      await new Promise<void>((resolve) => {
        this.#onIdle = resolve;
      });
    }
    this.#send({ kind: "close" });
    await ended;
  }

  /** How many writes wait for their commit, beside their bound. */
  get queue(): Queue {
    return { waiting: this.#depth, limit: MAX_WAITING };
  }

  /** Since when the disk is full, in Unix milliseconds; null while it has room. */
  get diskFullSinceMs(): number | null {
    return this.#diskFullSinceMs;
  }

  /** The 99th percentile of the newest 100 syncs, in milliseconds; null before there were as many. */
  get syncMs(): number | null {
    if (this.#syncs.length < SYNCS) return null;
    const [, second = 0] = this.#syncs.toSorted((a, b) => b - a);
    return Math.round(second);
  }

  /** The state of the tail; null where none is kept. */
  get tail(): TailState | null {
    return this.#tail;
  }

  /** Call when a backup to that directory begins: a new file of the tail begins with it. */
  backupBegins(directory: string): void {
    this.#send({ kind: "backup", directory, proved: null });
  }

  /** Call when that backup is proved and durable: the tail need not reach back beyond these commits (`MadeBackup.tailFrom`). */
  backupProved(directory: string, commits: number): void {
    this.#send({ kind: "backup", directory, proved: commits });
  }

  /** Makes a method of each command. It resolves after the commit, and rejects as `LedgerCommands` says. */
  #addMethods(kinds: CommandKinds): void {
    for (const [name, kind] of Object.entries(kinds) as [CommandName, CommandKind][]) {
      const method = (...input: readonly unknown[]) => {
        const add = () => this.#add({ name, input }, kind);
        const settled = kind === "room" ? this.#listener.edgesSettled?.() : undefined;
        return settled === undefined ? add() : settled.then(add);
      };
      Object.assign(this, { [name]: method });
    }
  }

  #add(command: Command, kind: CommandKind): Promise<unknown> {
    if (this.#worker === undefined || this.#closing) {
      return Promise.reject(new FlancoError("unavailable", "The ledger is closed."));
    }
    const isEdge = kind === "edge";
    const limit = isEdge ? MAX_WAITING + RESERVED_FOR_EDGES : MAX_WAITING;
    if (this.#depth >= limit) {
      return Promise.reject(
        new FlancoError("overloaded", "Too many writes are waiting for the disk.", {
          hint: "Try again in a second.",
        }),
      );
    }
    this.#urgent ||= isEdge;
    return new Promise((resolve, reject) => {
      this.#waiting.push({ command, resolve, reject });
      this.#depth += 1;
      // Each post comes in a request of its own. Other writes that are submitted in one turn belong together.
      if (kind === "post" && this.#gathering.leavesAtOnce(this.#waiting.length)) this.#flush();
      else this.#schedule();
    });
  }

  /** Waits for the end of this turn of the event loop, so that writes that arrive together leave together. */
  #schedule(): void {
    if (this.#scheduled || !this.#mayLeave()) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#flush();
    });
  }

  #mayLeave(): boolean {
    return this.#gathering.mayLeave(this.#waiting.length, this.#inFlight.length);
  }

  #flush(): void {
    if (this.#waiting.length === 0 || !this.#mayLeave()) return;
    const waitMs = this.#urgent ? 0 : this.#gathering.waitMs(this.#waiting.length, monotonicMs(this.#clock));
    if (waitMs > 0) this.#timer ??= this.#timers.after(waitMs, () => this.#leave());
    else this.#leave();
  }

  /** Sends the waiting writes. */
  #leave(): void {
    this.#timer?.();
    this.#timer = undefined;
    this.#urgent = false;
    const batch = this.#waiting;
    this.#waiting = [];
    this.#inFlight.push(batch);
    const commands = batch.map(({ command }) => command);
    const clock = this.#clock;
    this.#send({ kind: "batch", batch: { nowMs: clock.nowMs(), monotonicMs: monotonicMs(clock), commands } });
  }

  /** Ends the writer where a message cannot be sent: later answers would be taken for another batch's. */
  #send(request: WriterRequest): void {
    try {
      this.#worker?.postMessage(request);
    } catch (error) {
      this.#die(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #settle({ results, syncMs }: Extract<WriterMessage, { kind: "batch" }>): void {
    const batch = this.#inFlight.shift() ?? [];
    this.#depth -= batch.length;
    this.#syncs.push(syncMs);
    if (this.#syncs.length > SYNCS) this.#syncs.shift();
    const changes: Change[] = [];
    batch.forEach((waiting, index) => {
      const result = results[index];
      if (result === undefined || "error" in result) {
        waiting.reject(
          result === undefined
            ? new FlancoError("internal", "The writer gave no answer.")
            : errorFromData(result.error),
        );
        return;
      }
      waiting.resolve(result.output);
      changes.push(...(result.changes ?? changesOfPost(waiting.command, result.output)));
    });
    if (changes.length > 0) this.#listener.onChanges(changes);
    this.#gathering.answered(batch.length, this.#depth, syncMs, monotonicMs(this.#clock));
    this.#flush();
    if (this.#depth === 0) this.#onIdle?.();
  }

  #noteDisk(fullSinceMs: number | null): void {
    this.#diskFullSinceMs = fullSinceMs;
    this.#listener.onDisk?.(fullSinceMs);
  }

  #die(error: Error): void {
    if (this.#worker === undefined) return;
    this.#worker = undefined;
    this.#timer?.();
    const lost = new FlancoError("unavailable", "The ledger takes no writes.", { cause: error });
    for (const waiting of [...this.#inFlight.flat(), ...this.#waiting]) waiting.reject(lost);
    this.#inFlight = [];
    this.#waiting = [];
    this.#depth = 0;
    this.#onIdle?.();
    if (this.#opened && !this.#closing) this.#listener.onDeath(error);
  }
}

/** The writing half of the ledger: every command of it, once it is open, and the thread that runs them. */
export type StoreWriter = WriterLink & LedgerWriter;

/** Timers, and the main thread's working time. */
export interface WriterTimers extends Timers {
  /** For how long this thread has worked so far, in milliseconds. */
  busyMs(): number;
}

const TIMERS: WriterTimers = {
  ...systemTimers,
  busyMs: () => performance.eventLoopUtilization().active,
};

/** Makes a writer; `open` starts it, in a thread of its own unless a test has another place for it. */
export function storeWriter(
  settings: WriterSettings,
  clock: Clock,
  listener: WriterListener,
  start = startWriterThread,
  timers = TIMERS,
): StoreWriter {
  // `open` adds the methods.
  return new WriterLink(settings, clock, listener, start, timers) as StoreWriter;
}

/** The change of a post, which this side makes of what it has sent: that spares both threads a copy. */
function changesOfPost({ name, input }: Command, output: unknown): readonly Change[] {
  if (name !== "addRecord") return [];
  // What crosses a thread has no type: this is the answer to the command of that name.
  const [userId, record] = input as Parameters<LedgerCommands["addRecord"]>;
  const { repeated, ...place } = output as PostedRecord;
  if (repeated) return [];
  return [
    { kind: "record", userId, record: justMade(record, { ...place, origin: "posted", provisional: false }) },
  ];
}

/**
 * When the next batch leaves. Clients that post again once they are answered form groups, and each group
 * waits for the syncs of the others. How many groups are best depends on the disk, so both times are
 * measured. Where the main thread needs less time for the writes of all clients than a sync takes, they
 * become one group: the next batch waits for a write of each client that was answered or has posted meanwhile.
 * Otherwise they become two: while the main thread takes the posts of one, the other is synced. A client
 * that is alone never waits. The bench's `posts` and `slow-posts` measure what that gains.
 */
export class GroupCommit {
  readonly #busyMs: () => number;
  #lastBusyMs: number;
  /** Running means of the time of a sync, and of the main thread's time for a write. */
  #syncMs = 0;
  #writeMs = 0;
  #isOneGroup = false;
  /** How many writes are a group. */
  #size = FOLLOWING;
  #untilMs = 0;

  /** `busyMs` gives for how long the main thread has worked so far. */
  constructor(busyMs: () => number) {
    this.#busyMs = busyMs;
    this.#lastBusyMs = busyMs();
  }

  /**
   * Call when `writes` were answered after a sync, while `others`
   * wait or are on their way. `nowMs` is monotonic, here and below.
   */
  answered(writes: number, others: number, syncMs: number, nowMs: number): void {
    const busyMs = this.#busyMs();
    this.#writeMs = mean(this.#writeMs, (busyMs - this.#lastBusyMs) / writes);
    this.#lastBusyMs = busyMs;
    this.#syncMs = mean(this.#syncMs, syncMs);
    const all = writes + others;
    this.#isOneGroup = this.#syncMs >= SLOW_MS && all * this.#writeMs < this.#syncMs;
    this.#size = this.#isOneGroup ? all : Math.max(FOLLOWING, Math.ceil(all / 2));
    this.#untilMs = nowMs + Math.min(MAX_MS, this.#syncMs * SHARE);
  }

  /** Whether the waiting writes are a whole group. */
  isGroup(waiting: number): boolean {
    return waiting >= this.#size;
  }

  /**
   * Whether the waiting posts leave before the main thread's turn ends.
   * With one group none does: a sync for a part of it would delay the rest.
   */
  leavesAtOnce(waiting: number): boolean {
    return !this.#isOneGroup && this.isGroup(waiting);
  }

  /** Whether the waiting writes may leave while `batches` are on their way. */
  mayLeave(waiting: number, batches: number): boolean {
    return batches === 0 || (batches === 1 && !this.#isOneGroup && this.isGroup(waiting));
  }

  /** How much longer the waiting writes wait for others; 0: they leave. */
  waitMs(waiting: number, nowMs: number): number {
    return this.#isOneGroup && !this.isGroup(waiting) ? Math.max(0, this.#untilMs - nowMs) : 0;
  }
}

function mean(before: number, newest: number): number {
  return before === 0 ? newest : before + NEWEST * (newest - before);
}
