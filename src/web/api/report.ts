import type { Api } from "./api.ts";
import { flag, type Json, list, number, numberOrNull, object, text } from "./read.ts";

export interface ReportTotals {
  readonly sales: number;
  readonly revenue: number;
  /** Records taken back: they are in neither. */
  readonly voided: number;
  /** Records whose time is not certain: they are in both. */
  readonly provisional: number;
}

export interface ReportRoom extends ReportTotals {
  readonly deviceId: string;
  readonly deviceName: string;
  readonly room: string;
}

/** A stretch in which a line's edges were lost. */
export interface ReportGap {
  readonly line: string;
  readonly fromTimeMs: number;
  readonly toTimeMs: number;
  /** How many sales have no record for it; null where nobody knows. */
  readonly lostSales: number | null;
}

/** What one location brought in one month. */
export interface Report {
  readonly month: string;
  readonly location: string;
  readonly from: string;
  readonly to: string;
  readonly rooms: readonly ReportRoom[];
  readonly totals: ReportTotals;
  readonly gaps: readonly ReportGap[];
  /** The month is over: nothing more is sold in it. */
  readonly isComplete: boolean;
}

export async function loadReport(api: Api, month: string, location: string): Promise<Report> {
  const query = new URLSearchParams({ month, location });
  const data = object((await api.get(`/api/report?${query}`))["data"], "data");
  return {
    month: text(data, "month"),
    location: text(data, "location"),
    from: text(data, "from"),
    to: text(data, "to"),
    rooms: list(data, "rooms", (room) => ({
      deviceId: text(room, "deviceId"),
      deviceName: text(room, "deviceName"),
      room: text(room, "room"),
      ...totalsOf(room),
    })),
    totals: totalsOf(object(data["totals"], "totals")),
    gaps: list(data, "gaps", (gap) => ({
      line: text(gap, "line"),
      fromTimeMs: number(gap, "fromTime"),
      toTimeMs: number(gap, "toTime"),
      lostSales: numberOrNull(gap, "missedRises"),
    })),
    isComplete: flag(data, "complete"),
  };
}

function totalsOf(data: Json): ReportTotals {
  return {
    sales: number(data, "sales"),
    revenue: number(data, "revenue"),
    voided: number(data, "voided"),
    provisional: number(data, "provisional"),
  };
}
