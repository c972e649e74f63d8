import { MINUTE_MS } from "./clock.ts";
import { type Fault, type FaultCode, faultName } from "./fault.ts";

/** How long a fault must last before people are told: many pass by themselves. */
const BEGUN_MS = 2 * MINUTE_MS;
/** How long it must be away before it is over: a fault that comes and goes is one. Longer than a restart takes to find it again. */
const OVER_MS = 15 * MINUTE_MS;

/** They tell of something that has happened, and end a day later. */
const PAST: ReadonlySet<FaultCode> = new Set(["edges_lost", "line_outage"]);

/** What people are to be told after a look. */
export interface FaultNews {
  readonly begun: readonly Fault[];
  /** Faults as they were told of. */
  readonly over: readonly Fault[];
}

/** Tells of each fault once when it begins and once when it is over. */
export class FaultWatch {
  /** Those that were told of and are not over, by name. */
  readonly #known: Map<string, Fault>;
  /** Since when others are seen, in monotonic time. */
  readonly #seenSinceMs = new Map<string, number>();
  /** Since when known ones are not seen. */
  readonly #awaySinceMs = new Map<string, number>();

  /** @param known faults that an earlier process has told of */
  constructor(known: readonly Fault[]) {
    this.#known = new Map(known.map((fault) => [faultName(fault), fault]));
  }

  /** The faults that were told of and are not over. */
  get known(): readonly Fault[] {
    return [...this.#known.values()];
  }

  /** Takes in the faults of this moment of monotonic time. */
  look(faults: readonly Fault[], monotonicMs: number): FaultNews {
    const present = new Map(faults.map((fault) => [faultName(fault), fault]));
    for (const name of this.#seenSinceMs.keys()) if (!present.has(name)) this.#seenSinceMs.delete(name);
    for (const name of this.#awaySinceMs.keys()) if (present.has(name)) this.#awaySinceMs.delete(name);
    const begun = [...present].flatMap(([name, fault]) => {
      if (this.#known.has(name)) return [];
      if (monotonicMs - since(this.#seenSinceMs, name, monotonicMs) < BEGUN_MS) return [];
      this.#seenSinceMs.delete(name);
      this.#known.set(name, fault);
      return [fault];
    });
    const over = [...this.#known].flatMap(([name, fault]) => {
      if (present.has(name)) return [];
      if (monotonicMs - since(this.#awaySinceMs, name, monotonicMs) < OVER_MS) return [];
      this.#awaySinceMs.delete(name);
      this.#known.delete(name);
      return PAST.has(fault.code) ? [] : [fault];
    });
    return { begun, over };
  }
}

/** Since when something is noted; from now on where it was not. */
function since(noted: Map<string, number>, name: string, nowMs: number): number {
  const before = noted.get(name);
  if (before === undefined) noted.set(name, nowMs);
  return before ?? nowMs;
}
