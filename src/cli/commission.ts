import {
  type AcceptanceReport,
  type AcceptanceReportHead,
  beginCommission,
  type Commission,
  endCommission,
  getAcceptanceReport,
  getCommission,
  listAcceptanceReports,
  type CommissionedRoom as Room,
} from "../contract/commission.ts";
import { FlancoError } from "../domain/error.ts";
import type { Cause, LineMeasurement, Mend } from "../domain/verdict.ts";
import { ACCOUNT, AS_JSON, type CommandTable, command, flag, optional, several, toCount } from "./command.ts";
import { iso, moment } from "./terminal.ts";

const HELP = `
The rooms are switched and ticked off on the page, on a phone in the corridor. While a commissioning is open its lines
are under test: nothing is a sale. What was ticked off stays until it is ended, also over a restart.

Examples:
  flanco commission begin GPIO17 --minutes 15
  flanco commission show
  flanco commission end
  flanco commission report`;

const CAUSES: Readonly<Record<Cause, string>> = {
  bounce: "the contact bounces longer than the debounce allows",
  no_signal: "nothing moved: a cut wire, no common ground, or a relay that does not switch",
  no_pull_up:
    "nothing moved, and no resistor pulls the line up: a contact to ground does not show without one",
  polarity: "the line is on while the relay is off",
  other_line: "another line moved",
  no_bias: "nothing holds the line at its level at rest",
  loose_wire: "the line moves although a bias holds it: a loose wire, or no common ground",
  no_line: "no line is wired to the room",
};

const EXITS = "\nExit codes: 0 every room is good, 3 one is not.\n\nExample:\n";

/** `flanco commission`: what is open of a commissioning, its end, and the acceptance reports. */
export const commands: CommandTable = [
  {
    name: "commission",
    about: "put lines under test, show what they do, end that, and show acceptance reports",
    help: HELP,
    rows: [
      command(
        "begin",
        "put wired lines under test, to try them: what they do is no sale until it ends",
        {
          lines: several("[lines...]", "only these; none: all of the account"),
          minutes: optional("--minutes <minutes>", "how long at most, up to 480 (default 120)", toCount),
          account: ACCOUNT,
        },
        "flanco commission begin GPIO17 GPIO27 --minutes 15",
        async ({ lines, minutes, account }, call) => {
          const commission = { lines: lines.length === 0 ? undefined : [...lines], minutes };
          await call.ask(beginCommission, { body: { commission } }, account);
          const { data } = await call.ask(getCommission, {}, account);
          call.terminal.out(describeTest(data));
        },
      ),
      command(
        "show",
        "show what is known of each room, and which lines moved last",
        { account: ACCOUNT, json: AS_JSON },
        `${EXITS}  flanco commission show --json`,
        async ({ account, json }, call) => {
          const { data } = await call.ask(getCommission, {}, account);
          const moved = data.moved.map(describeMove);
          call.terminal.show(json, data, [describeTest(data), ...data.rooms.map(describeRoom), ...moved]);
          requireGood(data.rooms);
        },
      ),
      command(
        "end",
        "end the commissioning without a report: sales count again, and what was ticked off is forgotten",
        { account: ACCOUNT },
        "flanco commission end",
        async ({ account }, call) => {
          await call.ask(endCommission, { query: {} }, account);
          call.terminal.out(
            "The commissioning is ended, and sales count again. What was ticked off is forgotten.",
          );
        },
      ),
      command(
        "report",
        "show an acceptance report: the newest, or the one of this number",
        {
          number: optional("[number]", "as --list shows it", toCount),
          list: flag("--list", "the reports that there are"),
          account: ACCOUNT,
          json: AS_JSON,
        },
        `${EXITS}  flanco commission report --json`,
        async ({ number, list, account, json }, call) => {
          if (list) {
            const { data } = await call.ask(listAcceptanceReports, {}, account);
            call.terminal.show(json, data, data.map(describeHead));
            return;
          }
          const query = { number: number === undefined ? undefined : String(number) };
          const { data } = await call.ask(getAcceptanceReport, { query }, account);
          call.terminal.show(json, data, describeReport(data));
          requireGood(data.rooms);
        },
      ),
    ],
  },
];

function describeHead({ number, time, technician, clinic, good, rooms }: AcceptanceReportHead): string {
  return `${number}\t${iso(time)}\t${technician}, ${clinic}\t${good} of ${rooms} rooms good`;
}

/** An acceptance report, a line each. */
function describeReport(report: AcceptanceReport): string[] {
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

/** Which lines are under test, and until when. */
function describeTest({ begunTime, untilTime, lines }: Commission): string {
  if (begunTime === null) return "No commissioning is open.";
  if (untilTime === null) return "The test of its lines has ended: what they do is a sale.";
  return `Under test until ${iso(untilTime)}, so what they do is no sale: ${lines?.join(", ") ?? "all lines"}.`;
}

function describeMove({ line, room, level, time }: Commission["moved"][number]): string {
  const where = room === null ? "free" : `${room.room} of ${room.deviceName}`;
  return `${iso(time)}\t${line}\t${level ? "high" : "low"}\t${where}`;
}

/** A room with its verdict of now, or the one that it was ticked off with. */
function describeRoom({ judgement, tick, ...room }: Room): string {
  return describe(room, tick ?? judgement, tick === null ? "" : ", ticked off");
}

type NamedRoom = Pick<Room, "room" | "deviceName" | "wired" | "withoutLine">;

function describe(
  { room, deviceName, wired, withoutLine }: NamedRoom,
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

function measuredText({ switchings, mostEdges, longestMs, restHigh }: LineMeasurement): string {
  const bounce = mostEdges <= 1 ? "no bounce" : `at most ${mostEdges} edges in ${longestMs} ms`;
  return `${switchings} switchings, ${bounce}, ${restHigh ? "high" : "low"} at rest`;
}

function settingOf({ setting, line, activeLow, bias, debounceMs }: Mend): string {
  if (setting === "debounce") return `debounce ${debounceMs} ms`;
  if (setting === "bias") return `bias ${bias}`;
  return setting === "line" ? `line ${line}` : activeLow ? "active-low" : "active-high";
}

/** Throws `attention` where a room that has or wants a line is not good. */
function requireGood(rooms: readonly { readonly tick: Room["tick"]; readonly withoutLine: boolean }[]): void {
  const left = rooms.filter(({ tick, withoutLine }) =>
    tick === null ? !withoutLine : tick.verdict !== "good",
  );
  if (left.length === 0) return;
  throw new FlancoError(
    "attention",
    `${left.length} of ${rooms.length} rooms are not good, or were not switched.`,
  );
}
