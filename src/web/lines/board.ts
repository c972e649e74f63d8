import type { Data, Device, Line, Wiring } from "../api/shapes.ts";
import type { RoomChange } from "../live/events.ts";
import { roomKey } from "../rooms/rooms.ts";

interface FreeRoom {
  readonly dId: string;
  readonly deviceName: string;
  readonly room: string;
}

/** Every line of the machine, and what the account has to wire them to. */
export interface Board extends Pick<Data<"/api/line">, "simulated" | "chips"> {
  readonly devices: readonly Device[];
  readonly wirings: readonly Wiring[];
}

export function linesOf(board: Pick<Board, "chips">): readonly Line[] {
  return board.chips.flatMap(({ lines }) => lines);
}

/** What a technician calls a line: its name, else its address. */
export function lineName({ name, address }: Line): string {
  return name ?? address;
}

/** How to name a line when it is wired: by its name where that is the only one of its kind, for names outlive a change of chips. */
export function wiringName(board: Pick<Board, "chips">, { name, address }: Line): string {
  const isAlone = name !== null && linesOf(board).filter((line) => line.name === name).length === 1;
  return isAlone ? name : address;
}

/** Nothing stands in the way of wiring it, or of looking at it. */
export function isFree({ wired, wiredByOther, consumer }: Line): boolean {
  return wired === null && !wiredByOther && consumer === null;
}

/** The wiring of a line that is wired to one of the user's rooms. */
export function wiringOf(line: Line, wirings: readonly Wiring[]): Wiring | undefined {
  const { wired } = line;
  return wirings.find(
    ({ dId, actuatorId }) => wired !== null && dId === wired.dId && actuatorId === wired.actuatorId,
  );
}

/** The rooms without a line, in the order of the devices. */
export function freeRooms({ devices, wirings }: Pick<Board, "devices" | "wirings">): readonly FreeRoom[] {
  const taken = new Set(wirings.map(({ dId, actuatorId }) => roomKey(dId, actuatorId)));
  return devices.flatMap(({ dId, name, actuators }) =>
    actuators
      .filter(({ id }) => !taken.has(roomKey(dId, id)))
      .map(({ id }) => ({ dId, deviceName: name, room: id })),
  );
}

/** The address of the line that is a room. */
export function addressOfRoom(
  board: Board,
  { deviceId, actuatorId }: Pick<RoomChange, "deviceId" | "actuatorId">,
): string | undefined {
  const dId = board.devices.find(({ _id }) => _id === deviceId)?.dId;
  const isRoom = ({ wired }: Line) => wired !== null && wired.dId === dId && wired.actuatorId === actuatorId;
  return linesOf(board).find(isRoom)?.address;
}

/** The board after a room was switched. */
export function switchLine(board: Board, change: RoomChange): Board {
  const address = addressOfRoom(board, change);
  if (address === undefined) return board;
  const switched = (line: Line) => (line.address === address ? { ...line, level: change.value } : line);
  return { ...board, chips: board.chips.map((chip) => ({ ...chip, lines: chip.lines.map(switched) })) };
}
