import type { LedgerWriter } from "../domain/ledger.ts";
import type { Log } from "../domain/log.ts";
import type { Sighting } from "../domain/sale.ts";

/** What may wait while the disk takes nothing: hours of a clinic's switching. */
const MAX_WAITING = 10_000;
/** Levels taken in by one transaction. */
const MAX_BATCH = 1_000;
const RETRY_MS = 500;

/**
 * Brings sightings to the ledger in their order, one transaction at a time, and keeps them until it
 * has taken them in. What does not fit any more is counted, and told with the line's next sighting as
 * lost, so that it stands in the ledger as a gap.
 */
export class SightingQueue {
  readonly #writer: Pick<LedgerWriter, "takeIn">;
  readonly #log: Log;
  #waiting: Sighting[] = [];
  readonly #dropped = new Map<string, number>();
  #pumping: Promise<void> | undefined;
  #closing = false;
  #wake: (() => void) | undefined;

  constructor(writer: Pick<LedgerWriter, "takeIn">, log: Log) {
    this.#writer = writer;
    this.#log = log;
  }

  add(sighting: Sighting): void {
    const { line } = sighting;
    const dropped = this.#dropped.get(line) ?? 0;
    if (this.#waiting.length >= MAX_WAITING) {
      if (dropped === 0)
        this.#log.error({ line }, "the ledger takes nothing and the queue is full: edges are lost");
      this.#dropped.set(line, dropped + 1 + sighting.missed);
      return;
    }
    this.#dropped.delete(line);
    this.#waiting.push(dropped === 0 ? sighting : { ...sighting, missed: sighting.missed + dropped });
    this.#pumping ??= this.#pump();
  }

  /** Resolves when all is committed; after one last try, when the ledger takes nothing any more. */
  async close(): Promise<void> {
    this.#closing = true;
    this.#wake?.();
    await this.#pumping;
  }

  async #pump(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.slice(0, MAX_BATCH);
      try {
        await this.#writer.takeIn(batch);
        this.#waiting = this.#waiting.slice(batch.length);
      } catch (error) {
        this.#log.error(
          { err: error, waiting: this.#waiting.length },
          "edges wait: the ledger takes no writes",
        );
        if (this.#closing) break;
        await this.#pause();
      }
    }
    this.#pumping = undefined;
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
