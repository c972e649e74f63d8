import type { Day } from "../../src/domain/day.ts";
import { LocalCalendar } from "../../src/ledger/nouns/calendar.ts";

interface Plan {
  readonly room: string;
  readonly valorMicros: number;
  readonly from: Day;
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
    this.#plans.push({ room, valorMicros, from });
  }

  /** Undefined where none holds then, by the wall clock. */
  at(room: string, timeMs: number): number | undefined {
    return this.#begun(room, timeMs).toSorted((one, other) => other.from - one.from)[0]?.valorMicros;
  }

  /** Another price holds for the room from here on. */
  end(room: string, timeMs: number): void {
    const ended = new Set(this.#begun(room, timeMs));
    this.#plans = this.#plans.filter((plan) => !ended.has(plan));
  }

  #begun(room: string, timeMs: number): readonly Plan[] {
    const day = this.#calendar.dayOf(timeMs);
    return this.#plans.filter((plan) => plan.room === room && plan.from <= day);
  }
}
