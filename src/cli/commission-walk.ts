import { setTimeout as pause } from "node:timers/promises";
import type { Commission, CommissionedRoom as Room } from "../contract/commission.ts";
import type { RoomKey } from "../domain/commission.ts";
import { describeReport, describeRoom, mendText, requireGood } from "./commission-text.ts";
import type { Door } from "./control-client.ts";
import { moment, type Terminal } from "./terminal.ts";

/** How often the service is asked what was seen. */
const LOOK_MS = 300;

/**
 * What comes of asking for a room: it was ticked off or
 * skipped, it is to be asked for again, or the person leaves.
 */
type Outcome = "passed" | "again" | "left";

/** One walk through the rooms that are not ticked off. */
export class CommissionWalk {
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
