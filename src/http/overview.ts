import { valorFromMicros } from "../domain/amount.ts";
import type { Clock } from "../domain/clock.ts";
import { formatDay } from "../domain/day.ts";
import type { LedgerReader } from "../domain/ledger.ts";
import type { Sold, SoldOnDays } from "../domain/overview.ts";
import { overviewAnswer } from "./answer.ts";
import { type Endpoint, endpoint } from "./endpoint.ts";
import { overviewQuery } from "./schema.ts";

export function overviewEndpoints(reader: Pick<LedgerReader, "overview">, clock: Clock): readonly Endpoint[] {
  return [
    endpoint({
      method: "get",
      path: "/summary",
      summary: "What was sold in the last seven days, or in this calendar year, beside the time before.",
      session: true,
      query: overviewQuery,
      status: 200,
      answer: overviewAnswer,
      errors: ["invalid", "unavailable", "internal"],
      run: ({ userId, query }) => {
        const { period, location = null, device = null } = query;
        const overview = reader.overview(userId, period, { location, deviceId: device }, clock.nowMs());
        const data = {
          period,
          ...toDaysAnswer(overview),
          before: toDaysAnswer(overview.before),
          today: toAnswer(overview.today),
          chart: overview.chart.map((bar) => ({ start: formatDay(bar.start), ...toAnswer(bar) })),
          choices: overview.choices,
        };
        return { status: "success", data };
      },
    }),
  ];
}

function toAnswer({ totalMicros, count }: Sold) {
  return { revenue: valorFromMicros(totalMicros), sales: count };
}

function toDaysAnswer({ from, to, locations, devices, ...sold }: SoldOnDays) {
  return { from: formatDay(from), to: formatDay(to), ...toAnswer(sold), locations, devices };
}
