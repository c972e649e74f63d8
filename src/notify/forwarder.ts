import type { Change } from "../domain/change.ts";
import { type Clock, MINUTE_MS, monotonicMs, SECOND_MS, type Timers } from "../domain/clock.ts";
import { FlancoError, withHint } from "../domain/error.ts";
import type { Log } from "../domain/log.ts";
import type { Sink, SinkName } from "../domain/sink.ts";
import type { SinkFailure, SinkStatus } from "../domain/status.ts";

/** The pause between two batches, so that years of entries take a small share of the machine. */
const PAUSE_MS = 100;
/** How long further entries are waited for, so that sales that come close together leave together. */
const GATHER_MS = SECOND_MS;
/** How often the forwarder looks for something new without being told of a commit. */
const LOOK_MS = 15 * SECOND_MS;
/** How long a test may take, and a delivery of a sink that names no other time. */
const ANSWER_MS = 30 * SECOND_MS;
/** The pause after a failure. It doubles with each further one, up to the last of a sink that names no other. */
const FIRST_RETRY_MS = SECOND_MS;
const LAST_RETRY_MS = 5 * MINUTE_MS;
/**
 * After so many refusals a batch is given up: after half an
 * hour to an hour, in which a broken receiver may be mended.
 */
const MAX_REFUSALS = 20;
/** How long the end of the service waits for a delivery that does not end by itself. */
const STOP_MS = SECOND_MS;

/** The batches for one sink, in their order, and how far the sink has them. */
export interface Feed<Batch, Answer = void> {
  /** Finds out how far the sink has the batches. Call it first. */
  load?(): void;
  /** The next batch; undefined where nothing waits. */
  next(): Promise<Batch | undefined>;
  /** Call when the other side has stored the batch. Throws where the answer makes no sense. */
  taken(batch: Batch, answer: Answer): void;
  /** Call when a batch was not taken. The next one may hold less, in case the way is slow. */
  notTaken?(): void;
  /**
   * Leaves out a batch that the other side refuses for good. Absent
   * where none may be left out: then a batch is tried until it is taken.
   */
  giveUp?(batch: Batch): void;
  progress(): FeedProgress;
  /** Makes durable how far the sink has the batches. */
  close?(): void;
}

/** How many entries or messages wait, when the last was taken, and how many were given up. */
export type FeedProgress = Pick<SinkStatus, "waiting" | "deliveredMs" | "givenUp" | "backup">;

export interface ForwarderOptions {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  /** From 0 to 1: spreads the tries of many gateways. */
  readonly random?: () => number;
}

/**
 * Sends each sink its batches, one at a time, and each one again with growing pauses until the other side
 * has it. No sale waits for it: it reads committed entries. A sink that fails or hangs delays no other.
 */
export class Forwarder {
  readonly #options: ForwarderOptions;
  #lanes: readonly Lane[] = [];
  #isOpen = false;

  constructor(options: ForwarderOptions) {
    this.#options = options;
  }

  /** Adds a sink. Where the forwarder is open, it begins to send to it at once. */
  add<Batch, Answer>(feed: Feed<Batch, Answer>, sink: Sink<Batch, Answer>): void {
    const lane = new SinkLane(feed, sink, this.#options);
    this.#lanes = [...this.#lanes, lane];
    if (this.#isOpen) lane.open();
  }

  /**
   * Ends a sink within a second or so, whatever its other
   * side does. Does nothing where there is no such sink.
   * @param isForGood as in `Sink.close`
   */
  async remove(name: SinkName, isForGood = false): Promise<void> {
    const lane = this.#lanes.find((one) => one.name === name);
    this.#lanes = this.#lanes.filter((one) => one !== lane);
    await lane?.close(isForGood);
  }

  open(): void {
    this.#isOpen = true;
    for (const lane of this.#lanes) lane.open();
  }

  /** Call it with the changes of each commit. */
  apply(changes: readonly Change[]): void {
    for (const lane of this.#lanes) lane.apply(changes);
  }

  status(): readonly SinkStatus[] {
    return this.#lanes.map((lane) => lane.status());
  }

  test(name: SinkName): Promise<string> {
    const lane = this.#lanes.find((one) => one.name === name);
    if (lane === undefined) throw notSetUp(name);
    return lane.test();
  }

  /** Ends within a second or so, whatever the other sides do. */
  async close(): Promise<void> {
    await Promise.all(this.#lanes.map((lane) => lane.close()));
  }
}

/** A lane, whatever its batches are. */
type Lane = Pick<SinkLane<unknown, unknown>, "name" | "open" | "apply" | "status" | "test" | "close">;

class SinkLane<Batch, Answer> {
  readonly #feed: Feed<Batch, Answer>;
  readonly #sink: Sink<Batch, Answer>;
  readonly #options: ForwarderOptions;
  readonly #closing = new AbortController();
  #running: Promise<void> | undefined;
  /** Ends the current pause. */
  #endPause: () => void = () => {};
  /** Whether the current pause waits for something new. */
  #isIdle = false;
  /** Whether there was a commit since the last look. */
  #woken = false;
  #isTesting = false;
  #failure: SinkFailure | null = null;
  #delivered = 0;
  #failed = 0;
  /** The last batch that was refused for good, and how often it was. */
  #refused: { readonly batch: Batch; readonly times: number } | undefined;
  /** Since when something waits, in monotonic milliseconds. */
  #behindSinceMs: number | null = null;

  constructor(feed: Feed<Batch, Answer>, sink: Sink<Batch, Answer>, options: ForwarderOptions) {
    this.#feed = feed;
    this.#sink = sink;
    this.#options = options;
  }

  get name(): SinkName {
    return this.#sink.name;
  }

  open(): void {
    this.#feed.load?.();
    this.#sink.open?.();
    this.#running = this.#run();
  }

  apply(changes: readonly Change[]): void {
    this.#sink.apply?.(changes);
    this.#woken = true;
    if (this.#isIdle) this.#endPause();
  }

  status(): SinkStatus {
    const progress = this.#feed.progress();
    return {
      name: this.name,
      ...progress,
      behindMs: this.#behindMs(progress.waiting),
      failure: this.#failure,
      delivered: this.#delivered,
      failed: this.#failed,
      clockOffMs: this.#sink.clockOffMs ?? null,
      differences: this.#sink.differences ?? [],
    };
  }

  async test(): Promise<string> {
    if (this.#isTesting) {
      throw new FlancoError("conflict", `A test of the sink ${this.name} is under way.`, {
        hint: "Wait for its result.",
      });
    }
    this.#isTesting = true;
    try {
      return await this.#within(ANSWER_MS, (signal) => this.#sink.test(signal));
    } finally {
      this.#isTesting = false;
    }
  }

  async close(isForGood = false): Promise<void> {
    this.#closing.abort();
    this.#endPause();
    const { timers } = this.#options;
    const patience = Promise.withResolvers<void>();
    const cancel = timers.after(STOP_MS, () => patience.resolve());
    const ended = async () => {
      await this.#running;
      await this.#sink.close?.(isForGood);
    };
    await Promise.race([ended().catch((err: unknown) => this.#warn(err)), patience.promise]);
    cancel();
    try {
      this.#feed.close?.();
    } catch (err) {
      this.#warn(err);
    }
  }

  async #run(): Promise<void> {
    while (!this.#closing.signal.aborted) {
      let batch: Batch | undefined;
      try {
        this.#woken = false;
        batch = await this.#feed.next();
        if (this.#closing.signal.aborted) return;
        this.#behindMs(batch === undefined ? 0 : 1);
        if (batch === undefined) await this.#idle();
        else await this.#deliver(batch);
      } catch (error) {
        if (this.#closing.signal.aborted) return;
        this.#fail(error);
        if (batch !== undefined) this.#feed.notTaken?.();
        if (batch !== undefined && isRefusal(error)) this.#refuse(batch);
        await this.#pause(this.#retryMs());
      }
    }
  }

  async #deliver(batch: Batch): Promise<void> {
    const { deliverMs = ANSWER_MS } = this.#sink;
    const answer = await this.#within(deliverMs, (signal) => this.#sink.deliver(batch, signal));
    this.#feed.taken(batch, answer);
    this.#succeeded();
    await this.#pause(PAUSE_MS);
  }

  /** Waits until there is something new, and then for what comes close after it. */
  async #idle(): Promise<void> {
    this.#isIdle = true;
    if (!this.#woken) await this.#pause(LOOK_MS);
    this.#isIdle = false;
    if (this.#woken) await this.#pause(GATHER_MS);
  }

  #behindMs(waiting: number): number {
    const nowMs = monotonicMs(this.#options.clock);
    if (waiting === 0) this.#behindSinceMs = null;
    else this.#behindSinceMs ??= nowMs;
    return nowMs - (this.#behindSinceMs ?? nowMs);
  }

  #succeeded(): void {
    if (this.#failure !== null) this.#options.log.info({ sink: this.name }, "the sink takes batches again");
    this.#failure = null;
    this.#delivered += 1;
  }

  #fail(error: unknown): void {
    const known = error instanceof FlancoError ? error : undefined;
    if (known === undefined) this.#warn(error);
    const message = known?.message ?? "The delivery has failed for a reason that is in the log.";
    const hint = known?.hint ?? "";
    if (message !== this.#failure?.message && known !== undefined) {
      this.#options.log.warn({ sink: this.name }, withHint(known));
    }
    const { sinceMs = this.#options.clock.nowMs(), tries = 0 } = this.#failure ?? {};
    this.#failure = { message, hint, sinceMs, tries: tries + 1 };
    this.#failed += 1;
  }

  /** Counts a refusal for good, and gives the batch up after too many: it would hold up all batches after it. */
  #refuse(batch: Batch): void {
    const times = this.#refused?.batch === batch ? this.#refused.times + 1 : 1;
    this.#refused = { batch, times };
    if (times < MAX_REFUSALS || this.#feed.giveUp === undefined) return;
    this.#feed.giveUp(batch);
    this.#options.log.error({ sink: this.name, times }, "the sink refused a batch too often: it is given up");
  }

  /** The pause before the next try: doubled with each failure, times a random factor from a half to one. */
  #retryMs(): number {
    const { random = Math.random } = this.#options;
    const { lastRetryMs = LAST_RETRY_MS } = this.#sink;
    const doubled = FIRST_RETRY_MS * 2 ** ((this.#failure?.tries ?? 1) - 1);
    return Math.round(Math.min(lastRetryMs, doubled) * (0.5 + random() / 2));
  }

  /** Rejects once the service ends or the time is over, even if the sink does not. */
  async #within<T>(ms: number, act: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const deadline = new AbortController();
    const signal = AbortSignal.any([this.#closing.signal, deadline.signal]);
    const { promise: ended, reject } = Promise.withResolvers<never>();
    signal.addEventListener("abort", () => reject(takesTooLong(ms)), { once: true });
    const cancel = this.#options.timers.after(ms, () => deadline.abort());
    try {
      return await Promise.race([act(signal), ended]);
    } finally {
      cancel();
    }
  }

  async #pause(ms: number): Promise<void> {
    if (this.#closing.signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = this.#options.timers.after(ms, resolve);
    this.#endPause = () => {
      cancel();
      resolve();
    };
    await promise;
  }

  #warn(err: unknown): void {
    this.#options.log.warn({ err, sink: this.name }, "the sink has failed");
  }
}

/** Whether the other side says that it will never take the batch. */
function isRefusal(error: unknown): boolean {
  return error instanceof FlancoError && error.code === "unprocessable";
}

/** The error for a sink that is not set up. */
export function notSetUp(name: SinkName): FlancoError {
  return new FlancoError("not_found", `The sink ${name} is not set up.`, {
    hint: "An owner sets it up on the page, or flanco forward import does.",
  });
}

function takesTooLong(ms: number): FlancoError {
  return new FlancoError("unavailable", `The other side gave no answer within ${ms / SECOND_MS} s.`, {
    hint: "Look at the network and at the other side.",
  });
}
