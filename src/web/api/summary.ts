import type { Api } from "./api.ts";
import { statusOf } from "./failure.ts";
import { type Json, list, number, object, text } from "./read.ts";

export interface DayTotal {
  /** The contract's name of the weekday: dom lun mar mié jue vie sáb. */
  readonly name: string;
  readonly total: number;
}

/** The last seven calendar days of the gateway's time zone, today included. */
export interface Week {
  readonly revenue: number;
  readonly sales: number;
  /** Seven, oldest first. */
  readonly days: readonly DayTotal[];
}

const NOT_FOUND = 404;

/** Null when nothing was sold in these days. */
export async function loadWeek(api: Api): Promise<Week | null> {
  try {
    return weekOf(object((await api.get("/api/data?period=semanal"))["data"], "data"));
  } catch (error) {
    if (statusOf(error) === NOT_FOUND) return null;
    throw error;
  }
}

function weekOf(data: Json): Week {
  return {
    revenue: number(data, "totalRevenue"),
    sales: number(data, "totalSales"),
    days: list(data, "dataForChart", (day) => ({ name: text(day, "name"), total: number(day, "total") })),
  };
}
