import type { Gap } from "../api/shapes.ts";

/** Gaps of several lines that lie at one time: a restart, say. */
export interface Incident {
  readonly fromTime: number;
  readonly toTime: number;
  /** Each line once, in the order of its first gap. */
  readonly lines: readonly string[];
  /** Sales that have no record; null where that is not known, because the lines were not watched. */
  readonly missedRises: number | null;
}

/** Gaps no further apart than this are one incident: lines are taken up one after the other. */
const APART_MS = 60_000;

/** The gaps by incident, oldest first. Lost signals and lines that were not watched are incidents of their own. */
export function incidentsOf(gaps: readonly Gap[]): readonly Incident[] {
  const isKnown = ({ missedRises }: Gap) => missedRises !== null;
  return [...merged(gaps.filter(isKnown)), ...merged(gaps.filter((gap) => !isKnown(gap)))].sort(
    (one, other) => one.fromTime - other.fromTime,
  );
}

function merged(gaps: readonly Gap[]): readonly Incident[] {
  const incidents: Incident[] = [];
  for (const gap of [...gaps].sort((one, other) => one.fromTime - other.fromTime)) {
    const { line, fromTime, toTime, missedRises } = gap;
    const last = incidents.at(-1);
    if (last === undefined || fromTime > last.toTime + APART_MS) {
      incidents.push({ fromTime, toTime, lines: [line], missedRises });
      continue;
    }
    incidents[incidents.length - 1] = {
      fromTime: last.fromTime,
      toTime: Math.max(last.toTime, toTime),
      lines: last.lines.includes(line) ? last.lines : [...last.lines, line],
      missedRises: missedRises === null ? null : (last.missedRises ?? 0) + missedRises,
    };
  }
  return incidents;
}
