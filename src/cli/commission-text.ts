import type { AcceptanceReport, CommissionedRoom as Room } from "../contract/commission.ts";
import { FlancoError } from "../domain/error.ts";
import type { Cause, Measured, Mend } from "../domain/verdict.ts";
import { moment } from "./terminal.ts";

const CAUSES: Readonly<Record<Cause, string>> = {
  bounce: "the contact bounces longer than the debounce allows",
  no_signal: "nothing moved: a cut wire, no common ground, or a relay that does not switch",
  polarity: "the line is on while the relay is off",
  other_line: "another line moved",
  no_bias: "nothing holds the line at its level at rest",
  loose_wire: "the line moves although a bias holds it: a loose wire, or no common ground",
  no_line: "no line is wired to the room",
};

/** An acceptance report, a line each. */
export function describeReport(report: AcceptanceReport): string[] {
  const { counts, versions, lines, clock, backup } = report;
  const when = (timeMs: number) => moment(timeMs, clock.timeZone);
  const proved =
    backup === null ? "none was proved yet" : `${when(backup.madeTime)}, proved ${when(backup.provedTime)}`;
  return [
    `Acceptance report ${report.number}, ${when(report.time)}${report.provisional ? " (the clock was not set)" : ""}`,
    `  technician   ${report.technician}`,
    `  clinic       ${report.clinic}`,
    `  versions     flanco ${versions.flanco}, Node ${versions.node}, Linux ${versions.kernel}`,
    `  lines        ${lines.watched} of ${lines.wired} watched, driver ${lines.driver}${lines.simulated ? " (SIMULATED)" : ""}`,
    `  clock        ${when(clock.time)}, ${clock.trusted ? "set" : "NOT SET"}, ${clock.timeZone}`,
    `  backup       ${proved}`,
    `  rooms        ${counts.good} of ${counts.rooms} good, ${counts.attention} need attention, ${counts.untested} not switched`,
    ...report.rooms.map(({ tick, ...room }) => `    ${describe(room, tick)}`),
    `  ledger       ${report.head} before this report,`,
    `               ${report.hash} with it`,
  ];
}

/** A room with its verdict of now, or the one that it was ticked off with. */
export function describeRoom({ judgement, tick, ...room }: Room): string {
  return describe(room, tick ?? judgement, tick === null ? "" : ", ticked off");
}

type Named = Pick<Room, "room" | "deviceName" | "wired" | "withoutLine">;

function describe(
  { room, deviceName, wired, withoutLine }: Named,
  found: Pick<Room["judgement"], "verdict" | "cause" | "mend" | "measured"> | null,
  rest = "",
): string {
  const where = `${room} of ${deviceName}, ${wired?.line ?? (withoutLine ? "no line on purpose" : "no line")}`;
  if (found === null || found.verdict === null) return `${where}: not switched yet`;
  const { verdict, cause, mend, measured } = found;
  const why = cause === null ? "" : `: ${CAUSES[cause]}`;
  const what = measured === null || measured.edges === 0 ? "" : `; ${measuredText(measured)}`;
  return `${where}: ${verdict.toUpperCase()}${why}${what}${mend === null ? "" : `; proposed: ${settingOf(mend)}`}${rest}`;
}

function measuredText({ switchings, mostEdges, longestMs, restHigh }: Measured): string {
  const bounce = mostEdges <= 1 ? "no bounce" : `at most ${mostEdges} edges in ${longestMs} ms`;
  return `${switchings} switchings, ${bounce}, ${restHigh ? "high" : "low"} at rest`;
}

/** What a proposal does, as the end of a sentence. */
export function mendText(mend: Mend): string {
  return mend.setting === "line" ? `gives the room the line ${mend.line}` : `sets ${settingOf(mend)}`;
}

function settingOf({ setting, line, activeLow, bias, debounceMs }: Mend): string {
  if (setting === "debounce") return `debounce ${debounceMs} ms`;
  if (setting === "bias") return `bias ${bias}`;
  return setting === "line" ? `line ${line}` : activeLow ? "active-low" : "active-high";
}

/** Throws `attention` where a room that has or wants a line is not good. */
export function requireGood(
  rooms: readonly { readonly tick: Room["tick"]; readonly withoutLine: boolean }[],
): void {
  const left = rooms.filter(({ tick, withoutLine }) =>
    tick === null ? !withoutLine : tick.verdict !== "good",
  );
  if (left.length === 0) return;
  throw new FlancoError(
    "attention",
    `${left.length} of ${rooms.length} rooms are not good, or were not switched.`,
  );
}
