import type { Gap } from "../api/shapes.ts";

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
}

/** Gaps no further apart than this are one incident: lines are taken up one after the other. */
const APART_MS = 60_000;

/**
 * The gaps by incident, oldest first. Lines that were not watched, lost signals
 * that are counted, and those that are not are incidents of their own.
 */
export function incidentsOf(gaps: readonly Gap[]): readonly Incident[] {
  const outages = gaps.filter(({ reason }) => reason === "outage");
  const counted = gaps.filter(({ missedRises }) => missedRises !== null);
  const uncounted = gaps.filter(({ reason, missedRises }) => reason !== "outage" && missedRises === null);
  return [counted, uncounted, outages].flatMap(merged).sort((one, other) => one.fromTime - other.fromTime);
}

function merged(gaps: readonly Gap[]): readonly Incident[] {
  const incidents: Incident[] = [];
  for (const gap of [...gaps].sort((one, other) => one.fromTime - other.fromTime)) {
    const { line, fromTime, toTime, missedRises, reason } = gap;
    const last = incidents.at(-1);
    if (last === undefined || fromTime > last.toTime + APART_MS) {
      incidents.push({ fromTime, toTime, lines: [line], missedRises, isOutage: reason === "outage" });
      continue;
    }
    incidents[incidents.length - 1] = {
      ...last,
      toTime: Math.max(last.toTime, toTime),
      lines: last.lines.includes(line) ? last.lines : [...last.lines, line],
      missedRises: missedRises === null ? null : (last.missedRises ?? 0) + missedRises,
    };
  }
  return incidents;
}
