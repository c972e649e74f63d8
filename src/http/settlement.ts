import { hash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { QueryOf } from "../contract/declaration.ts";
import {
  checkSettlement,
  closeMonth,
  draftSettlement,
  getSettlement,
  type SettlementHead as HeadAnswer,
  listSettlements,
  listTerms,
  type SettlementCheck,
  type SettlementContent,
  setTerms,
} from "../contract/settlement.ts";
import { contentOf, partWithin } from "../contract/settlement-text.ts";
import { type Actor, SERVICE_ACTOR } from "../domain/audit.ts";
import type { Clock, ClockTrust } from "../domain/clock.ts";
import {
  firstDayOf,
  formatMonth,
  type Month,
  monthAfter,
  monthBefore,
  monthOf,
  parseMonth,
} from "../domain/day.ts";
import { FlancoError } from "../domain/error.ts";
import type { Id } from "../domain/id.ts";
import { JobSlots } from "../domain/job-slots.ts";
import type { ApiReader, LedgerWriter } from "../domain/ledger.ts";
import { clockNotSet, type SettlementHead } from "../domain/settlement.ts";
import type { Currency } from "../domain/status.ts";
import { type Endpoint, serve } from "./router.ts";

/** A hundred years of closed months. */
const MAX_CLOSED = 1_200;
const SHOWN = 120;
/** Bounds for settlements that are being made: each walks the month's records. */
const DRAFTS = { what: "settlements", inAll: 2, waitingOfMember: 4 };
/** The most differences in one answer. */
const MAX_DIFFERENCES = 50;

export interface SettlementDependencies {
  readonly reader: Pick<
    ApiReader,
    ("terms" | "settlements" | "settlement" | "draftSettlement") | ("firstDay" | "localTime" | "entriesAfter")
  >;
  readonly writer: Pick<LedgerWriter, "setTerms" | "closeMonth">;
  readonly clock: Clock;
  readonly trust: ClockTrust;
  readonly currency: Currency;
}

export function settlementEndpoints(dependencies: SettlementDependencies): readonly Endpoint[] {
  const { reader, writer } = dependencies;
  const slots = new JobSlots(DRAFTS);
  return [
    serve(listTerms, ({ userId, within }) => ({
      data: reader.terms(userId).filter(({ location }) => within?.includes(location) ?? true),
    })),
    serve(setTerms, ({ userId, body, by }) => {
      const { locationId, ...terms } = body.terms;
      return writer.setTerms(userId, locationId, terms, by);
    }),
    serve(listSettlements, ({ userId }) => ({
      data: {
        closed: reader.settlements(userId, SHOWN).map(toHead),
        next: formatMonth(nextMonth(dependencies, userId)),
      },
    })),
    serve(getSettlement, ({ userId, within, query }) => {
      const found = reader.settlement(userId, query.month);
      return { data: { ...toHead(found), content: partWithin(contentOf(found), within) } };
    }),
    serve(
      draftSettlement,
      async ({ userId, within, query }) => ({
        data: partWithin(contentOf(await draftOf(dependencies, userId, query.month)), within),
      }),
      slots,
    ),
    serve(
      closeMonth,
      async ({ userId, body, by }) => {
        const { month, counted } = body.settlement;
        const amounts = new Map(counted.map(({ location, valor }) => [location, valor]));
        return { data: await closeWithSettlement(dependencies, userId, month, amounts, by) };
      },
      slots,
    ),
    serve(
      checkSettlement,
      async ({ userId, query }) => ({ data: await checkOf(reader, userId, query) }),
      slots,
    ),
  ];
}

/**
 * The month that is closed next: before the first, the one that has ended last, or the first one with terms and sales.
 * What is agreed may be older than the gateway, and a sale by a clock that was never set older than what is agreed.
 */
export function nextMonth(
  { reader, clock }: Pick<SettlementDependencies, "reader" | "clock">,
  userId: Id,
): Month {
  const [newest] = reader.settlements(userId, 1);
  if (newest !== undefined) return monthAfter(newest.month);
  const ended = monthBefore(parseMonth(reader.localTime(clock.nowMs()).slice(0, "2026-11".length)) ?? 0);
  const sold = reader
    .terms(userId)
    .map(({ from }) => reader.firstDay(userId, null, firstDayOf(parseMonth(from) ?? 0)) ?? firstDayOf(ended));
  return Math.min(ended, ...sold.map(monthOf));
}

/** Whether a month is over by the gateway's clock, and so many days more. */
export function hasEnded(
  { reader, clock }: Pick<SettlementDependencies, "reader" | "clock">,
  month: Month,
  days = 0,
): boolean {
  const [today, first] = [reader.localTime(clock.nowMs()).slice(0, "2026-11-01".length), monthAfter(month)];
  return today >= `${formatMonth(first)}-${String(days + 1).padStart(2, "0")}`;
}

/** Closes a month. Rejects with `conflict` where the clock is not trusted, it has not ended, is not the next, or was closed meanwhile. */
export async function closeWithSettlement(
  dependencies: SettlementDependencies,
  userId: Id,
  month: Month,
  counted: ReadonlyMap<string, number>,
  by: Actor = SERVICE_ACTOR,
): Promise<{ readonly number: number; readonly hash: string }> {
  const { reader, writer, trust } = dependencies;
  if (!trust.trusted()) throw clockNotSet();
  if (!hasEnded(dependencies, month)) {
    throw new FlancoError("conflict", `${formatMonth(month)} has not ended.`, {
      hint: "Close it once its last day is over, by the gateway's clock.",
    });
  }
  await writer.closeMonth(userId, await draftOf(dependencies, userId, month, counted), by);
  const { number, hash } = reader.settlement(userId, month);
  return { number, hash };
}

function draftOf(
  { reader, clock, currency }: SettlementDependencies,
  userId: Id,
  month: Month,
  counted: ReadonlyMap<string, number> = new Map(),
) {
  return reader.draftSettlement(userId, month, { time: clock.nowMs(), currency, counted });
}

/** Holds a paper to the ledger: its entry to its hash, and its figures to the records up to its mark. */
async function checkOf(
  reader: SettlementDependencies["reader"],
  userId: Id,
  { hash: digits, number, net }: QueryOf<typeof checkSettlement>,
): Promise<SettlementCheck> {
  const found = reader
    .settlements(userId, MAX_CLOSED)
    .find((one) => one.number === number || (digits !== undefined && one.hash.startsWith(digits)));
  if (found === undefined) return { found: null, net: null, netIsRight: null, differences: [] };
  const content = contentOf(reader.settlement(userId, found.month));
  const anew = contentOf(await reader.draftSettlement(userId, found.month, null));
  const { totals, locations } = content;
  const [entry] = reader.entriesAfter(found.position - 1, found.position, 1);
  const isWhole =
    entry !== undefined && hash("sha256", (entry.previousHash ?? "") + entry.text) === found.hash;
  return {
    found: toHead(found),
    net: totals.due.net,
    netIsRight: net === undefined ? null : [totals, ...locations].some((one) => one.due.net === net),
    differences: [
      ...(isWhole ? [] : [{ part: "entry", name: "", settled: totals.due.net, ledger: 0 } as const]),
      ...differencesOf(content, anew),
    ].slice(0, MAX_DIFFERENCES),
  };
}

type Difference = SettlementCheck["differences"][number];
/** A figure with its name and the amount by which a difference is told. */
type Figure = readonly [name: string, amount: number, of: object];

/** What is compared; of lists with too many, which ones are listed follows from their order alone. */
const FIGURES: Readonly<
  Record<Exclude<Difference["part"], "entry">, (of: SettlementContent) => readonly Figure[]>
> = {
  totals: ({ totals }) => [["", totals.due.net, totals]],
  numbers: ({ numbers }) => (numbers === null ? [] : [["", numbers.missing, numbers]]),
  // What was counted is a person's word.
  location: ({ locations }) =>
    locations.map(({ counted: _, difference: __, ...one }) => [one.name, one.due.net, one]),
  month: ({ correctedMonths }) =>
    correctedMonths.map((one) => [`${one.month} ${one.location}`, one.net, one]),
  // A device's name may differ between a room's records.
  room: ({ rooms, otherRooms }) =>
    (otherRooms === null ? rooms : []).map(({ deviceName: _, ...one }) => [
      `${one.location}, ${one.room} (${one.deviceId})`,
      one.net + one.corrected,
      one,
    ]),
  correction: ({ corrections, moreCorrections }) =>
    (moreCorrections === 0 ? corrections : []).map((one) => [
      `${one.number}, ${one.month}, ${Math.sign(one.valor)}`,
      one.valor,
      one,
    ]),
};

function differencesOf(settled: SettlementContent, anew: SettlementContent): readonly Difference[] {
  return Object.entries(FIGURES).flatMap(([part, figuresOf]) => {
    const [before, today] = [settled, anew].map(
      (content) => new Map(figuresOf(content).map((figure) => [figure[0], figure])),
    );
    return [...new Set([...(before?.keys() ?? []), ...(today?.keys() ?? [])])].flatMap((name) => {
      const [was, is] = [before?.get(name), today?.get(name)];
      if (isDeepStrictEqual(was, is)) return [];
      return [{ part: part as Difference["part"], name, settled: was?.[1] ?? 0, ledger: is?.[1] ?? 0 }];
    });
  });
}

function toHead({ number, month, timeMs, who, from, hash }: SettlementHead): HeadAnswer {
  return { number, month: formatMonth(month), time: timeMs, who, from, hash };
}
