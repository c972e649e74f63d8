import type { Line } from "../api/shapes.ts";

/** Room to the address of the line that is chosen for it. */
export type LinePlan = ReadonlyMap<string, string>;

/** The first free lines for the rooms, one each, in order. */
export function planInOrder(rooms: readonly string[], lines: readonly Line[]): LinePlan {
  const plan = new Map<string, string>();
  rooms.forEach((room, index) => {
    const line = lines[index];
    if (line !== undefined) plan.set(room, line.address);
  });
  return plan;
}

/** The plan with another line for a room; an empty address takes its line away. */
export function planRoom(plan: LinePlan, room: string, address: string): LinePlan {
  const next = new Map(plan);
  if (address === "") next.delete(room);
  else next.set(room, address);
  return next;
}

/** The rooms whose line is another room's too. */
export function roomsInDoubt(plan: LinePlan): ReadonlySet<string> {
  const addresses = [...plan.values()];
  const isTwice = (address: string) => addresses.indexOf(address) !== addresses.lastIndexOf(address);
  return new Set([...plan].filter(([, address]) => isTwice(address)).map(([room]) => room));
}
