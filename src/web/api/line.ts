import type { Api } from "./api.ts";
import { flag, type Json, list, object, text } from "./read.ts";

/** Which of the user's rooms a line is. */
export interface LineRoom {
  readonly deviceName: string;
  readonly dId: string;
  readonly room: string;
}

/** One line of a chip, as the gateway finds it. */
export interface Line {
  /** Chip and offset: `gpiochip0:17`. */
  readonly address: string;
  /** The line's own name (`GPIO17`); null where the kernel knows none. */
  readonly name: string | null;
  /** Another program that uses it; null for none. */
  readonly consumer: string | null;
  readonly wired: LineRoom | null;
  /** It is a room of another user. */
  readonly isOthers: boolean;
  readonly isWatched: boolean;
  /** True while the room is on. Null where nobody watches it. */
  readonly level: boolean | null;
  /** Why it is wired and not watched: the server's own text, for a technician. */
  readonly problem: string | null;
}

export interface Chip {
  readonly chip: string;
  readonly label: string;
  readonly lines: readonly Line[];
}

export interface LineBoard {
  readonly driver: string;
  readonly isSimulated: boolean;
  readonly chips: readonly Chip[];
}

export async function loadLines(api: Api): Promise<LineBoard> {
  const data = object((await api.get("/api/lines"))["data"], "data");
  return {
    driver: text(data, "driver"),
    isSimulated: flag(data, "simulated"),
    chips: list(data, "chips", (chip) => ({
      chip: text(chip, "chip"),
      label: text(chip, "label"),
      lines: list(chip, "lines", lineOf),
    })),
  };
}

/** Looks once at a free line's level, which is left as it is. Throws ApiFailure: 409 when something uses it. */
export async function readLine(api: Api, address: string): Promise<boolean> {
  const answer = await api.post("/api/lines/read", { line: address });
  return flag(answer["data"] === undefined ? answer : object(answer["data"], "data"), "level");
}

/** Switches a simulated line. Throws ApiFailure: 409 where lines are real. */
export async function driveLine(api: Api, address: string, level: boolean): Promise<void> {
  await api.post("/api/lines/drive", { line: address, level });
}

function lineOf(data: Json): Line {
  const wired = data["wired"];
  return {
    address: text(data, "address"),
    name: textOrNull(data, "name"),
    consumer: textOrNull(data, "consumer"),
    wired: wired === null ? null : roomOf(object(wired, "wired")),
    isOthers: flag(data, "wiredByOther"),
    isWatched: flag(data, "watched"),
    level: data["level"] === null ? null : flag(data, "level"),
    problem: textOrNull(data, "problem"),
  };
}

function roomOf(data: Json): LineRoom {
  return { deviceName: text(data, "deviceName"), dId: text(data, "dId"), room: text(data, "actuatorId") };
}

function textOrNull(from: Json, field: string): string | null {
  return from[field] === null ? null : text(from, field);
}
