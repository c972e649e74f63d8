import { Readable } from "node:stream";
import { setImmediate as turn } from "node:timers/promises";
import type { QueryOf } from "../contract/declaration.ts";
import {
  exportDays,
  getLetterhead,
  getReport,
  type Report as ReportAnswer,
  setLetterhead,
} from "../contract/report.ts";
import type { Letterhead } from "../domain/account.ts";
import { microsFromValor, valorFromMicros } from "../domain/amount.ts";
import type { Clock } from "../domain/clock.ts";
import { type Day, firstDayOf, formatDay, lastDayOf } from "../domain/day.ts";
import type { Gap } from "../domain/gap.ts";
import type { Id } from "../domain/id.ts";
import { JobSlots } from "../domain/job-slots.ts";
import { inLanguage } from "../domain/language.ts";
import type { LedgerReader, LedgerWriter } from "../domain/ledger.ts";
import type { OverviewFilter } from "../domain/overview.ts";
import { Report, type ReportSum } from "../domain/report.ts";
import type { SalesReads } from "../domain/sales.ts";
import type { SignedInMember } from "./auth/session.ts";
import { csvHead, csvRow } from "./export-csv.ts";
import { toDaysAnswer, toLocationsAnswer, toSoldAnswer, toSoldBeside } from "./overview.ts";
import { toGapAnswer, type WalkedReads, walkGaps, walkRecords } from "./record.ts";
import { type Endpoint, requireClient, serve } from "./router.ts";
import type { Column } from "./workbook.ts";

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
      async ({ signedIn, query, context }) => {
        const report = await reportOf(sales, clock, signedIn, query, () => requireClient(context));
        return { data: { ...report, gaps: report.gaps.map((gap) => toGapAnswer(gap, true)) } };
      },
      new JobSlots(REPORTS),
    ),
    serve(exportDays, async ({ signedIn, query, context }) => {
      const { month, location = null, lang } = query;
      const nowMs = clock.nowMs();
      const place = { location, deviceId: null, within: signedIn.limit?.names ?? null };
      const span = { from: firstDayOf(month), to: lastDayOf(month) };
      const { days } = await overviewOf(sales, nowMs, signedIn.userId, span, place);
      const past = days.filter(({ day }) => day <= sales.localTime(nowMs));
      const rows = past.map((day) => csvRow(DAY_COLUMNS, { ...day, location }, lang));
      const file = inLanguage(["flanco-dias", "flanco-days"], lang);
      const name = `${file}-${formatDay(span.from).slice(0, -"-01".length)}.csv`;
      context.set("Content-Type", "text/csv; charset=utf-8");
      context.set("Content-Disposition", `attachment; filename="${name}"`);
      return Readable.from([csvHead(DAY_COLUMNS, lang) + rows.join("")], { objectMode: false });
    }),
  ];
}

type DayOfMonth = ReportAnswer["days"][number] & { readonly location: string | null };
/** The table of a month's days. */
const DAY_COLUMNS: readonly Column<DayOfMonth>[] = [
  { title: ["Fecha", "Date"], kind: "day", of: ({ day }) => `${day}T00:00:00.000` },
  { title: ["Lugar", "Location"], kind: "text", of: ({ location }) => location },
  { title: ["Ventas", "Sales"], kind: "count", of: ({ sales }) => sales },
  { title: ["Importe", "Amount"], kind: "money", of: ({ revenue }) => microsFromValor(revenue) },
];

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
  member: SignedInMember,
  query: QueryOf<typeof getReport>,
  requireClient: () => void,
) {
  const { userId, limit } = member;
  const { month = 0, day = null, location = null } = query;
  const [from, to] = day === null ? [firstDayOf(month), lastDayOf(month)] : [day, day];
  const place = { location, deviceId: null, within: limit?.names ?? null };
  const filter = { from, to, room: null, roomPart: null, ...place };
  const report = new Report();
  requireClient();
  // Taken first: sales from now on are not in the report, even if their time is.
  const nowMs = clock.nowMs();
  const overview = await overviewOf(sales, nowMs, userId, { from, to }, place);
  for await (const records of walkRecords(sales, userId, filter)) {
    requireClient();
    for (const record of records) report.add(record);
  }
  const days = { from: formatDay(from), to: formatDay(to) };
  await turn();
  const others = report.others();
  const gaps = await gapsOf(sales, member, location, days, requireClient);
  return {
    month: days.from.slice(0, -3),
    day: day === null ? null : days.from,
    location,
    ...days,
    ...overview,
    rooms: report
      .rooms()
      .map(({ location, deviceId, deviceName, room, leastMicros, mostMicros, paidUntilMs, ...sum }) => ({
        location,
        deviceId,
        deviceName,
        room,
        paidUntil: paidUntilMs,
        prices:
          leastMicros === null || mostMicros === null
            ? null
            : { least: valorFromMicros(leastMicros), most: valorFromMicros(mostMicros) },
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
  filter: OverviewFilter,
): Promise<Pick<ReportAnswer, "before" | "days" | "locations" | "otherLocations">> {
  const request = {
    period: from === to ? "day" : "month",
    at: to,
    filter,
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
  member: SignedInMember,
  location: string | null,
  days: { readonly from: string; readonly to: string },
  requireClient: () => void,
): Promise<readonly Gap[]> {
  const wiredElsewhere = location === null ? NO_LINES : await wiredBeside(sales, member.userId, location);
  const dayOf = (timeMs: number) => sales.localTime(timeMs).slice(0, -"T00:00:00.000".length);
  const found: Gap[] = [];
  for await (const gaps of walkGaps(sales, member)) {
    requireClient();
    const touching = gaps.filter(
      ({ line, fromTimeMs, toTimeMs }) =>
        !wiredElsewhere.has(line) && dayOf(fromTimeMs) <= days.to && dayOf(toTimeMs) >= days.from,
    );
    found.push(...touching);
    if (found.length >= MAX_GAPS) break;
  }
  return found.slice(0, MAX_GAPS);
}

/** The lines that are wired at other locations. */
async function wiredBeside(sales: ReportReads, userId: Id, location: string): Promise<ReadonlySet<string>> {
  const devices = await sales.devices(userId);
  const here = new Set(devices.filter(({ locationName }) => locationName === location).map(({ id }) => id));
  const wirings = await sales.wirings(userId);
  return new Set(wirings.filter(({ deviceId }) => !here.has(deviceId)).map(({ line }) => line));
}

function toSumAnswer({ refunds, voided, byHand, provisional, ...sum }: ReportSum) {
  return {
    ...toSoldAnswer(sum),
    gross: valorFromMicros(sum.totalMicros + sum.refundedMicros),
    refunds,
    refunded: valorFromMicros(sum.refundedMicros),
    voided,
    voidedTotal: valorFromMicros(sum.voidedMicros),
    byHand,
    byHandTotal: valorFromMicros(sum.byHandMicros),
    provisional,
  };
}
