import type { Sale } from "../api/sale.ts";
import type { Day } from "../format/day.ts";

/** Sales that follow each other in the ledger and fall on one day. */
export interface SalesDay {
  readonly key: string;
  /** A moment of that day, in Unix milliseconds. */
  readonly timeMs: number;
  readonly sales: readonly Sale[];
}

/**
 * Cuts the ledger where the day changes. Posted sales may carry any time, so a day can come more than
 * once; the ledger's order is never changed for it.
 */
export function salesByDay(sales: readonly Sale[], dayOf: (timeMs: number) => Day): readonly SalesDay[] {
  const days: { day: Day; sales: Sale[] }[] = [];
  for (const sale of sales) {
    const day = dayOf(sale.createdTimeMs);
    const last = days[days.length - 1];
    if (last?.day === day) last.sales.push(sale);
    else days.push({ day, sales: [sale] });
  }
  const seen = new Map<Day, number>();
  // Counted from the oldest, so that a day keeps its key while new ones come on top.
  return days
    .reverse()
    .map(({ day, sales }) => {
      const turn = (seen.get(day) ?? 0) + 1;
      seen.set(day, turn);
      return { key: `${day}/${turn}`, timeMs: sales[0]?.createdTimeMs ?? 0, sales };
    })
    .reverse();
}
