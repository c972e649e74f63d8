import type { Device } from "../api/device.ts";
import type { LostEdges, RoomChange } from "../api/live-event.ts";
import type { Sale, SalePage } from "../api/sale.ts";
import type { Status } from "../api/status.ts";
import type { Week } from "../api/summary.ts";
import type { LiveState } from "../live/connection.ts";
import {
  appendOlder,
  type Correction,
  correctSale,
  endSale,
  type Ledger,
  mergeNewest,
  prependSale,
} from "./ledger.ts";
import { type RoomChanges, roomKey, switchRoom } from "./rooms.ts";

/** Something that is fetched. A failed refresh keeps what was there before. */
export type Part<T> =
  | { readonly kind: "waiting" }
  | { readonly kind: "ready"; readonly value: T }
  | { readonly kind: "failed" };

export interface HomeState {
  readonly live: LiveState;
  readonly devices: Part<readonly Device[]>;
  readonly week: Part<Week | null>;
  readonly ledger: Part<Ledger>;
  readonly status: Part<Status>;
  readonly roomChanges: RoomChanges;
  /** The last loss of edges that was told while the page was open. */
  readonly lastLost: LostEdges | null;
  readonly loadingOlder: boolean;
}

export type PartName = "devices" | "week" | "ledger" | "status";

export type HomeAction =
  | { readonly kind: "live"; readonly live: LiveState }
  | { readonly kind: "devices"; readonly devices: readonly Device[] }
  | { readonly kind: "week"; readonly week: Week | null }
  | { readonly kind: "status"; readonly status: Status }
  | { readonly kind: "newest"; readonly page: SalePage }
  | { readonly kind: "older_asked" }
  | { readonly kind: "older"; readonly page: SalePage }
  | { readonly kind: "older_failed" }
  | { readonly kind: "failed"; readonly part: PartName }
  | { readonly kind: "sale"; readonly sale: Sale }
  | { readonly kind: "corrected"; readonly recordId: number; readonly correction: Correction }
  | { readonly kind: "switched"; readonly change: RoomChange }
  | { readonly kind: "lost"; readonly lost: LostEdges };

export const EMPTY_HOME: HomeState = {
  live: "connecting",
  devices: { kind: "waiting" },
  week: { kind: "waiting" },
  ledger: { kind: "waiting" },
  status: { kind: "waiting" },
  roomChanges: new Map(),
  lastLost: null,
  loadingOlder: false,
};

/** True once every part has been fetched or has failed, so that the page can appear in one piece. */
export function isComplete(state: HomeState): boolean {
  return [state.devices, state.week, state.ledger, state.status].every((part) => part.kind !== "waiting");
}

export function reduceHome(state: HomeState, action: HomeAction): HomeState {
  switch (action.kind) {
    case "live":
      return { ...state, live: action.live };
    case "devices":
      return { ...state, devices: ready(action.devices) };
    case "week":
      return { ...state, week: ready(action.week) };
    case "status":
      return { ...state, status: ready(action.status) };
    case "newest":
      return { ...state, ledger: ready(mergeNewest(ledgerOf(state), action.page)) };
    case "older_asked":
      return { ...state, loadingOlder: true };
    case "older":
      return { ...state, loadingOlder: false, ledger: ready(appendOlder(ledgerOf(state), action.page)) };
    case "older_failed":
      return { ...state, loadingOlder: false };
    case "failed":
      return state[action.part].kind === "ready" ? state : { ...state, [action.part]: { kind: "failed" } };
    case "sale":
      // A sale that comes before the first page is in that page, or is told again after it.
      return state.ledger.kind === "ready"
        ? { ...state, ledger: ready(prependSale(state.ledger.value, action.sale)) }
        : state;
    case "corrected":
      return state.ledger.kind === "ready"
        ? { ...state, ledger: ready(correctSale(state.ledger.value, action.recordId, action.correction)) }
        : state;
    case "switched":
      return afterSwitch(state, action.change);
    case "lost":
      return { ...state, lastLost: action.lost };
  }
}

function afterSwitch(state: HomeState, change: RoomChange): HomeState {
  const { devices, ledger } = state;
  return {
    ...state,
    roomChanges: new Map(state.roomChanges).set(roomKey(change.deviceId, change.room), change),
    devices: devices.kind === "ready" ? ready(switchRoom(devices.value, change)) : devices,
    ledger: ledger.kind === "ready" ? ready(endSale(ledger.value, change)) : ledger,
  };
}

function ledgerOf(state: HomeState): Ledger {
  return state.ledger.kind === "ready" ? state.ledger.value : { sales: [], next: null };
}

function ready<T>(value: T): Part<T> {
  return { kind: "ready", value };
}
