import { expect } from "chai";
import type { LastEdge } from "../../src/web/api/shapes.ts";
import type { RoomChange } from "../../src/web/live/events.ts";
import { roomKey, roomTimes, switchRoom } from "../../src/web/rooms/rooms.ts";
import { deviceOf } from "./record.ts";

const ON: RoomChange = { deviceId: "d1", actuatorId: "101", value: true, time: 50_000 };

function changesOf(change: RoomChange): ReadonlyMap<string, RoomChange> {
  return new Map([[roomKey(change.deviceId, change.actuatorId), change]]);
}

function edgeOf(room: string, active: boolean | null, timeMs: number | null): LastEdge {
  const device = { deviceId: "d1", dId: "7234", deviceName: "Pasillo A" };
  return { line: `LINE${room}`, ...device, room, active, timeMs, provisional: false };
}

describe("The rooms on the page", () => {
  it("switch one by one", () => {
    const devices = switchRoom([deviceOf({ "101": false, "102": false })], ON);
    expect(devices).to.deep.equal([deviceOf({ "101": true, "102": false })]);
  });

  it("stay the very same when a change tells nothing new or is of a room unknown", () => {
    const devices = [deviceOf({ "101": true })];
    expect(switchRoom(devices, ON)).to.equal(devices);
    expect(switchRoom(devices, { ...ON, actuatorId: "999", value: false })).to.equal(devices);
    expect(switchRoom(devices, { ...ON, deviceId: "d2", value: false })).to.equal(devices);
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
    // The change was seen, then missed events switched the room again: the old time would be wrong.
    expect([...roomTimes(lit, changesOf({ ...ON, value: false }), edges).values()]).to.deep.equal([3_000]);
    expect([...roomTimes([deviceOf({ "101": false })], new Map(), edges)]).to.deep.equal([]);
  });

  it("are told apart whatever their names hold", () => {
    expect(roomKey("a", 'b","c')).not.to.equal(roomKey('a","b', "c"));
  });
});
