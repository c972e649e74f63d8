import { expect } from "chai";
import type { RoomChange } from "../../src/web/api/live-event.ts";
import type { LastEdge } from "../../src/web/api/status.ts";
import { roomKey, roomTimes, switchRoom, talliesOf } from "../../src/web/rooms/rooms.ts";
import { NO_ROOMS, type RoomsAction, type RoomsState, reduceRooms } from "../../src/web/rooms/rooms-state.ts";
import { deviceOf, saleOf } from "./sale.ts";

const ON: RoomChange = { deviceId: "d1", room: "101", on: true, timeMs: 50_000 };

function changesOf(change: RoomChange): ReadonlyMap<string, RoomChange> {
  return new Map([[roomKey(change.deviceId, change.room), change]]);
}

function edgeOf(room: string, level: boolean | null, timeMs: number | null): LastEdge {
  return {
    line: `LINE${room}`,
    deviceId: "d1",
    dId: "7234",
    deviceName: "Pasillo A",
    room,
    level,
    timeMs,
    isProvisional: false,
  };
}

function stateAfter(...actions: readonly RoomsAction[]): RoomsState {
  return actions.reduce(reduceRooms, NO_ROOMS);
}

describe("The rooms on the page", () => {
  it("switch one by one", () => {
    const devices = switchRoom([deviceOf({ "101": false, "102": false })], ON);
    expect(devices).to.deep.equal([deviceOf({ "101": true, "102": false })]);
  });

  it("stay the very same when a change tells nothing new or is of a room unknown", () => {
    const devices = [deviceOf({ "101": true })];
    expect(switchRoom(devices, ON)).to.equal(devices);
    expect(switchRoom(devices, { ...ON, room: "999", on: false })).to.equal(devices);
    expect(switchRoom(devices, { ...ON, deviceId: "d2", on: false })).to.equal(devices);
  });

  it("tell since when they are on or off by their line's last edge", () => {
    const devices = [deviceOf({ "101": true, "102": false, "103": true })];
    const edges = [edgeOf("101", true, 3_000), edgeOf("102", false, 2_500), edgeOf("103", null, null)];
    expect([...roomTimes(devices, new Map(), edges)]).to.deep.equal([
      [roomKey("d1", "101"), 3_000],
      [roomKey("d1", "102"), 2_500],
    ]);
  });

  it("believe what was seen live before the last edge that was told, as long as it fits", () => {
    const edges = [edgeOf("101", true, 3_000)];
    const lit = [deviceOf({ "101": true })];
    expect([...roomTimes(lit, changesOf(ON), edges).values()]).to.deep.equal([50_000]);
    // The change was seen, then missed events switched the room again: the old time would be a lie.
    expect([...roomTimes(lit, changesOf({ ...ON, on: false }), edges).values()]).to.deep.equal([3_000]);
  });

  it("say nothing of a time when their last edge contradicts them", () => {
    expect([
      ...roomTimes([deviceOf({ "101": false })], new Map(), [edgeOf("101", true, 3_000)]),
    ]).to.deep.equal([]);
  });

  it("are told apart whatever their names hold", () => {
    expect(roomKey("a", 'b","c')).not.to.equal(roomKey('a","b', "c"));
  });
});

describe("What the rooms sold today", () => {
  const dayOf = (timeMs: number) => (timeMs < 2_500 ? "2026-03-28" : "2026-03-29");

  it("is counted per room, without other days and without what is void", () => {
    const sales = [
      saleOf(5),
      saleOf(4, { voidReason: "prueba" }),
      saleOf(3, { valor: 1.25 }),
      saleOf(6, { room: "102" }),
      saleOf(1),
    ];
    expect([...talliesOf(sales, "2026-03-29", dayOf)]).to.deep.equal([
      [roomKey("d1", "101"), { sales: 2, revenue: 4.75 }],
      [roomKey("d1", "102"), { sales: 1, revenue: 3.5 }],
    ]);
  });

  it("counts a sale once, however often it is told", () => {
    const state = stateAfter(
      { kind: "today", sales: [saleOf(1)] },
      { kind: "sold", sale: saleOf(2) },
      { kind: "sold", sale: saleOf(2) },
      { kind: "sold", sale: saleOf(1) },
    );
    expect(state.today.kind === "ready" && [...state.today.value.keys()]).to.deep.equal([1, 2]);
  });

  it("takes back what is declared void, and nothing else", () => {
    const state = stateAfter(
      { kind: "today", sales: [saleOf(1), saleOf(2)] },
      { kind: "voided", recordId: 2, reason: "prueba" },
      { kind: "voided", recordId: 9, reason: "prueba" },
    );
    const sales = state.today.kind === "ready" ? [...state.today.value.values()] : [];
    expect(sales).to.deep.equal([saleOf(1), saleOf(2, { voidReason: "prueba" })]);
  });

  it("begins with the day's list: a sale that comes before it is in it", () => {
    expect(stateAfter({ kind: "sold", sale: saleOf(1) })).to.equal(NO_ROOMS);
  });
});

describe("The rooms' state", () => {
  it("keeps what was there when a refresh fails, and says so only before the first answer", () => {
    expect(stateAfter({ kind: "failed", part: "devices" }).devices).to.deep.equal({ kind: "failed" });
    const devices = [deviceOf({ "101": true })];
    const state = stateAfter({ kind: "devices", devices }, { kind: "failed", part: "devices" });
    expect(state.devices).to.deep.equal({ kind: "ready", value: devices });
  });

  it("applies a change that was told before the rooms were there once it is told again", () => {
    const state = stateAfter(
      { kind: "switched", change: ON },
      { kind: "devices", devices: [deviceOf({ "101": false })] },
      { kind: "switched", change: ON },
    );
    expect(state.devices).to.deep.equal({ kind: "ready", value: [deviceOf({ "101": true })] });
  });
});
