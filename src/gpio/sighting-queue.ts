import { type ErrorCode, FlancoError } from "../domain/error.ts";
import type { LedgerWriter } from "../domain/ledger.ts";
import type { Log } from "../domain/log.ts";
import type { EdgeQueue } from "../domain/queue.ts";
import type { Sighting } from "../domain/sale.ts";

/** What may wait while the disk takes nothing: hours of a clinic's switching. */
const MAX_WAITING = 10_000;
/** Levels taken in by one transaction. */
const MAX_BATCH = 1_000;
const RETRY_MS = 500;
/** How often a sighting is refused by itself before it is skipped: what failed may pass, memory that ran short, say. */
const TRIES_ALONE = 4;
/** What the ledger refuses everything with. Any other code is about something in what it was given. */
const TAKES_NOTHING: ReadonlySet<ErrorCode> = new Set(["unavailable", "overloaded", "damaged"]);

/**
 * Brings sightings to the ledger in their order, one transaction at a time, and keeps them until it
 * has taken them in. Of what does not fit any more, each line's last sighting stays, with the others before
 * it counted as lost: it follows as soon as there is room, so that they stand in the ledger as a gap.
 *
 * A sighting that the ledger refuses for itself is looked for by halves and skipped, so that neither its line nor
 * another ends with it. Its line's next sighting counts it as missed: it too stands in the ledger as a gap.
 */
export class SightingQueue {
  readonly #writer: Pick<LedgerWriter, "takeIn">;
  readonly #log: Log;
  readonly #retryMs: number;
  #waiting: Sighting[] = [];
  /** By line, its last sighting that found no room, `missed` counting those before it. */
  readonly #overflow = new Map<string, Sighting>();
  /** By line, its last sighting that was skipped, as long as no other has come that could count it. */
  readonly #skipped = new Map<string, Sighting>();
  /** Lines of which nothing was taken in since one of their sightings was skipped. */
  readonly #failing = new Set<string>();
  #pumping: Promise<void> | undefined;
  #closing = false;
  #refused = false;
  #wake: (() => void) | undefined;

  constructor(writer: Pick<LedgerWriter, "takeIn">, log: Log, retryMs = RETRY_MS) {
    this.#writer = writer;
    this.#log = log;
    this.#retryMs = retryMs;
  }

  /** How many wait, those without a place among them. */
  get state(): EdgeQueue {
    return {
      waiting: this.#waiting.length + this.#overflow.size,
      limit: MAX_WAITING,
      refused: this.#refused || this.#failing.size > 0,
    };
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
      this.#log.error({ line }, "the ledger takes nothing and the queue is full: edges are lost");
      this.#overflow.set(line, sighting);
    } else {
      this.#waiting.push(sighting);
      this.#pumping ??= this.#pump();
    }
  }

  /** A line that is wired no longer has no next sighting: the log alone tells what was skipped of it. */
  retain(isWired: (line: string) => boolean): void {
    for (const line of this.#skipped.keys()) if (!isWired(line)) this.#skipped.delete(line);
    for (const line of this.#failing) if (!isWired(line)) this.#failing.delete(line);
  }

  /**
   * Resolves when all is committed, or after one last try that began after this call. What the ledger
   * did not take by then is lost: the log tells how much of which line.
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
    this.#log.error({ lost }, "the ledger takes nothing and the process ends: edges are lost");
  }

  async #pump(): Promise<void> {
    let size = MAX_BATCH;
    let refusedAlone = 0;
    while (this.#waiting.length > 0) {
      const last = this.#closing;
      const batch = this.#waiting.slice(0, size);
      try {
        await this.#writer.takeIn(batch);
        this.#noteTaken(batch);
        size = MAX_BATCH;
        refusedAlone = 0;
      } catch (error) {
        if (takesNothing(error)) {
          this.#tellRefused(error);
          if (last) break;
          await this.#pause();
        } else if (batch.length > 1) {
          size = Math.ceil(batch.length / 2);
        } else if (this.#isWorthAnother(batch, refusedAlone)) {
          refusedAlone += 1;
          await this.#pause();
        } else {
          this.#skip(error);
          size = MAX_BATCH;
          refusedAlone = 0;
        }
      }
    }
    this.#pumping = undefined;
  }

  #noteTaken(batch: readonly Sighting[]): void {
    if (this.#refused) this.#log.warn({ waiting: this.#waiting.length }, "edges are taken in again");
    this.#refused = false;
    if (this.#failing.size > 0) for (const { line } of batch) this.#failing.delete(line);
    this.#waiting = this.#waiting.slice(batch.length);
    this.#readmit();
  }

  /** No more tries for a line that fails sighting after sighting: the others would wait for each of them. */
  #isWorthAnother([sighting]: readonly Sighting[], refusedBefore: number): boolean {
    if (this.#closing || sighting === undefined || this.#failing.has(sighting.line)) return false;
    return refusedBefore + 1 < TRIES_ALONE;
  }

  /** Goes on without the first that waits. */
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
    this.#readmit();
  }

  /** Once each time it begins: on a full disk a log of every try would be in its own way. */
  #tellRefused(error: unknown): void {
    if (this.#refused) return;
    this.#refused = true;
    this.#log.error({ err: error, waiting: this.#waiting.length }, "edges wait: the ledger takes no writes");
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

function takesNothing(error: unknown): boolean {
  return error instanceof FlancoError && TAKES_NOTHING.has(error.code);
}

/** A line's later sighting, with the one before it, and what that counted, as missed. */
function countingIn(before: Sighting, sighting: Sighting): Sighting {
  const { unwatchedSince = sighting.unwatchedSince } = before;
  return {
    ...sighting,
    missed: before.missed + 1 + sighting.missed,
    ...(unwatchedSince === undefined ? {} : { unwatchedSince }),
  };
}
