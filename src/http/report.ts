import { setImmediate as turn } from "node:timers/promises";
import type { QueryOf } from "../contract/declaration.ts";
import { getLetterhead, getReport, type Report as ReportAnswer, setLetterhead } from "../contract/report.ts";
import type { Letterhead } from "../domain/account.ts";
import type { Clock } from "../domain/clock.ts";
import { type Day, firstDayOf, formatDay, lastDayOf } from "../domain/day.ts";
import type { Gap } from "../domain/gap.ts";
import type { Id } from "../domain/id.ts";
import { JobSlots } from "../domain/job-slots.ts";
import type { LedgerReader, LedgerWriter } from "../domain/ledger.ts";
import { Report, type ReportSum } from "../domain/report.ts";
import type { SalesReads } from "../domain/sales.ts";
import { toDaysAnswer, toLocationsAnswer, toSoldAnswer, toSoldBeside } from "./overview.ts";
import { toGapAnswer, type WalkedReads, walkRecords } from "./record.ts";
import { type Endpoint, requireClient, serve } from "./router.ts";

const GAPS_AT_ONCE = 500;
const MAX_GAPS = 1_000;
const NO_LINES: ReadonlySet<string> = new Set();

/** Bounds for reports: the page asks again at every sale, without waiting for the last answer. */
const REPORTS = { what: "reports", inAll: 3, waitingOfMember: 8 };

type ReportReads = WalkedReads &
  Pick<SalesReads, "overview" | "gaps" | "wirings" | "devices" | "localTime" | "chainHead">;

export function reportEndpoints(sales: ReportReads, clock: Clock): readonly Endpoint[] {
  return [
    serve(
      getReport,
      async ({ userId, query, context }) => {
        const report = await reportOf(sales, clock, userId, query, () => requireClient(context));
        return { data: { ...report, gaps: report.gaps.map((gap) => toGapAnswer(gap, true)) } };
      },
      new JobSlots(REPORTS),
    ),
  ];
}

export function letterheadEndpoint(read: (userId: Id) => Letterhead): Endpoint {
  return serve(getLetterhead, ({ userId }) => ({ data: read(userId) }));
}

export function letterheadEndpoints(
  reader: Pick<LedgerReader, "letterhead">,
  writer: Pick<LedgerWriter, "setLetterhead">,
): readonly Endpoint[] {
  return [
    letterheadEndpoint((userId) => reader.letterhead(userId)),
    serve(setLetterhead, ({ userId, body, by }) => writer.setLetterhead(userId, body.letterhead, by)),
  ];
}

async function reportOf(
  sales: ReportReads,
  clock: Clock,
  userId: Id,
  query: QueryOf<typeof getReport>,
  requireClient: () => void,
) {
  const { month = 0, day = null, location = null } = query;
  const [from, to] = day === null ? [firstDayOf(month), lastDayOf(month)] : [day, day];
  const filter = { from, to, location, deviceId: null, room: null, roomPart: null };
  const report = new Report();
  requireClient();
  // Taken first: sales from now on are not in the report, even if their time is.
  const nowMs = clock.nowMs();
  const overview = await overviewOf(sales, nowMs, userId, { from, to }, location);
  for await (const records of walkRecords(sales, userId, filter)) {
    requireClient();
    for (const record of records) report.add(record);
  }
  const days = { from: formatDay(from), to: formatDay(to) };
  await turn();
  const others = report.others();
  const gaps = await gapsOf(sales, userId, location, days, requireClient);
  return {
    month: days.from.slice(0, -3),
    day: day === null ? null : days.from,
    location,
    ...days,
    ...overview,
    rooms: report.rooms().map(({ location, deviceId, deviceName, room, ...sum }) => ({
      location,
      deviceId,
      deviceName,
      room,
      ...toSumAnswer(sum),
    })),
    others: others && toSumAnswer(others),
    totals: toSumAnswer(report.totals()),
    gaps,
    // Read last, so that it covers everything above.
    head: await sales.chainHead(),
    complete: sales.localTime(nowMs) > `${days.to}T23:59:59.999`,
  };
}

/** A month or a day beside the one before, its days, and its locations; nothing of a time that is to come. */
async function overviewOf(
  sales: Pick<SalesReads, "overview">,
  nowMs: number,
  userId: Id,
  { from, to }: { readonly from: Day; readonly to: Day },
  location: string | null,
): Promise<Pick<ReportAnswer, "before" | "days" | "locations" | "otherLocations">> {
  const request = {
    period: from === to ? "day" : "month",
    at: to,
    filter: { location, deviceId: null },
  } as const;
  const overview = await sales.overview(userId, request, nowMs);
  if (overview.from !== from) {
    return { before: null, days: [], locations: [], otherLocations: null };
  }
  return {
    before: toDaysAnswer(overview.before),
    days: overview.chart.map((bar) => ({ day: formatDay(bar.start), ...toSoldBeside(bar) })),
    ...toLocationsAnswer(overview),
  };
}

/** Gaps within these days, newest first, of lines that are wired at this location or are no longer wired. */
async function gapsOf(
  sales: ReportReads,
  userId: Id,
  location: string | null,
  days: { readonly from: string; readonly to: string },
  requireClient: () => void,
): Promise<readonly Gap[]> {
  const wiredElsewhere = location === null ? NO_LINES : await wiredBeside(sales, userId, location);
  const dayOf = (timeMs: number) => sales.localTime(timeMs).slice(0, -"T00:00:00.000".length);
  const found: Gap[] = [];
  let before: number | null = null;
  do {
    const gaps: readonly Gap[] = await sales.gaps(userId, { before, limit: GAPS_AT_ONCE });
    const touching = gaps.filter(
      ({ line, fromTimeMs, toTimeMs }) =>
        !wiredElsewhere.has(line) && dayOf(fromTimeMs) <= days.to && dayOf(toTimeMs) >= days.from,
    );
    found.push(...touching);
    before = gaps.length < GAPS_AT_ONCE ? null : (gaps.at(-1)?.number ?? null);
    if (before !== null) await turn();
    requireClient();
  } while (before !== null && found.length < MAX_GAPS);
  return found.slice(0, MAX_GAPS);
}

/** The lines that are wired at other locations. */
async function wiredBeside(sales: ReportReads, userId: Id, location: string): Promise<ReadonlySet<string>> {
  const devices = await sales.devices(userId);
  const here = new Set(devices.filter(({ locationName }) => locationName === location).map(({ id }) => id));
  const wirings = await sales.wirings(userId);
  return new Set(wirings.filter(({ deviceId }) => !here.has(deviceId)).map(({ line }) => line));
}

function toSumAnswer({ voided, provisional, ...sold }: ReportSum) {
  return { ...toSoldAnswer(sold), voided, provisional };
}
