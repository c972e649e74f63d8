import { setTimeout as pause } from "node:timers/promises";
import type { Command } from "commander";
import type { AcceptanceReport, Commission, CommissionedRoom as Room } from "../contract/commission.ts";
import type { OperationData } from "../contract/operator.ts";
import type { Door } from "../control/client.ts";
import type { RoomKey } from "../domain/commission.ts";
import { FlancoError } from "../domain/error.ts";
import type { Cause, Measured, Mend } from "../domain/verdict.ts";
import { type CliContext, configOf, toCount } from "./context.ts";
import { withDoor, withRunning } from "./door.ts";
import { iso, moment, type Terminal } from "./terminal.ts";

const HELP = `
Walks through the rooms of the running service: it names a room, you switch its relay on, wait a second, and switch it
off. It shows which line moved, what was measured without debounce, and what to change. While it lasts the lines are
under test: nothing is a sale. Rooms without a line are asked for where --free names lines that may be theirs.

At the end it asks for the names of the technician and of the clinic, and the ledger keeps an acceptance report; print
it from the page to sign it. What was ticked off stays until then, also over a restart.

Exit codes: 0 every room is good, 1 failed, 3 a room needs attention or was not switched.

Examples:
  flanco commission
  flanco commission --lines GPIO17 GPIO27
  flanco commission --free GPIO22 GPIO23
  flanco commission show --json
  flanco commission report`;

/** How often the service is asked what was seen. */
const LOOK_MS = 300;

const CAUSES: Readonly<Record<Cause, string>> = {
  bounce: "the contact bounces longer than the debounce allows",
  no_signal: "nothing moved: a cut wire, no common ground, or a relay that does not switch",
  polarity: "the line is on while the relay is off",
  other_line: "another line moved",
  no_bias: "nothing holds the line at its level at rest",
  loose_wire: "the line moves although a bias holds it: a loose wire, or no common ground",
  no_line: "no line is wired to the room",
};

type ReportHead = OperationData<"listCommissionReports">[number];

interface AccountOption {
  readonly account?: string;
}

interface WalkOptions {
  readonly lines?: string[];
  readonly free: string[];
  readonly minutes?: number;
}

/** `flanco commission`: switch each room's relay, and know that each line is right. */
export function declare(program: Command, context: CliContext): void {
  const { terminal } = context;
  const commission = program
    .command("commission")
    .description("switch each room's relay and see that its line is right; ends with an acceptance report")
    .option("--account <email>", "of one of its members; needed where there are several accounts")
    .addHelpText("after", HELP)
    // Otherwise a misspelled command would be an argument of the walk.
    .hook("preSubcommand", (group, called) => {
      const [word = "-"] = group.args;
      if (!word.startsWith("-") && word !== called.name()) group.error(`error: unknown command '${word}'`);
    });

  commission
    .command("walk", { isDefault: true })
    .description("walk through the rooms that are not ticked off; what flanco commission does by itself")
    .option("--lines <lines...>", "only these wired lines: the others sell meanwhile")
    .option("--free <lines...>", "lines without a room that are looked at too", [])
    .option("--minutes <minutes>", "how long the lines are under test at most (default 120)", toCount)
    .addHelpText(
      "after",
      "\nExit codes and more examples: flanco commission --help.\n\nExample:\n  flanco commission walk --lines GPIO17",
    )
    .action(async ({ lines, free, minutes }: WalkOptions, command: Command) => {
      const user = accountIn(command);
      const config = configOf(context, command);
      const begin = async (door: Door) => {
        // It listens for Ctrl-C before the lines are under test.
        const walk = new Walk(door, terminal, config.time_zone, user);
        await door.call("beginCommission", { user, lines, freeLines: free, minutes });
        await walk.run();
      };
      await withRunning(config, begin, { by: context.user });
    });

  commission
    .command("show")
    .description("show what is known of each room")
    .option("--json", "as JSON", false)
    .addHelpText(
      "after",
      "\nExit codes: 0 every room is good, 3 one is not.\n\nExample:\n  flanco commission show --json",
    )
    .action(async ({ json }: { json: boolean }, command: Command) => {
      const state = await withDoor(context, command, (door) =>
        door.call("showCommission", { user: accountIn(command) }),
      );
      terminal.show(json, state, state.rooms.map(describeRoom));
      requireGood(state.rooms);
    });

  commission
    .command("end")
    .description("end the commissioning without a report: sales count again")
    .addHelpText("after", "\nExample:\n  flanco commission end")
    .action(async (_options: object, command: Command) => {
      await withDoor(context, command, (door) => door.call("endCommission", { user: accountIn(command) }));
      terminal.out("The commissioning is ended, and sales count again. What was ticked off is forgotten.");
    });

  commission
    .command("report")
    .description("show an acceptance report: the newest, or the one of this number")
    .argument("[number]", "as --list shows it", toCount)
    .option("--list", "the reports that there are", false)
    .option("--json", "as JSON", false)
    .addHelpText(
      "after",
      "\nExit codes: 0 every room is good, 3 one is not.\n\nExample:\n  flanco commission report --json",
    )
    .action(
      async (
        number: number | undefined,
        { list, json }: { list: boolean; json: boolean },
        command: Command,
      ) => {
        await withDoor(context, command, async (door) => {
          const user = accountIn(command);
          if (list) {
            const reports = await door.call("listCommissionReports", { user });
            terminal.show(json, reports, reports.map(describeHead));
            return;
          }
          const report = await door.call("showCommissionReport", { user, number });
          terminal.show(json, report, describeReport(report));
          requireGood(report.rooms);
        });
      },
    );
}

/**
 * What comes of asking for a room: it was ticked off or
 * skipped, it is to be asked for again, or the person leaves.
 */
type Outcome = "passed" | "again" | "left";

/** One walk through the rooms that are not ticked off. */
class Walk {
  readonly #door: Door;
  readonly #terminal: Terminal;
  readonly #user: string | undefined;
  readonly #timeZone: string;
  /** Rooms by `nameOf`. */
  readonly #skipped = new Set<string>();
  /** A Ctrl-C ends the walk as `q` does. */
  readonly #interrupted = new Promise<null>((resolve) => process.once("SIGINT", () => resolve(null)));
  #answers: AsyncIterator<string, unknown> | undefined;
  /** The line that is waited for: kept, because a look at the service may come before it. */
  #answer: Promise<string | null> | undefined;

  constructor(door: Door, terminal: Terminal, timeZone: string, user: string | undefined) {
    this.#door = door;
    this.#timeZone = timeZone;
    this.#terminal = terminal;
    this.#user = user;
  }

  async run(): Promise<void> {
    const { rooms, untilTime } = await this.#state();
    this.#terminal.out(
      `${rooms.filter(({ tick }) => tick !== null).length} of ${rooms.length} rooms are ticked off. Nothing is a sale until ${moment(untilTime ?? 0, this.#timeZone)}.`,
    );
    this.#answers = this.#terminal.answers();
    try {
      for (let room = await this.#following(); room !== undefined; room = await this.#following()) {
        if (await this.#room(room)) continue;
        return await this.#leave();
      }
      await this.#finish();
    } finally {
      await this.#answers.return?.();
    }
  }

  /** Says, where the person leaves before the report, that the lines stay under test. */
  async #leave(): Promise<void> {
    const { rooms, untilTime } = await this.#state();
    this.#terminal.out(
      `What was ticked off stays, and nothing is a sale until ${moment(untilTime ?? 0, this.#timeZone)}. flanco commission goes on, flanco commission end ends it.`,
    );
    requireGood(rooms);
  }

  /** The next room to switch. A room whose wiring was mended after its tick comes again. */
  async #following(): Promise<Room | undefined> {
    const { rooms, freeLines } = await this.#state();
    return rooms.find((room) => {
      if (room.tick !== null || room.withoutLine || this.#skipped.has(nameOf(room))) return false;
      return room.isUnderTest || (room.wired === null && freeLines.length > 0);
    });
  }

  /** Asks for one room until it is ticked off or skipped. False where the walk is to end. */
  async #room(room: Room): Promise<boolean> {
    for (;;) {
      const outcome = await this.#askFor(room);
      if (outcome !== "again") return outcome === "passed";
    }
  }

  /** Asks for a room once, and shows what is found of it. */
  async #askFor(room: Room): Promise<Outcome> {
    await this.#door.call("askCommissionRoom", this.#keyOf(room));
    // Read before the person is asked: they are told of every move after this.
    const { rooms, moved } = await this.#state();
    const where = `Room ${room.room} of ${room.deviceName}${room.locationName === "" ? "" : `, ${room.locationName}`}`;
    this.#terminal.out("");
    this.#terminal.out(`${where}: switch its relay on, wait a second, and off again. (s skips it, q ends)`);
    if (findRoom(rooms, room)?.level === true) {
      this.#terminal.out(
        "It shows as on. If its relay is on, switch it off, and press Enter before you go on.",
      );
    }
    const found = await this.#waitForVerdict(room, moveText(moved));
    if (found === null || typeof found === "string") return this.#skipOrLeave(room, found) ?? "again";
    this.#terminal.out(describeRoom(found));
    return this.#decide(found);
  }

  /** Lets the person choose what to do about a room's verdict. */
  async #decide(room: Room): Promise<Outcome> {
    const { mend, verdict } = room.judgement;
    const isGood = verdict === "good";
    const enter = mend === null ? "asks again" : mendText(mend);
    const choices = isGood ? "Enter ticks it off" : `Enter ${enter}, t ticks it off as it is`;
    this.#terminal.out(`${choices}, s skips it, q ends.`);
    const answer = await this.#next();
    const outcome = this.#skipOrLeave(room, answer);
    if (outcome !== undefined) return outcome;
    if (answer === "t" || (answer === "" && isGood)) {
      await this.#door.call("tickCommissionRoom", this.#keyOf(room));
      return "passed";
    }
    if (answer === "" && mend !== null) await this.#door.call("mendCommissionRoom", this.#keyOf(room));
    return "again";
  }

  /** What an answer means at each question about a room; undefined where it depends on the question. */
  #skipOrLeave(room: Room, answer: string | null): Outcome | undefined {
    if (answer === null || answer === "q") return "left";
    if (answer !== "s") return undefined;
    this.#skipped.add(nameOf(room));
    return "passed";
  }

  /**
   * Gives the room once it has a verdict; before that, what a person types, or null at the input's end.
   * @param told the last move that the person knows
   */
  async #waitForVerdict(asked: Room, told: string): Promise<Room | string | null> {
    for (;;) {
      const { rooms, moved } = await this.#state();
      const [last] = moved;
      const move = moveText(moved);
      if (move !== told && last !== undefined) {
        const place = last.room === null ? "no room" : `room ${last.room.room} of ${last.room.deviceName}`;
        this.#terminal.out(`  ${move} (${place}).`);
      }
      told = move;
      const room = findRoom(rooms, asked);
      if (room !== undefined && hasVerdict(room)) return room;
      const answer = await Promise.race([this.#typed(), pause(LOOK_MS, undefined)]);
      if (answer === undefined) continue;
      this.#answer = undefined;
      return answer;
    }
  }

  async #finish(): Promise<void> {
    this.#terminal.out("");
    this.#terminal.out("All rooms are done. Name of the technician? (Enter: no report yet)");
    const technician = await this.#next();
    if (technician === null || technician === "") return this.#leave();
    this.#terminal.out("Name of the clinic's person?");
    const clinic = await this.#next();
    if (clinic === null || clinic === "") return this.#leave();
    const { number } = await this.#door.call("finishCommission", { user: this.#user, technician, clinic });
    const report = await this.#door.call("showCommissionReport", { user: this.#user, number });
    this.#terminal.out("");
    for (const line of describeReport(report)) this.#terminal.out(line);
    requireGood(report.rooms);
  }

  #state(): Promise<Commission> {
    return this.#door.call("showCommission", { user: this.#user });
  }

  #keyOf({ dId, room }: RoomKey) {
    return { user: this.#user, dId, room };
  }

  /** The next line that is typed, null at the input's end. The same line until `#answer` is cleared. */
  #typed(): Promise<string | null> {
    this.#answer ??= Promise.race([
      Promise.resolve(this.#answers?.next()).then((answer) =>
        answer === undefined || answer.done === true ? null : answer.value.trim(),
      ),
      this.#interrupted,
    ]);
    return this.#answer;
  }

  async #next(): Promise<string | null> {
    const answer = await this.#typed();
    this.#answer = undefined;
    return answer;
  }
}

function nameOf({ dId, room }: RoomKey): string {
  return JSON.stringify([dId, room]);
}

function findRoom(rooms: readonly Room[], { dId, room }: RoomKey): Room | undefined {
  return rooms.find((one) => one.dId === dId && one.room === room);
}

/** A room without a line waits for the line that moves, which is then proposed. */
function hasVerdict({ judgement: { verdict, mend } }: Room): boolean {
  return verdict !== null && (verdict !== "unwired" || mend !== null);
}

/** The newest move; empty before the first. */
function moveText([last]: Commission["moved"]): string {
  return last === undefined ? "" : `${last.line} is ${last.level ? "on" : "off"}`;
}

function describeHead({ number, time, technician, clinic, good, rooms }: ReportHead): string {
  return `${number}\t${iso(time)}\t${technician}, ${clinic}\t${good} of ${rooms} rooms good`;
}

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

/** A room with its verdict of now, or the one that it was ticked off with. */
function describeRoom({ judgement, tick, ...room }: Room): string {
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

function mendText(mend: Mend): string {
  return mend.setting === "line" ? `gives the room the line ${mend.line}` : `sets ${settingOf(mend)}`;
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

function accountIn(command: Command): string | undefined {
  return command.optsWithGlobals<AccountOption>().account;
}
