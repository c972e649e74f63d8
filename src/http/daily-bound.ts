import { type Clock, DAY_MS, monotonicMs, SECOND_MS } from "../domain/clock.ts";
import { FlancoError } from "../domain/error.ts";
import type { Id } from "../domain/id.ts";
import type { NewRecord } from "../domain/record.ts";

/** What an account may post in a day. */
export interface DailyLimits {
  readonly records: number;
  readonly bytes: number;
}

/** A record's row, indexes and hash, without its texts. */
const BYTES_BESIDE_TEXTS = 150;

/**
 * Bounds what an account posts in a day, so that one device that runs wild does not fill the disk for all. A day begins with
 * an account's first post and lasts 24 hours of monotonic time. The counts are in memory, and begin anew at a restart.
 * Records of edges are never refused, and do not count.
 */
export class DailyBound {
  readonly #limits: DailyLimits;
  readonly #clock: Clock;
  readonly #posted = new Map<Id, { beganMs: number; records: number; bytes: number }>();

  constructor(limits: DailyLimits, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
  }

  /** Counts a post, stored or not. Throws `too_many`, with the time to wait, where the account has posted too much. */
  take(userId: Id, record: NewRecord): void {
    const nowMs = monotonicMs(this.#clock);
    let day = this.#posted.get(userId);
    if (day === undefined || nowMs >= day.beganMs + DAY_MS) {
      day = { beganMs: nowMs, records: 0, bytes: 0 };
      this.#posted.set(userId, day);
    }
    let bytes = BYTES_BESIDE_TEXTS;
    for (const value of Object.values(record)) {
      if (typeof value === "string") bytes += Buffer.byteLength(value);
    }
    if (day.records + 1 > this.#limits.records || day.bytes + bytes > this.#limits.bytes) {
      throw new FlancoError("too_many", "This account has posted as much as it may in a day.", {
        hint: "daily_records and daily_bytes in the configuration are the bounds.",
        retryAfterSeconds: Math.ceil((day.beganMs + DAY_MS - nowMs) / SECOND_MS),
      });
    }
    day.records += 1;
    day.bytes += bytes;
  }
}
