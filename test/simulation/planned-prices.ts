import type { Day } from "../../src/domain/day.ts";
import { LocalCalendar } from "../../src/ledger/nouns/calendar.ts";

interface Plan {
  readonly room: string;
  readonly valorMicros: number;
  readonly from: Day;
  /** When another price was set to hold at once, in true time: from then on this one does not. */
  endUs: number;
}

/** The prices that rooms have from a later local day on. */
export class PlannedPrices {
  #plans: Plan[] = [];
  #calendar = new LocalCalendar("UTC");

  set timeZone(timeZone: string) {
    if (this.#calendar.timeZone !== timeZone) this.#calendar = new LocalCalendar(timeZone);
  }

  plan(room: string, valorMicros: number, from: Day): void {
    this.#plans = this.#plans.filter((one) => one.room !== room || one.from !== from);
    this.#plans.push({ room, valorMicros, from, endUs: Number.POSITIVE_INFINITY });
  }

  /** Undefined where none holds then: `timeMs` by the wall clock, which says the day, `us` in true time. */
  at(room: string, timeMs: number, us: number): number | undefined {
    return this.#begun(room, timeMs)
      .filter(({ endUs }) => endUs > us)
      .toSorted((one, other) => other.from - one.from)[0]?.valorMicros;
  }

  /** Another price holds for the room from this moment on. */
  end(room: string, timeMs: number, us: number): void {
    for (const plan of this.#begun(room, timeMs)) plan.endUs = Math.min(plan.endUs, us);
  }

  #begun(room: string, timeMs: number): readonly Plan[] {
    const day = this.#calendar.dayOf(timeMs);
    return this.#plans.filter((plan) => plan.room === room && plan.from <= day);
  }
}
