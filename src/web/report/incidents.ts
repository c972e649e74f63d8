import type { Gap, Settlement } from "../api/shapes.ts";

/** A gap, or what a settlement keeps of one. */
export type ToldGap = Gap | Settlement["gaps"][number];

/** Gaps of several lines, of one kind, that lie at one time: a restart, say. */
export interface Incident {
  readonly fromTime: number;
  readonly toTime: number;
  /** Each line once, in the order of its first gap. */
  readonly lines: readonly string[];
  /** Sales that have no record; null where that is not known. */
  readonly missedRises: number | null;
  /** False where signals of watched lines were lost. */
  readonly isOutage: boolean;
  readonly gaps: readonly ToldGap[];
}

/** Gaps no further apart than this are one incident: lines are taken up one after the other. */
const APART_MS = 60_000;

/**
 * The gaps by incident, oldest first. Lines that were not watched, lost signals
 * that are counted, and those that are not are incidents of their own.
 */
export function incidentsOf(gaps: readonly ToldGap[]): readonly Incident[] {
  const outages = gaps.filter(({ reason }) => reason === "outage");
  const counted = gaps.filter(({ missedRises }) => missedRises !== null);
  const uncounted = gaps.filter(({ reason, missedRises }) => reason !== "outage" && missedRises === null);
  return [counted, uncounted, outages].flatMap(merged).sort((one, other) => one.fromTime - other.fromTime);
}

function merged(gaps: readonly ToldGap[]): readonly Incident[] {
  const incidents: Incident[] = [];
  for (const gap of [...gaps].sort((one, other) => one.fromTime - other.fromTime)) {
    const { line, fromTime, toTime, missedRises, reason } = gap;
    const last = incidents.at(-1);
    if (last === undefined || fromTime > last.toTime + APART_MS) {
      incidents.push({
        fromTime,
        toTime,
        lines: [line],
        missedRises,
        isOutage: reason === "outage",
        gaps: [gap],
      });
      continue;
    }
    incidents[incidents.length - 1] = {
      ...last,
      toTime: Math.max(last.toTime, toTime),
      lines: last.lines.includes(line) ? last.lines : [...last.lines, line],
      missedRises: missedRises === null ? null : (last.missedRises ?? 0) + missedRises,
      gaps: [...last.gaps, gap],
    };
  }
  return incidents;
}

/** How many sales of a gap have no record yet. What was added beyond what it misses makes up for no other gap. */
export function missingOf({ missedRises, added }: Pick<Gap, "missedRises" | "added">): number {
  return Math.max(0, (missedRises ?? 0) - (added ?? 0));
}

/** The gaps that a sale may be added to: those that still lack one, where that is known of any. */
export function lackingOf(gaps: readonly Gap[]): readonly Gap[] {
  const lacking = gaps.filter((gap) => missingOf(gap) > 0);
  return lacking.length > 0 ? lacking : gaps;
}
