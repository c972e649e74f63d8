import type { Commission, CommissionedRoom } from "../api/shapes.ts";

/** Names a room. */
type RoomName = Pick<CommissionedRoom, "dId" | "room">;

type Round = Pick<Commission, "rooms" | "lines">;

/** Rooms that are to be switched: those of the chosen lines, else all but those without a line on purpose. */
export function roomsToTest({ rooms, lines }: Round): readonly CommissionedRoom[] {
  return rooms.filter(({ withoutLine, wired }) =>
    lines === null ? !withoutLine : wired !== null && lines.includes(wired.line),
  );
}

export function isSameRoom(one: RoomName, other: RoomName): boolean {
  return one.dId === other.dId && one.room === other.room;
}

/** The room that is to be switched now: the one that is asked for, else the first after it that is not ticked off; undefined once all are. */
export function nextRoom(commission: Round): CommissionedRoom | undefined {
  const rooms = roomsToTest(commission);
  const asked = rooms.findIndex(({ isAsked }) => isAsked);
  const inOrder = asked === -1 ? rooms : [...rooms.slice(asked), ...rooms.slice(0, asked)];
  return inOrder.find(({ tick }) => tick === null);
}

/** The room whose line moved last, where another one is asked for and it is not ticked off yet. */
export function movedRoom(
  { moved, rooms }: Pick<Commission, "moved" | "rooms">,
  next: RoomName | undefined,
): CommissionedRoom | undefined {
  const [newest] = moved;
  if (newest === undefined || newest.room === null) return undefined;
  const { room: name } = newest;
  const found = rooms.find((room) => isSameRoom(room, name));
  if (found === undefined || found.tick !== null) return undefined;
  return next !== undefined && isSameRoom(found, next) ? undefined : found;
}

/** The room that would lose its line to the one that is asked for: that room moved in its place. Undefined where a free line moved. */
export function holderOf(
  { rooms }: Pick<Commission, "rooms">,
  next: CommissionedRoom | undefined,
): CommissionedRoom | undefined {
  const mend = next?.judgement.mend;
  return mend?.setting === "line" ? rooms.find(({ wired }) => wired?.line === mend.line) : undefined;
}

/** Rooms by their device, in their order. */
export function byDevice<R extends Pick<CommissionedRoom, "dId">>(
  rooms: readonly R[],
): readonly (readonly R[])[] {
  return [...Map.groupBy(rooms, ({ dId }) => dId).values()];
}
