import { expect } from "chai";
import type { RoomChange } from "../../src/web/api/live-event.ts";
import { ongoingSales, roomKey, roomTimes, switchRoom } from "../../src/web/home/rooms.ts";
import { deviceOf, saleOf } from "./sale.ts";

const ON: RoomChange = { deviceId: "d1", room: "101", on: true, timeMs: 50_000 };

function changesOf(change: RoomChange): ReadonlyMap<string, RoomChange> {
  return new Map([[roomKey(change.deviceId, change.room), change]]);
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

  it("tell since when they are on or off by their newest sale", () => {
    const devices = [deviceOf({ "101": true, "102": false, "103": true })];
    const sales = [
      saleOf(3),
      saleOf(2, { room: "102", endedTimeMs: 2_500 }),
      saleOf(1, { endedTimeMs: 1_500 }),
    ];
    const times = roomTimes(devices, new Map(), sales);
    expect([...times]).to.deep.equal([
      [roomKey("d1", "101"), 3_000],
      [roomKey("d1", "102"), 2_500],
    ]);
  });

  it("believe what was seen live before what a sale says, as long as it fits", () => {
    const sales = [saleOf(3)];
    const lit = [deviceOf({ "101": true })];
    expect([...roomTimes(lit, changesOf(ON), sales).values()]).to.deep.equal([50_000]);
    // The change was seen, then missed events switched the room again: the old time would be a lie.
    expect([...roomTimes(lit, changesOf({ ...ON, on: false }), sales).values()]).to.deep.equal([3_000]);
  });

  it("say nothing of a time when their newest sale contradicts them", () => {
    expect([...roomTimes([deviceOf({ "101": false })], new Map(), [saleOf(3)])]).to.deep.equal([]);
    const ended = [saleOf(3, { endedTimeMs: 3_500 })];
    expect([...roomTimes([deviceOf({ "101": true })], new Map(), ended)]).to.deep.equal([]);
  });

  it("have one sale going on each while they are on, never a posted one", () => {
    const sales = [saleOf(4, { origin: "posted" }), saleOf(3), saleOf(2), saleOf(1, { room: "102" })];
    expect([...ongoingSales([deviceOf({ "101": true, "102": false })], sales)]).to.deep.equal([3]);
  });

  it("are told apart whatever their names hold", () => {
    expect(roomKey("a", 'b","c')).not.to.equal(roomKey('a","b', "c"));
  });
});
