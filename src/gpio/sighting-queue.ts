import { type ErrorCode, FlancoError } from "../domain/error.ts";
import type { LedgerWriter } from "../domain/ledger.ts";
import type { EdgeQueue } from "../domain/line.ts";
import type { Log } from "../domain/log.ts";
import type { Sighting } from "../domain/sale.ts";

/** Sightings kept while the disk refuses writes: hours of a clinic's switching. */
const MAX_WAITING = 10_000;
/** Sightings of one transaction. */
const MAX_BATCH = 1_000;
const RETRY_MS = 500;
/** A sighting is skipped when it was refused by itself this often: a lack of memory, say, may pass. */
const TRIES_ALONE = 4;
/** With these errors the ledger refuses any write. All others are about a sighting in the batch. */
const REFUSES_ALL: ReadonlySet<ErrorCode> = new Set(["unavailable", "overloaded", "damaged"]);

/**
 * Writes sightings to the ledger in order, one transaction at a time, and keeps
 * them until they are committed. When the queue is full, it keeps the last sighting
 * of each line, which counts the ones before it as missed. That sighting enters the
 * queue as soon as there is room, so the ledger has the lost edges as a gap.
 *
 * The sightings of a batch that the ledger refuses for its content are sent one by
 * one. One that is still refused is skipped, so that no line is blocked by it, and
 * the line's next sighting counts it as missed: it is a gap in the ledger too.
 */
export class SightingQueue {
  readonly #writer: Pick<LedgerWriter, "takeIn">;
  readonly #log: Log;
  readonly #retryMs: number;
  #waiting: Sighting[] = [];
  /** By line, the last sighting that found the queue full; `missed` includes those before it. */
  readonly #overflow = new Map<string, Sighting>();
  /** By line, the last skipped sighting that no later one has counted yet. */
  readonly #skipped = new Map<string, Sighting>();
  /** Lines with a skipped sighting and no commit since. */
  readonly #failing = new Set<string>();
  #pumping: Promise<void> | undefined;
  /** How many sightings are sent one by one, because a batch of them was refused. */
  #singly = 0;
  /** How often the oldest sighting was refused by itself. */
  #refusedAlone = 0;
  #closing = false;
  /** Why the ledger refused any write at the last attempt; undefined where it did not. */
  #refusal: FlancoError | undefined;
  #wake: (() => void) | undefined;
  /** Called after the next attempt. */
  #attempted: (() => void)[] = [];

  constructor(writer: Pick<LedgerWriter, "takeIn">, log: Log, retryMs = RETRY_MS) {
    this.#writer = writer;
    this.#log = log;
    this.#retryMs = retryMs;
  }

  get state(): EdgeQueue {
    return {
      waiting: this.#waiting.length + this.#overflow.size,
      limit: MAX_WAITING,
      refused: this.#refusal !== undefined || this.#failing.size > 0,
    };
  }

  /** The sighting that has waited longest. */
  get oldest(): Sighting | undefined {
    return this.#waiting[0];
  }

  /**
   * Resolves once all sightings that were added until now are
   * committed, or skipped. Rejects while the ledger takes no writes.
   */
  async settled(): Promise<void> {
    // What found the queue full is a gap, whatever its room costs.
    const last = this.#waiting.at(-1)?.source;
    while (this.#waiting.some(({ source }) => source === last)) {
      if (this.#refusal !== undefined) throw this.#refusal;
      await new Promise<void>((resolve) => void this.#attempted.push(resolve));
    }
  }

  /** Resolves once no sighting waits, or the queue is closed. */
  async idle(): Promise<void> {
    await this.#pumping;
  }

  add(seen: Sighting): void {
    const { line } = seen;
    const skipped = this.#skipped.get(line);
    this.#skipped.delete(line);
    const sighting = skipped === undefined ? seen : countingIn(skipped, seen);
    const before = this.#overflow.get(line);
    if (before !== undefined) {
      this.#overflow.set(line, countingIn(before, sighting));
    } else if (this.#waiting.length >= MAX_WAITING) {
      this.#log.error({ line }, "the ledger takes no writes and the queue is full: edges are lost");
      this.#overflow.set(line, sighting);
    } else {
      this.#waiting.push(sighting);
      this.#pumping ??= this.#pump();
    }
  }

  /** Forgets skipped sightings of lines that are not wired. The log has them. */
  retain(isWired: (line: string) => boolean): void {
    for (const line of this.#skipped.keys()) if (!isWired(line)) this.#skipped.delete(line);
    for (const line of this.#failing) if (!isWired(line)) this.#failing.delete(line);
  }

  /**
   * Resolves when everything is committed, or after a last attempt that began after this call.
   * Sightings that are still not committed are lost; the log says how many of which line.
   */
  async close(): Promise<void> {
    this.#closing = true;
    this.#wake?.();
    await this.#pumping;
    const left = [...this.#skipped.values(), ...this.#waiting, ...this.#overflow.values()];
    if (left.length === 0) return;
    const lost: Record<string, number> = {};
    for (const { line, missed } of left) {
      lost[line] = (lost[line] ?? 0) + 1 + missed;
    }
    this.#log.error({ lost }, "the ledger takes no writes and the process ends: edges are lost");
  }

  async #pump(): Promise<void> {
    while (this.#waiting.length > 0) {
      const isLastAttempt = this.#closing;
      const batch = this.#waiting.slice(0, this.#singly > 0 ? 1 : MAX_BATCH);
      try {
        await this.#writer.takeIn(batch);
        this.#committed(batch);
      } catch (error) {
        if (!refusesAll(error)) await this.#isolate(batch, error);
        else {
          this.#noteRefusal(error);
          this.#tellAttempted();
          if (isLastAttempt) break;
          await this.#pause();
        }
      }
      this.#tellAttempted();
    }
    this.#pumping = undefined;
  }

  /** After a refusal of a batch for its content: a sighting that is alone is tried again, or skipped. */
  async #isolate(batch: readonly Sighting[], error: unknown): Promise<void> {
    if (batch.length > 1) {
      this.#singly = batch.length;
    } else if (this.#isWorthRetrying(batch)) {
      this.#refusedAlone += 1;
      await this.#pause();
    } else {
      this.#skip(error);
      this.#passed(1);
    }
  }

  /** So many sightings are committed or skipped. */
  #passed(count: number): void {
    this.#singly = Math.max(0, this.#singly - count);
    this.#refusedAlone = 0;
    this.#readmit();
  }

  #committed(batch: readonly Sighting[]): void {
    if (this.#refusal !== undefined)
      this.#log.warn({ waiting: this.#waiting.length }, "edges are stored again");
    this.#refusal = undefined;
    if (this.#failing.size > 0) for (const { line } of batch) this.#failing.delete(line);
    this.#waiting = this.#waiting.slice(batch.length);
    this.#passed(batch.length);
  }

  /**
   * Whether a sighting that was refused alone is tried again. Not
   * while its line keeps failing: the other lines would wait.
   */
  #isWorthRetrying([sighting]: readonly Sighting[]): boolean {
    if (this.#closing || sighting === undefined || this.#failing.has(sighting.line)) return false;
    return this.#refusedAlone + 1 < TRIES_ALONE;
  }

  #skip(error: unknown): void {
    const skipped = this.#waiting.shift();
    if (skipped === undefined) return;
    const { line, active, timeMs, source } = skipped;
    this.#log.error(
      { err: error, line, active, timeMs, source },
      "an edge is skipped, because the ledger cannot take it in: its line's next edge counts it as missed",
    );
    this.#failing.add(line);
    const index = this.#waiting.findIndex((one) => one.line === line);
    const next = this.#waiting[index];
    const overflowed = this.#overflow.get(line);
    if (next !== undefined) this.#waiting[index] = countingIn(skipped, next);
    else if (overflowed !== undefined) this.#overflow.set(line, countingIn(skipped, overflowed));
    else this.#skipped.set(line, skipped);
  }

  /** Logs a refusal once, when it begins: a line for every attempt would take the little room of a full disk. */
  #noteRefusal(error: FlancoError): void {
    const isFirst = this.#refusal === undefined;
    this.#refusal = error;
    if (!isFirst) return;
    this.#log.error({ err: error, waiting: this.#waiting.length }, "edges wait: the ledger takes no writes");
  }

  #tellAttempted(): void {
    for (const tell of this.#attempted.splice(0)) tell();
  }

  #readmit(): void {
    for (const [line, sighting] of this.#overflow) {
      if (this.#waiting.length >= MAX_WAITING) return;
      this.#overflow.delete(line);
      this.#waiting.push(sighting);
      this.#log.error({ line, missed: sighting.missed }, "edges lost to a full queue: kept as a gap");
    }
  }

  async #pause(): Promise<void> {
    if (this.#closing) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, this.#retryMs);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

function refusesAll(error: unknown): error is FlancoError {
  return error instanceof FlancoError && REFUSES_ALL.has(error.code);
}

/** The later of two sightings of a line, which counts the earlier one, and what that missed, as missed. */
function countingIn(before: Sighting, sighting: Sighting): Sighting {
  const { unwatchedSince = sighting.unwatchedSince } = before;
  return {
    ...sighting,
    missed: before.missed + 1 + sighting.missed,
    ...(unwatchedSince === undefined ? {} : { unwatchedSince }),
  };
}
