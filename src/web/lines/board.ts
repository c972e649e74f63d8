import type { Chip, Line, LineBoard } from "../api/line.ts";
import type { Box } from "../api/place.ts";
import type { Wiring } from "../api/wiring.ts";

/** A room that no line is wired to. */
export interface FreeRoom {
  readonly dId: string;
  readonly deviceName: string;
  readonly room: string;
}

export function linesOf(board: LineBoard): readonly Line[] {
  return board.chips.flatMap(({ lines }) => lines);
}

/** What a technician calls a line: its name, else its address. */
export function lineName({ name, address }: Line): string {
  return name ?? address;
}

/** How to name a line when it is wired: by its name where that is the only one of its kind, for names outlive a change of chips. */
export function wiringName(board: LineBoard, { name, address }: Line): string {
  const isAlone = name !== null && linesOf(board).filter((line) => line.name === name).length === 1;
  return isAlone ? name : address;
}

/** Nothing stands in the way of wiring it, or of looking at it. */
export function isFree({ wired, isOthers, consumer }: Line): boolean {
  return wired === null && !isOthers && consumer === null;
}

export function freeLines({ lines }: Chip): readonly Line[] {
  return lines.filter(isFree);
}

/** The wiring of a line that is wired to one of the user's rooms. */
export function wiringOf(line: Line, wirings: readonly Wiring[]): Wiring | undefined {
  const { wired } = line;
  return wirings.find(({ dId, room }) => wired !== null && dId === wired.dId && room === wired.room);
}

/** The rooms without a line, in the order of the devices. */
export function freeRooms(boxes: readonly Box[], wirings: readonly Wiring[]): readonly FreeRoom[] {
  const taken = new Set(wirings.map(({ dId, room }) => JSON.stringify([dId, room])));
  return boxes.flatMap(({ dId, name, rooms }) =>
    rooms
      .filter((room) => !taken.has(JSON.stringify([dId, room])))
      .map((room) => ({ dId, deviceName: name, room })),
  );
}

/** The address of the line that is a room; `deviceId` is the device's `_id`. */
export function addressOfRoom(
  board: LineBoard,
  boxes: readonly Box[],
  deviceId: string,
  room: string,
): string | undefined {
  const dId = boxes.find(({ id }) => id === deviceId)?.dId;
  return linesOf(board).find(({ wired }) => wired !== null && wired.dId === dId && wired.room === room)
    ?.address;
}
