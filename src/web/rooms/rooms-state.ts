import type { Device } from "../api/device.ts";
import type { RoomChange } from "../api/live-event.ts";
import type { Sale } from "../api/sale.ts";
import { type Part, ready, readyValue } from "../live/part.ts";
import { type RoomChanges, roomKey, switchRoom } from "./rooms.ts";

/** The rooms as they are, and today's sales. */
export interface RoomsState {
  readonly devices: Part<readonly Device[]>;
  /** By record id: told twice, a sale is there once. */
  readonly today: Part<ReadonlyMap<number, Sale>>;
  readonly changes: RoomChanges;
}

export type RoomsPart = "devices" | "today";

export type RoomsAction =
  | { readonly kind: "devices"; readonly devices: readonly Device[] }
  | { readonly kind: "today"; readonly sales: readonly Sale[] }
  | { readonly kind: "failed"; readonly part: RoomsPart }
  | { readonly kind: "sold"; readonly sale: Sale }
  | { readonly kind: "voided"; readonly recordId: number; readonly reason: string }
  | { readonly kind: "switched"; readonly change: RoomChange };

export const NO_ROOMS: RoomsState = {
  devices: { kind: "waiting" },
  today: { kind: "waiting" },
  changes: new Map(),
};

export function reduceRooms(state: RoomsState, action: RoomsAction): RoomsState {
  switch (action.kind) {
    case "devices":
      return { ...state, devices: ready(action.devices) };
    case "today":
      return { ...state, today: ready(new Map(action.sales.map((sale) => [sale.recordId, sale]))) };
    case "failed":
      // A failed refresh keeps what was there before.
      return state[action.part].kind === "ready" ? state : { ...state, [action.part]: { kind: "failed" } };
    case "sold":
      return withSale(state, action.sale);
    case "voided": {
      const sale = readyValue(state.today)?.get(action.recordId);
      return sale === undefined ? state : withSale(state, { ...sale, voidReason: action.reason });
    }
    case "switched":
      return afterSwitch(state, action.change);
  }
}

/** A sale that comes before the day's list is in that list, or is told again after it. */
function withSale(state: RoomsState, sale: Sale): RoomsState {
  const today = readyValue(state.today);
  if (today === undefined) return state;
  return { ...state, today: ready(new Map(today).set(sale.recordId, sale)) };
}

function afterSwitch(state: RoomsState, change: RoomChange): RoomsState {
  const devices = readyValue(state.devices);
  return {
    ...state,
    changes: new Map(state.changes).set(roomKey(change.deviceId, change.room), change),
    devices: devices === undefined ? state.devices : ready(switchRoom(devices, change)),
  };
}
