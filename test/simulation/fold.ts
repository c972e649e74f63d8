import { type Boot, wallTimeMs } from "../../src/domain/boot.ts";
import type { Day, Month } from "../../src/domain/day.ts";
import type { LedgerCommands } from "../../src/domain/ledger.ts";
import type { Sighting } from "../../src/domain/sale.ts";
import type { NewTariff, NewWiring, Tariff } from "../../src/domain/wiring.ts";
import { LocalCalendar } from "../../src/ledger/nouns/calendar.ts";
import { LINES, type TrueEdge } from "./chip.ts";
import { PaidRooms, roomMomentOf } from "./paid-rooms.ts";
import type { Commit } from "./process.ts";
import { ZONE } from "./template.ts";
import type { Truth } from "./truth.ts";

const US_PER_MS = 1_000;

export type Input<N extends keyof LedgerCommands> = Parameters<LedgerCommands[N]>;

/** What holds of a line from a moment on. */
interface WiringState {
  readonly fromUs: number;
  /** Null while it is unwired. */
  readonly stretch: Stretch | null;
  readonly valorMicros: number;
  readonly rearmMs: number;
  readonly paidMinutes: number;
}

/** One line as one room, from its wiring to the next. */
interface Stretch {
  readonly room: string;
  /** When it was first seen. */
  firstUs?: number;
  last?: LastLevel;
}

interface LastLevel {
  readonly active: boolean;
  readonly us: number;
  readonly bootId: string;
  readonly timeMs: number;
  readonly provisional: boolean;
  readonly hasSale: boolean;
}

export interface Sale {
  readonly key: string;
  readonly room: string;
  readonly valorMicros: number;
  readonly timeMs: number;
  /** The moment by which it is given its time; null for a trusted time. */
  readonly provisional: { readonly bootId: string; readonly monotonicMs: number } | null;
  /** Of a refund: the key of its sale. */
  readonly refundOf?: string;
}

/** What follows from the commits, one after the other. */
export class Fold {
  readonly wrong: string[] = [];
  readonly sales = new Map<string, Sale>();
  /** Gaps of edges that the kernel has dropped: line, edges, rises. */
  readonly overflows: string[] = [];
  /** Rises of lines under test. */
  readonly tested: string[] = [];
  /** The edges that the kernel has dropped. */
  readonly counted = new Set<TrueEdge>();
  readonly wired = new Map<string, WiringState[]>(LINES.map((line) => [line, []]));
  /** Keys of sales. */
  readonly voided = new Set<string>();
  /** The months that were closed, in their order. */
  readonly closed: Month[] = [];
  /** Wall time of each boot's monotonic zero, as far as the ledger knows it. */
  readonly zeros = new Map<string, number>();
  readonly #truth: Truth;
  readonly #prices = new PlannedPrices();
  readonly #tests = new LineTests();
  /** As the ledger knows them, in their order. */
  readonly #boots = new Map<string, Boot>();
  readonly #paid = new PaidRooms(
    (bootId) => this.#boots.get(bootId)?.zeroMs ?? null,
    (key) => void this.voided.add(key),
  );
  /** Of records, by their positions. */
  readonly #keys = new Map<number, string>();
  readonly #lastSeen = new Map<string, { us: number; request: number }>();

  constructor(truth: Truth) {
    this.#truth = truth;
  }

  take(commit: Commit): void {
    const { bootId, batch, accepted } = commit;
    const atUs = this.#truth.boot(bootId).startUs + batch.monotonicMs * US_PER_MS;
    batch.commands.forEach(({ name, input }, index) => {
      if (accepted[index] === true) this.#apply(name, input, atUs, commit, commit.records[index] ?? []);
    });
  }

  /** Provisional sales have their time once that is known. */
  settle(): void {
    for (const [key, sale] of this.sales) {
      const zeroMs = sale.provisional === null ? undefined : this.zeros.get(sale.provisional.bootId);
      if (sale.provisional === null || zeroMs === undefined) continue;
      this.sales.set(key, { ...sale, timeMs: zeroMs + sale.provisional.monotonicMs });
    }
  }

  #apply(
    name: keyof LedgerCommands,
    input: readonly unknown[],
    atUs: number,
    { bootId, batch: { nowMs, monotonicMs } }: Commit,
    records: Commit["records"][number],
  ): void {
    switch (name) {
      case "takeIn":
        (input as Input<"takeIn">)[0].forEach((sighting, index) => {
          this.#see(sighting);
          this.#name(records[index], keyOf(sighting));
        });
        return;
      case "setWiring":
        for (const { wiring } of (input as Input<"setWiring">)[0]) {
          const { valorMicros, paidMinutes } = wiring;
          if (valorMicros === null || paidMinutes === null) throw new Error("A history names each price.");
          this.#wire({ ...wiring, valorMicros, paidMinutes }, atUs, nowMs, bootId);
        }
        return;
      case "removeWiring": {
        const [, line] = input as Input<"removeWiring">;
        this.#change(line, atUs, { stretch: null });
        return;
      }
      case "addRecord": {
        const { room, valorMicros, createdTimeMs } = (input as Input<"addRecord">)[1];
        this.sales.set(room, { key: room, room, valorMicros, timeMs: createdTimeMs, provisional: null });
        this.#name(records[0], room);
        return;
      }
      case "addSale": {
        const { room, valorMicros, timeMs, reason } = (input as Input<"addSale">)[1];
        // The key is the first one's: asked again, it is what is there.
        if (this.sales.has(reason)) return;
        this.sales.set(reason, {
          key: reason,
          room,
          valorMicros: valorMicros ?? 0,
          timeMs,
          provisional: null,
        });
        this.#name(records[0], reason);
        return;
      }
      case "refundRecord": {
        const [, recordId, { valorMicros }] = input as Input<"refundRecord">;
        const at = this.#boots.get(bootId)?.zeroMs == null ? { bootId, monotonicMs } : null;
        this.#refund(this.#keys.get(recordId) ?? "", valorMicros, records[0] ?? 0, nowMs, at);
        return;
      }
      case "voidRecord": {
        const key = this.#keys.get((input as Input<"voidRecord">)[0]) ?? "";
        this.voided.add(key);
        this.#paid.void(key);
        return;
      }
      case "movePaidTime": {
        const [, from, to] = input as Input<"movePaidTime">;
        const at = { bootId, upUs: monotonicMs * US_PER_MS, timeMs: null };
        if (!this.#paid.move(from.room, to.room, at)) this.wrong.push(`${from.room} was not paid to move`);
        return;
      }
      case "settleTimes": {
        const [settled] = input as Input<"settleTimes">;
        this.#paid.decide(settled);
        return;
      }
      case "closeMonth":
        this.closed.push((input as Input<"closeMonth">)[1].month);
        return;
      case "planPrices": {
        const [, lines, tariff, from] = input as Input<"planPrices">;
        for (const line of lines) this.#prices.plan(this.#roomOf(line) ?? "", tariff, from);
        return;
      }
      case "beginCommission": {
        const [, , lines, lifeMs] = input as Input<"beginCommission">;
        for (const line of LINES) if (this.#roomOf(line) === undefined) this.#tests.end(line, atUs);
        for (const line of lines) {
          this.#tests.end(line, atUs);
          // The last millisecond belongs to what was before.
          this.#tests.begin(line, bootId, atUs + US_PER_MS, lifeMs * US_PER_MS);
        }
        return;
      }
      case "pauseCommission":
        for (const line of LINES) this.#tests.end(line, atUs);
        return;
      case "keepUnwatched": {
        const [lastAlive] = input as Input<"keepUnwatched">;
        const before = this.#boots.get(lastAlive?.bootId ?? "");
        if (lastAlive === undefined || before === undefined) return;
        const lastMs = Math.max(lastAlive.monotonicMs, before.lastMs);
        this.#boots.set(before.bootId, { ...before, lastMs });
        return;
      }
      case "noteBoot": {
        const [bootId, zeroMs, aliveMs = monotonicMs] = input as Input<"noteBoot">;
        const before = this.#boots.get(bootId);
        const lastMs = Math.max(aliveMs, before?.lastMs ?? 0);
        this.#boots.set(bootId, { bootId, zeroMs: zeroMs ?? before?.zeroMs ?? null, lastMs });
        if (zeroMs === null) return;
        this.zeros.set(bootId, zeroMs);
        const { startUs } = this.#truth.boot(bootId);
        if (!this.#truth.mayRead(bootId, startUs, zeroMs))
          this.wrong.push(`the zero of ${bootId} is ${zeroMs}`);
      }
    }
  }

  #refund(
    of: string,
    micros: number,
    position: number,
    timeMs: number,
    provisional: Sale["provisional"],
  ): void {
    const sale = this.sales.get(of);
    const given = [...this.sales.values()].filter(
      ({ key, refundOf }) => refundOf === of && !this.isVoid(key),
    );
    const left = given.reduce((sum, { valorMicros }) => sum + valorMicros, sale?.valorMicros ?? 0);
    if (sale === undefined || sale.refundOf !== undefined || this.isVoid(of) || micros > left)
      this.wrong.push(`${micros} of ${of} were given back, of which ${left} were left`);
    const key = `refund ${position}`;
    this.sales.set(key, {
      ...{ key, room: sale?.room ?? "", valorMicros: -micros, timeMs, provisional, refundOf: of },
    });
    this.#name(position, key);
  }

  /** A void sale's refunds are void with it. */
  isVoid(key: string): boolean {
    return this.voided.has(key) || this.voided.has(this.sales.get(key)?.refundOf ?? "");
  }

  #roomOf(line: string): string | undefined {
    return this.wired.get(line)?.at(-1)?.stretch?.room;
  }

  #wire(
    { line, actuatorId: room, valorMicros, paidMinutes, rearmMs }: NewWiring & Tariff,
    atUs: number,
    nowMs: number,
    bootId: string,
  ): void {
    const last = this.wired.get(line)?.at(-1);
    const before = last?.stretch;
    // A sale of this moment has its price by the last moment that a trusted clock has seen, where the clock is not trusted.
    const heldMs = this.#boots.get(bootId)?.zeroMs === null ? this.#lastTrustedMs() : nowMs;
    const planned = heldMs === undefined ? undefined : this.#prices.at(room, heldMs);
    const held = before == null ? undefined : (planned ?? last);
    const isHeld = held?.valorMicros === valorMicros && held.paidMinutes === paidMinutes;
    if (!isHeld && heldMs !== undefined) this.#prices.end(room, heldMs);
    const stretch = before?.room === room ? before : { room };
    this.#change(line, before == null ? atUs - US_PER_MS : atUs, {
      stretch,
      valorMicros,
      paidMinutes,
      rearmMs,
    });
  }

  /** A moment is kept in whole milliseconds, rounded down, and the last one belongs to what was before. */
  #change(line: string, atUs: number, change: Partial<WiringState>): void {
    const all = this.wired.get(line) ?? [];
    const before = all.at(-1) ?? { stretch: null, valorMicros: 0, paidMinutes: 0, rearmMs: 0 };
    all.push({ ...before, ...change, fromUs: atUs + US_PER_MS });
  }

  #see(sighting: Sighting): void {
    const { line, active, source, missed, actuatorId } = sighting;
    const us = this.#truth.usOf(sighting);
    const last = this.#lastSeen.get(line);
    if (last !== undefined && us <= last.us && source.sequence > 0) return;
    this.#lastSeen.set(line, { us, request: source.request });
    const lost = last?.request === source.request ? this.#truth.between(line, last.us, us) : [];
    if (missed !== lost.length) this.wrong.push(`${line} at ${us}: ${missed} missed, must be ${lost.length}`);
    for (const edge of lost) this.counted.add(edge);
    if (this.#truth.isHigh(line, us) !== active) this.wrong.push(`${line} at ${us}: not ${active}`);
    if (!this.#truth.mayRead(source.bootId, us, sighting.timeMs)) this.wrong.push(`${line} at ${us}: time`);
    const wired = this.wired.get(line)?.at(-1);
    if (wired?.stretch?.room !== actuatorId) {
      // The watch for the room of before saw it, after the change: whose rise it was cannot be told, so it is a gap.
      if (active && source.sequence > 0) this.#overflow(line, missed + 1, false);
      return;
    }
    this.#judge(sighting, us, wired, wired.stretch);
  }

  #name(record: number | null | undefined, key: string): void {
    if (record != null) this.#keys.set(record, key);
  }

  #judge(sighting: Sighting, us: number, wired: WiringState, stretch: Stretch): void {
    const { line, active, source, missed, provisional, timeMs } = sighting;
    const before = stretch.last;
    if (missed > 0) this.#overflow(line, missed, before?.active === true);
    stretch.firstUs ??= us;
    const rose = active && (before === undefined ? source.sequence > 0 : !before.active || missed > 0);
    const moment = { bootId: source.bootId, monotonicMs: Number(sighting.monotonicNs) / 1e6 };
    const key = keyOf(sighting);
    const { room } = stretch;
    const at = roomMomentOf(sighting);
    const paid = active ? this.#paid.look(room, at) : "counts";
    const isTested = rose && this.#tests.has(line, us, source.bootId);
    if (isTested) this.tested.push(key);
    const isSame = before !== undefined && isSameSale(before, sighting, us, wired.rearmMs);
    const isPaid = typeof paid !== "string";
    if (rose && !isTested && isPaid) this.#paid.goOn(room, paid.key);
    const isSale = rose && !isTested && !isSame && !isPaid;
    if (isSale) {
      const { valorMicros, paidMinutes } = this.#plannedFor(room, sighting) ?? wired;
      this.sales.set(key, {
        key,
        room,
        valorMicros,
        timeMs,
        provisional: provisional ? moment : null,
      });
      this.#paid.sell(room, key, at, paid, paidMinutes);
    }
    if (before !== undefined && before.active === active && !rose) return;
    const hasSale = isSale || (!isTested && (before?.hasSale === true || (rose && isPaid)));
    stretch.last = { active, us, bootId: source.bootId, timeMs, provisional, hasSale };
  }

  #overflow(line: string, missed: number, wasActive: boolean): void {
    this.overflows.push(`${line} ${missed} ${wasActive ? Math.floor(missed / 2) : Math.ceil(missed / 2)}`);
  }

  /** By its time; where that is not known, by the last moment that a trusted clock has seen. */
  #plannedFor(room: string, { source, monotonicNs, provisional, timeMs }: Sighting): Tariff | undefined {
    const zeroMs = this.#boots.get(source.bootId)?.zeroMs;
    if (!provisional) return this.#prices.at(room, timeMs);
    if (zeroMs != null) return this.#prices.at(room, wallTimeMs(zeroMs, Number(monotonicNs) / 1e6));
    const lastMs = this.#lastTrustedMs();
    return lastMs === undefined ? undefined : this.#prices.at(room, lastMs);
  }

  #lastTrustedMs(): number | undefined {
    const known = [...this.#boots.values()].flatMap(({ zeroMs, lastMs }) =>
      zeroMs === null ? [] : [zeroMs + lastMs],
    );
    return known.length === 0 ? undefined : Math.max(...known);
  }
}

/** What tells a sale of a line from all others. */
function keyOf({ line, source, monotonicNs }: Sighting): string {
  return `${line} ${source.bootId} ${monotonicNs}`;
}

/** High again within the rearm time after the fall: by the wall clock over two boots, where that was trusted in both. */
function isSameSale(
  before: LastLevel,
  { source, provisional, timeMs }: Sighting,
  us: number,
  rearmMs: number,
): boolean {
  if (before.active || !before.hasSale) return false;
  const isOneBoot = before.bootId === source.bootId;
  if (!isOneBoot && (before.provisional || provisional)) return false;
  const lowMs = isOneBoot ? (us - before.us) / US_PER_MS : timeMs - before.timeMs;
  return lowMs >= 0 && lowMs < rearmMs;
}

interface LineTest {
  readonly line: string;
  readonly bootId: string;
  readonly fromUs: number;
  endUs: number;
}

/** When each line was under test. */
class LineTests {
  readonly #all: LineTest[] = [];

  begin(line: string, bootId: string, fromUs: number, lifeUs: number): void {
    this.#all.push({ line, bootId, fromUs, endUs: fromUs + lifeUs });
  }

  end(line: string, us: number): void {
    for (const test of this.#all) if (test.line === line) test.endUs = Math.min(test.endUs, us);
  }

  has(line: string, us: number, bootId: string): boolean {
    return this.#all.some(
      (test) => test.line === line && test.bootId === bootId && test.fromUs <= us && us < test.endUs,
    );
  }
}

interface Plan extends Tariff {
  readonly room: string;
  readonly from: Day;
}

/** The prices that rooms have from a later local day on. */
class PlannedPrices {
  #plans: Plan[] = [];
  readonly #calendar = new LocalCalendar(ZONE);

  plan(room: string, { valorMicros, paidMinutes }: NewTariff, from: Day): void {
    if (paidMinutes === null) throw new Error("A history names each paid time.");
    this.#plans = this.#plans.filter((one) => one.room !== room || one.from !== from);
    this.#plans.push({ room, valorMicros, paidMinutes, from });
  }

  /** Undefined where none holds then, by the wall clock. */
  at(room: string, timeMs: number): Tariff | undefined {
    return this.#begun(room, timeMs).toSorted((one, other) => other.from - one.from)[0];
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
