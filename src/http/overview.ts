import { getOverview, type Overview as OverviewAnswer } from "../contract/overview.ts";
import { valorFromMicros } from "../domain/amount.ts";
import type { Clock } from "../domain/clock.ts";
import { formatDay } from "../domain/day.ts";
import type { Overview, Sales, SalesOfDays } from "../domain/overview.ts";
import type { SalesReads } from "../domain/sales.ts";
import { type Endpoint, serve } from "./router.ts";

export function overviewEndpoints(sales: Pick<SalesReads, "overview">, clock: Clock): readonly Endpoint[] {
  return [
    serve(getOverview, async ({ userId, within, query }) => {
      const { period, at = null, location = null, device = null } = query;
      const request = { period, at, filter: { location, deviceId: device, within } };
      return { data: toOverviewAnswer(period, await sales.overview(userId, request, clock.nowMs())) };
    }),
  ];
}

function toOverviewAnswer(
  period: OverviewAnswer["period"],
  { spans, chart, locations, otherLocations, choices, ...overview }: Overview,
): OverviewAnswer {
  return {
    period,
    ...toDaysAnswer(overview),
    before: toDaysAnswer(overview.before),
    spans: spans.map(({ name, before, isComparable, ...days }) => ({
      name,
      ...toDaysAnswer(days),
      before: toDaysAnswer(before),
      isComparable,
    })),
    chart: chart.map((bar) => ({ start: formatDay(bar.start), ...toSoldBeside(bar) })),
    ...toLocationsAnswer({ locations, otherLocations }),
    choices,
  };
}

export function toLocationsAnswer({
  locations,
  otherLocations,
}: Pick<Overview, "locations" | "otherLocations">) {
  return {
    locations: locations.map(({ name, ...sales }) => ({ name, ...toSoldBeside(sales) })),
    otherLocations: otherLocations && toSoldBeside(otherLocations),
  };
}

export function toSoldAnswer({ totalMicros, count }: Sales) {
  return { sales: count, revenue: valorFromMicros(totalMicros) };
}

/** What was sold, and the revenue of the period before. */
export function toSoldBeside({ before, ...sold }: Sales & { readonly before: Sales }) {
  return { ...toSoldAnswer(sold), before: valorFromMicros(before.totalMicros) };
}

export function toDaysAnswer({ from, to, ...sold }: SalesOfDays) {
  return { from: formatDay(from), to: formatDay(to), ...toSoldAnswer(sold) };
}
