import type { SettlementContent } from "../../contract/settlement.ts";
import { sumOf, totalsOf } from "../../contract/settlement-text.ts";
import { MICROS_DECIMALS, microsFromValor, valorFromMicros } from "../../domain/amount.ts";
import { FlancoError } from "../../domain/error.ts";
import type { StoredRecord } from "../../domain/record.ts";
import { MAX_CHARACTERS, MAX_REPORTED_ROOMS } from "../../domain/report.ts";
import type { SettlementDetails } from "../../domain/settlement.ts";
import { SPLIT, splitOf, type Terms } from "../../domain/terms.ts";
import { inOrder } from "../../domain/text.ts";

/** A record as a settlement looks at it. */
export interface SettledRecord
  extends Pick<
    StoredRecord,
    ("recordId" | "number" | "locationName" | "deviceId" | "deviceName" | "room") | ("valorMicros" | "origin")
  > {
  /** When it counted by the entries up to the settlement before; null where it was not there yet, or void. */
  readonly beforeMs: number | null;
  /** Its time by the entries up to this settlement's mark, also where it is void by them. */
  readonly afterMs: number;
  readonly isVoid: number;
  /** 1 where its time is not trusted. */
  readonly provisional: number;
}

/** What a settlement is made of beside its records. */
export interface SettlementBasis extends Pick<SettlementDetails, "currency" | "counted"> {
  /** In Unix milliseconds: its month from `fromMs` to before `untilMs`, and the closed ones since `firstMs`. */
  readonly firstMs: number;
  readonly fromMs: number;
  readonly untilMs: number;
  /** The locations that are settled also where they have sold nothing. */
  readonly agreed: readonly string[];
  /** The name that a location of this name has today. */
  nameToday(locationName: string): string;
  /** All names that the location of a name of today has or had. */
  namesOf(name: string): readonly string[];
  /** A location's terms of the month. */
  termsOf(name: string): Terms | null;
  /** The closed month that holds a moment. */
  monthOf(timeMs: number): string;
  /** What was settled of a closed month of the location that has this name today. */
  settledOf(name: string, month: string): SettledMonth;
  /** How many of the account's records have ids from one to another. */
  countBetween(first: number, last: number): number;
}

/** What was settled of a location's month. */
export interface SettledMonth {
  readonly netMicros: bigint;
  readonly terms: Terms | null;
}

type Correction = SettlementContent["corrections"][number];
type Room = Pick<SettlementContent["rooms"][number], "location" | "deviceId" | "deviceName" | "room">;
type Sums = ReturnType<typeof noSums>;

/** The most that is listed one by one. Sums are of all. */
const MAX_CORRECTIONS = 1_000;
/** The most locations with sums of their own; those of the others stand under an empty name. */
const MAX_LOCATIONS = 400;
const ROOM_ORDER = ["location", "deviceName", "room", "deviceId"] as const;

/** Adds up the records of a month, and what has changed in the closed ones. Their order does not matter. */
export class SettlementSheet {
  readonly #basis: SettlementBasis;
  readonly #locations = new Map<string, Sums>();
  readonly #rooms = new Map<string, { readonly names: Room; readonly sums: Sums }>();
  #otherRooms: Sums | null = null;
  #characters = 0;
  readonly #months = new Map<string, { location: string; month: string; sales: number; micros: bigint }>();
  readonly #corrections: Correction[] = [];
  #moreCorrections = 0;
  /** How many are of the month, also void ones and refunds, and the ids of its first and last one. */
  readonly #own = { count: 0, first: Number.MAX_SAFE_INTEGER, last: 0 };

  constructor(basis: SettlementBasis) {
    this.#basis = basis;
    for (const name of basis.agreed) this.#locationOf(name);
  }

  add(record: SettledRecord): void {
    const { beforeMs, afterMs, isVoid } = record;
    const { fromMs, untilMs } = this.#basis;
    if (afterMs >= fromMs && afterMs < untilMs) this.#addOwn(record);
    const [was, is] = [this.#closed(beforeMs), this.#closed(isVoid === 1 ? null : afterMs)];
    if (was?.month === is?.month) return;
    if (was !== null) this.#correct(record, was, -1, isVoid === 1 ? "voided" : "moved");
    if (is !== null) this.#correct(record, is, 1, beforeMs === null ? "late" : "moved");
  }

  /** Throws `invalid` where money was counted at a location that is not settled. */
  settle() {
    const { namesOf, termsOf, settledOf, counted, currency } = this.#basis;
    const unknown = [...counted.keys()].find((name) => !this.#locations.has(name));
    if (unknown !== undefined) {
      throw new FlancoError("invalid", `counted: the settlement has no location "${unknown}".`, {
        hint: "Name the locations as the draft does.",
      });
    }
    const unit = 10n ** BigInt(Math.max(0, MICROS_DECIMALS - currency.decimals));
    const split = (micros: bigint, terms: Terms | null) => inUnits(splitOf(micros, terms, unit));
    const correctedMonths = [...this.#months.values()]
      .map(({ micros, ...of }) => {
        const { netMicros, terms } = settledOf(of.location, of.month);
        // To the cent what the whole month gives now, without what was settled of it.
        return { ...of, ...sumOf([split(netMicros + micros, terms)], SPLIT, [split(netMicros, terms)]) };
      })
      .sort((one, other) => inOrder(one.month, other.month) || inOrder(one.location, other.location));
    const locations = [...this.#locations]
      .map(([name, sums]) => {
        const terms = termsOf(name);
        const own = split(sums.net, terms);
        const corrected = sumOf(
          correctedMonths.filter(({ location }) => location === name),
          SPLIT,
        );
        const due = sumOf([own, corrected], SPLIT);
        const cash = counted.get(name) ?? null;
        return {
          ...{ name, names: [...namesOf(name)], terms, ...inUnits(sums), own, corrected, due },
          ...{
            counted: cash,
            difference:
              cash === null ? null : valorFromMicros(microsFromValor(cash) - microsFromValor(due.net)),
          },
        };
      })
      .sort((one, other) => inOrder(one.name, other.name));
    const totals = totalsOf(locations);
    return {
      numbers: this.#numbers(totals),
      totals,
      locations,
      rooms: [...this.#rooms.values()]
        .map(({ names, sums }) => ({ ...names, ...inUnits(sums) }))
        .sort((one, other) => ROOM_ORDER.reduce((order, by) => order || inOrder(one[by], other[by]), 0)),
      otherRooms: this.#otherRooms && inUnits(this.#otherRooms),
      correctedMonths,
      corrections: this.#corrections.toSorted(
        (one, other) => one.time - other.time || one.number - other.number,
      ),
      moreCorrections: this.#moreCorrections,
    } satisfies Partial<SettlementContent>;
  }

  #numbers({ first, last }: SettlementContent["totals"]): SettlementContent["numbers"] {
    const { count, ...ids } = this.#own;
    if (count === 0) return null;
    const found = this.#basis.countBetween(ids.first, ids.last);
    return { first, last, others: found - count, missing: last - first + 1 - found };
  }

  /** A time that lies in a closed month, with that month. */
  #closed(timeMs: number | null): { readonly time: number; readonly month: string } | null {
    const { firstMs, fromMs, monthOf } = this.#basis;
    if (timeMs === null || timeMs < firstMs || timeMs >= fromMs) return null;
    return { time: timeMs, month: monthOf(timeMs) };
  }

  #addOwn(record: SettledRecord): void {
    this.#own.count += 1;
    this.#own.first = Math.min(this.#own.first, record.recordId);
    this.#own.last = Math.max(this.#own.last, record.recordId);
    const location = this.#nameOf(record);
    addTo(this.#locationOf(location), record);
    addTo(this.#roomOf(record, location), record);
  }

  #correct(
    record: SettledRecord,
    { time, month }: { readonly time: number; readonly month: string },
    sign: 1 | -1,
    why: Correction["why"],
  ): void {
    const { number, deviceName, room, origin } = record;
    const location = this.#nameOf(record);
    const micros = record.valorMicros * sign;
    const key = `${month} ${location}`;
    const sum = this.#months.get(key) ?? { location, month, sales: 0, micros: 0n };
    this.#months.set(key, sum);
    if (origin !== "refund") sum.sales += sign;
    sum.micros += BigInt(micros);
    this.#roomOf(record, location).corrected += BigInt(micros);
    if (this.#corrections.length === MAX_CORRECTIONS) {
      this.#moreCorrections += 1;
      return;
    }
    const valor = valorFromMicros(micros);
    this.#corrections.push({ number, location, deviceName, room, origin, time, month, valor, why });
  }

  /** The name of the record's location, which is known from here on. */
  #nameOf({ locationName }: SettledRecord): string {
    const today = this.#basis.nameToday(locationName);
    const isOther = !this.#locations.has(today) && this.#locations.size >= MAX_LOCATIONS;
    const name = isOther ? "" : today;
    this.#locationOf(name);
    return name;
  }

  #locationOf(name: string): Sums {
    const sums = this.#locations.get(name) ?? noSums();
    this.#locations.set(name, sums);
    return sums;
  }

  #roomOf({ deviceId, deviceName, room }: SettledRecord, location: string): Sums {
    // No text of the ledger holds a NUL.
    const key = `${location}\0${deviceId}\0${room}`;
    const known = this.#rooms.get(key);
    if (known !== undefined) return known.sums;
    const names = { location, deviceId, deviceName, room };
    this.#characters += Object.values(names).join("").length;
    if (this.#rooms.size >= MAX_REPORTED_ROOMS || this.#characters > MAX_CHARACTERS) {
      this.#otherRooms ??= noSums();
      return this.#otherRooms;
    }
    const sums = noSums();
    this.#rooms.set(key, { names, sums });
    return sums;
  }
}

/** Sums by the contract's names; amounts in millionths. */
function noSums() {
  return {
    ...{ sales: 0, gross: 0n, refunds: 0, refunded: 0n, voided: 0, voidedValue: 0n },
    ...{ byHand: 0, byHandValue: 0n, provisional: 0, first: 0, last: 0, net: 0n, corrected: 0n },
  };
}

function addTo(sums: Sums, { number, valorMicros, origin, provisional, isVoid }: SettledRecord): void {
  const micros = BigInt(valorMicros);
  sums.first = sums.first === 0 ? number : Math.min(sums.first, number);
  sums.last = Math.max(sums.last, number);
  const isRefund = origin === "refund";
  if (isVoid === 1) {
    // A refund that was taken back is as if it had not been.
    if (isRefund) return;
    sums.voided += 1;
    sums.voidedValue += micros;
    return;
  }
  sums.net += micros;
  if (isRefund) {
    sums.refunds += 1;
    sums.refunded -= micros;
    return;
  }
  sums.sales += 1;
  sums.gross += micros;
  sums.provisional += provisional;
  if (origin === "by_hand") {
    sums.byHand += 1;
    sums.byHandValue += micros;
  }
}

/** The same figures with amounts in units of the currency. */
function inUnits<F extends Readonly<Record<string, number | bigint>>>(figures: F) {
  const entries = Object.entries(figures).map(([name, figure]) => [
    name,
    typeof figure === "bigint" ? valorFromMicros(figure) : figure,
  ]);
  return Object.fromEntries(entries) as { readonly [N in keyof F]: number };
}
