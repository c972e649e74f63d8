import { microsFromValor, valorFromMicros } from "../domain/amount.ts";
import { SPLIT } from "../domain/terms.ts";
import type { SettlementContent } from "./settlement.ts";

/** The settlement of a text that is under the chain's hash, so that it still has the shape in which it was written. */
export function contentOf({ text }: { readonly text: string }): SettlementContent {
  return JSON.parse(text) as SettlementContent;
}

/**
 * What a member reads of a settlement: without positions, which count the entries of all accounts. Of one who is limited to
 * locations it is their part, which is no paper to be held to the ledger: what counts the account's records is left out.
 */
export function partWithin(whole: SettlementContent, within: readonly string[] | null): SettlementContent {
  const content = { ...whole, since: 0, mark: { ...whole.mark, position: 0 } };
  if (within === null) return content;
  const locations = content.locations.filter(({ names }) => names.every((name) => within.includes(name)));
  const names = new Set<string | null>(locations.map(({ name }) => name));
  const isOwn = ({ location }: { readonly location: string | null }) => names.has(location);
  return {
    ...content,
    numbers: null,
    totals: totalsOf(locations),
    locations,
    rooms: content.rooms.filter(isOwn),
    otherRooms: null,
    correctedMonths: content.correctedMonths.filter(isOwn),
    corrections: content.corrections.filter(isOwn),
    moreCorrections: 0,
    gaps: content.gaps.filter(isOwn),
    moreGaps: 0,
  };
}

type Totals = SettlementContent["totals"];

const SUMS = [
  ...(["sales", "gross", "refunds", "refunded", "voided", "voidedValue"] as const),
  ...(["byHand", "byHandValue", "provisional", "net"] as const),
];

/** The figures of these locations in all. */
export function totalsOf(locations: readonly Totals[]): Totals {
  const firsts = locations.map(({ first }) => first).filter((first) => first > 0);
  const inAll = (part: "own" | "corrected" | "due") =>
    sumOf(
      locations.map((one) => one[part]),
      SPLIT,
    );
  return {
    ...sumOf(locations, SUMS),
    first: firsts.length === 0 ? 0 : Math.min(...firsts),
    last: Math.max(0, ...locations.map(({ last }) => last)),
    ...{ own: inAll("own"), corrected: inAll("corrected"), due: inAll("due") },
  };
}

/** The sums of these figures, added up as millionths, without those of `less`. */
export function sumOf<N extends string>(
  all: readonly Readonly<Record<N, number>>[],
  names: readonly N[],
  less: readonly Readonly<Record<N, number>>[] = [],
): Readonly<Record<N, number>> {
  const micros = (of: typeof all, name: N) =>
    of.reduce((sum, one) => sum + BigInt(microsFromValor(one[name])), 0n);
  const sums = names.map((name) => [name, valorFromMicros(micros(all, name) - micros(less, name))] as const);
  return Object.fromEntries(sums) as Record<N, number>;
}
