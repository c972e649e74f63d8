import { getOverview } from "../contract/overview.ts";
import { valorFromMicros } from "../domain/amount.ts";
import type { Clock } from "../domain/clock.ts";
import { formatDay } from "../domain/day.ts";
import type { LedgerReader } from "../domain/ledger.ts";
import type { Sold, SoldOnDays } from "../domain/overview.ts";
import { type Endpoint, serve } from "./router.ts";

export function overviewEndpoints(reader: Pick<LedgerReader, "overview">, clock: Clock): readonly Endpoint[] {
  return [
    serve(getOverview, ({ userId, query }) => {
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
      return { data };
    }),
  ];
}

function toAnswer({ totalMicros, count }: Sold) {
  return { revenue: valorFromMicros(totalMicros), sales: count };
}

function toDaysAnswer({ from, to, locations, devices, ...sold }: SoldOnDays) {
  return { from: formatDay(from), to: formatDay(to), ...toAnswer(sold), locations, devices };
}
