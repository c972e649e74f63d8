import type { LedgerWriter } from "../domain/ledger.ts";
import type { Log } from "../domain/log.ts";
import type { Queue } from "../domain/queue.ts";
import type { Sighting } from "../domain/sale.ts";

/** What may wait while the disk takes nothing: hours of a clinic's switching. */
const MAX_WAITING = 10_000;
/** Levels taken in by one transaction. */
const MAX_BATCH = 1_000;
const RETRY_MS = 500;

/**
 * Brings sightings to the ledger in their order, one transaction at a time, and keeps them until it
 * has taken them in. Of what does not fit any more, each line's last sighting stays, with the others before
 * it counted as lost: it follows as soon as there is room, so that they stand in the ledger as a gap.
 */
export class SightingQueue {
  readonly #writer: Pick<LedgerWriter, "takeIn">;
  readonly #log: Log;
  #waiting: Sighting[] = [];
  /** By line, its last sighting that found no room, `missed` counting those before it. */
  readonly #overflow = new Map<string, Sighting>();
  #pumping: Promise<void> | undefined;
  #closing = false;
  #refused = false;
  #wake: (() => void) | undefined;

  constructor(writer: Pick<LedgerWriter, "takeIn">, log: Log) {
    this.#writer = writer;
    this.#log = log;
  }

  /** How many wait, those without a place among them. */
  get state(): Queue {
    return { waiting: this.#waiting.length + this.#overflow.size, limit: MAX_WAITING };
  }

  add(sighting: Sighting): void {
    const { line, missed } = sighting;
    const before = this.#overflow.get(line);
    if (before !== undefined) {
      const { unwatchedSince = sighting.unwatchedSince } = before;
      this.#overflow.set(line, {
        ...sighting,
        missed: before.missed + 1 + missed,
        ...(unwatchedSince === undefined ? {} : { unwatchedSince }),
      });
    } else if (this.#waiting.length >= MAX_WAITING) {
      this.#log.error({ line }, "the ledger takes nothing and the queue is full: edges are lost");
      this.#overflow.set(line, sighting);
    } else {
      this.#waiting.push(sighting);
      this.#pumping ??= this.#pump();
    }
  }

  /**
   * Resolves when all is committed, or after one last try that began after this call. What the ledger
   * did not take by then is lost: the log tells how much of which line.
   */
  async close(): Promise<void> {
    this.#closing = true;
    this.#wake?.();
    await this.#pumping;
    if (this.#waiting.length === 0) return;
    const lost: Record<string, number> = {};
    for (const { line, missed } of [...this.#waiting, ...this.#overflow.values()]) {
      lost[line] = (lost[line] ?? 0) + 1 + missed;
    }
    this.#log.error({ lost }, "the ledger takes nothing and the process ends: edges are lost");
  }

  async #pump(): Promise<void> {
    while (this.#waiting.length > 0) {
      const last = this.#closing;
      const batch = this.#waiting.slice(0, MAX_BATCH);
      try {
        await this.#writer.takeIn(batch);
        if (this.#refused) this.#log.warn({ waiting: this.#waiting.length }, "edges are taken in again");
        this.#refused = false;
        this.#waiting = this.#waiting.slice(batch.length);
        this.#readmit();
      } catch (error) {
        this.#tellRefused(error);
        if (last) break;
        if (!this.#closing) await this.#pause();
      }
    }
    this.#pumping = undefined;
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

  #pause(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, RETRY_MS);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
