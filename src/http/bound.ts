import { boundADay, type Declaration } from "../contract/declaration.ts";
import { type Clock, DAY_MS, monotonicMs, SECOND_MS } from "../domain/clock.ts";
import { FlancoError } from "../domain/error.ts";
import type { Id } from "../domain/id.ts";

interface Period {
  readonly endsMs: number;
  count: number;
}

/**
 * Counts by key in a time that begins with the key's first count. The counts are in
 * memory, and start again at a restart; the time is monotonic.
 */
export class PeriodCounts {
  readonly #clock: Clock;
  readonly #lengthMs: number;
  readonly #maxKeys: number;
  /** The period that began first comes first. */
  readonly #periods = new Map<string, Period>();

  /** @param maxKeys beyond it the key that began first is forgotten */
  constructor(clock: Clock, lengthMs: number, maxKeys = Number.POSITIVE_INFINITY) {
    this.#clock = clock;
    this.#lengthMs = lengthMs;
    this.#maxKeys = maxKeys;
  }

  of(key: string): number {
    return this.#current(key)?.count ?? 0;
  }

  /** How long the key's period lasts on, in milliseconds. */
  leftMs(key: string): number {
    const { endsMs = 0 } = this.#current(key) ?? {};
    return Math.max(0, endsMs - monotonicMs(this.#clock));
  }

  /** Gives the function that takes the count back. */
  add(key: string, count = 1): () => void {
    const period = this.#current(key) ?? this.#begin(key);
    period.count += count;
    return () => {
      period.count -= count;
    };
  }

  #begin(key: string): Period {
    const period = { endsMs: monotonicMs(this.#clock) + this.#lengthMs, count: 0 };
    this.#periods.delete(key);
    this.#periods.set(key, period);
    forgetOldest(this.#periods, this.#maxKeys);
    return period;
  }

  #current(key: string): Period | undefined {
    const period = this.#periods.get(key);
    return period === undefined || period.endsMs <= monotonicMs(this.#clock) ? undefined : period;
  }
}

/** Forgets the first key where there are more than so many. Call it after each new key. */
export function forgetOldest(
  keys: { readonly size: number; keys(): Iterable<string>; delete(key: string): unknown },
  max: number,
): void {
  const [oldest] = keys.keys();
  if (keys.size > max && oldest !== undefined) keys.delete(oldest);
}

/** Counts one change of a member. Gives the function that takes it back, where nothing was changed. Throws `too_many`. */
export type CountChange = (memberId: Id, declaration: Declaration) => () => void;

/** Bounds what each member changes in a day, so that none wears out the card. */
export function changeCounter(clock: Clock): CountChange {
  const changes = new PeriodCounts(clock, DAY_MS);
  return (memberId, declaration) => {
    const bound = boundADay(declaration);
    if (bound === null) return () => {};
    const key = declaration.aDay === undefined ? memberId : `${memberId} ${declaration.path}`;
    if (changes.of(key) >= bound) {
      throw new FlancoError("too_many", `A member may do this ${bound} times in a day.`, {
        hint: "Wait, or have another member do it.",
        retryAfterSeconds: Math.ceil(changes.leftMs(key) / SECOND_MS),
      });
    }
    return changes.add(key);
  };
}
