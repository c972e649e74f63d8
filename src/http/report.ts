import { setImmediate as turn } from "node:timers/promises";
import { valorFromMicros } from "../domain/amount.ts";
import type { Clock } from "../domain/clock.ts";
import { firstDayOf, formatDay, lastDayOf } from "../domain/day.ts";
import type { Gap } from "../domain/gap.ts";
import type { Id } from "../domain/id.ts";
import type { LedgerReader } from "../domain/ledger.ts";
import { Report, type ReportSum } from "../domain/report.ts";
import { reportAnswer } from "./answer.ts";
import { type Endpoint, endpoint } from "./endpoint.ts";
import { toGapAnswer } from "./record.ts";
import { type WalkedReader, walkRecords } from "./record-walk.ts";
import { reportQuery } from "./schema.ts";

const GAPS_AT_ONCE = 500;

type ReportReader = WalkedReader & Pick<LedgerReader, "gaps" | "wirings" | "devices" | "localTime">;

export function reportEndpoints(reader: ReportReader, clock: Clock): readonly Endpoint[] {
  return [
    endpoint({
      method: "get",
      path: "/report",
      summary: "What each room of a location has sold in a month, and what is not certain about it.",
      session: true,
      query: reportQuery,
      status: 200,
      answer: reportAnswer,
      errors: ["invalid", "unavailable", "internal"],
      run: async ({ userId, query }) => {
        const { month, location } = query;
        const [from, to] = [firstDayOf(month), lastDayOf(month)];
        const filter = { from, to, location, deviceId: null, room: null };
        const report = new Report();
        for await (const records of walkRecords(reader, userId, filter)) {
          for (const record of records) report.add(record);
        }
        const days = { from: formatDay(from), to: formatDay(to) };
        const data = {
          month: days.from.slice(0, -3),
          location,
          ...days,
          rooms: report.rooms().map(({ deviceId, deviceName, room, ...sum }) => ({
            deviceId,
            deviceName,
            room,
            ...toSumAnswer(sum),
          })),
          totals: toSumAnswer(report.totals()),
          gaps: (await gapsOf(reader, userId, location, days)).map((gap) => ({
            gapId: gap.gapId,
            ...toGapAnswer(gap),
          })),
          complete: reader.localTime(clock.nowMs()) > `${days.to}T23:59:59.999`,
        };
        return { status: "success", data };
      },
    }),
  ];
}

/** Gaps that touch these days, newest first, of lines that are wired at this location, or nowhere any more. */
async function gapsOf(
  reader: ReportReader,
  userId: Id,
  location: string,
  days: { readonly from: string; readonly to: string },
): Promise<readonly Gap[]> {
  const here = new Set(
    reader
      .devices(userId)
      .filter(({ locationName }) => locationName === location)
      .map(({ id }) => id),
  );
  const wiredElsewhere = new Set(
    reader
      .wirings(userId)
      .filter(({ deviceId }) => !here.has(deviceId))
      .map(({ line }) => line),
  );
  const dayOf = (timeMs: number) => reader.localTime(timeMs).slice(0, -"T00:00:00.000".length);
  const found: Gap[] = [];
  let before: number | null = null;
  do {
    const gaps: readonly Gap[] = reader.gaps(userId, { before, limit: GAPS_AT_ONCE });
    const touching = gaps.filter(
      ({ line, fromTimeMs, toTimeMs }) =>
        !wiredElsewhere.has(line) && dayOf(fromTimeMs) <= days.to && dayOf(toTimeMs) >= days.from,
    );
    found.push(...touching);
    before = gaps.length < GAPS_AT_ONCE ? null : (gaps.at(-1)?.gapId ?? null);
    if (before !== null) await turn();
  } while (before !== null);
  return found;
}

function toSumAnswer({ count, totalMicros, voided, provisional }: ReportSum) {
  return { sales: count, revenue: valorFromMicros(totalMicros), voided, provisional };
}
