import { expect } from "chai";
import type { CommissionedRoom } from "../../src/web/api/shapes.ts";
import { byDevice, holderOf, movedRoom, nextRoom, roomsToTest } from "../../src/web/commission/round.ts";

const UNKNOWN = { verdict: null, cause: null, mend: null, measured: null };
const GOOD = { ...UNKNOWN, verdict: "good", note: "", time: 1, provisional: false } as const;

function aRoom(room: string, otherwise: Partial<CommissionedRoom> = {}): CommissionedRoom {
  return {
    locationName: "Norte",
    deviceId: "d",
    dId: "1",
    deviceName: "Pasillo A",
    room,
    withoutLine: false,
    wired: null,
    level: null,
    isUnderTest: true,
    isAsked: false,
    judgement: UNKNOWN,
    tick: null,
    ...otherwise,
  };
}

describe("The round of a commissioning", () => {
  it("goes on after the room that is asked for, and comes back to those left out", () => {
    const next = (...rooms: CommissionedRoom[]) => nextRoom({ rooms, lines: null })?.room;
    expect(next(aRoom("101"), aRoom("102"))).to.equal("101");
    expect(next(aRoom("101"), aRoom("102", { isAsked: true }))).to.equal("102");
    const ticked = { isAsked: true, tick: GOOD };
    expect(next(aRoom("101"), aRoom("102", ticked), aRoom("103"))).to.equal("103");
    expect(next(aRoom("101"), aRoom("102", ticked))).to.equal("101");
    expect(next(aRoom("101", { tick: GOOD }), aRoom("102", ticked))).to.equal(undefined);
  });

  it("leaves out rooms that have no line on purpose", () => {
    const rooms = [aRoom("101", { withoutLine: true }), aRoom("102")];
    expect(roomsToTest({ rooms, lines: null }).map(({ room }) => room)).to.deep.equal(["102"]);
    expect(nextRoom({ rooms, lines: null })?.room).to.equal("102");
  });

  it("is of the chosen lines alone", () => {
    const wired = { line: "SIM1", activeLow: false, bias: "as-is", debounceMs: 50, rearmMs: 0 } as const;
    const rooms = [
      aRoom("101", { wired: { ...wired, line: "SIM0" } }),
      aRoom("102", { wired }),
      aRoom("103"),
    ];
    expect(roomsToTest({ rooms, lines: ["SIM1"] }).map(({ room }) => room)).to.deep.equal(["102"]);
    expect(nextRoom({ rooms, lines: ["SIM1"] })?.room).to.equal("102");
  });

  it("proposes the room whose line moved last, unless it is the one asked for, ticked off, or no room's line", () => {
    const rooms = [aRoom("101"), aRoom("102"), aRoom("103", { tick: GOOD })];
    const moved = (room: string | null) => {
      const name = room === null ? null : { dId: "1", deviceName: "Pasillo A", room };
      return movedRoom({ rooms, moved: [{ line: "L", room: name, level: true, time: 1 }] }, rooms[0])?.room;
    };
    expect(moved("102")).to.equal("102");
    for (const room of ["101", "103", "104", null]) expect(moved(room)).to.equal(undefined);
    expect(movedRoom({ rooms, moved: [] }, rooms[0])).to.equal(undefined);
  });

  it("knows the room that would lose its line to the one asked for, ticked off or not", () => {
    const contact = { line: "L2", activeLow: false, bias: "as-is", debounceMs: 50 } as const;
    const wired = { ...contact, rearmMs: 0 };
    const asked = (line: string) =>
      aRoom("101", {
        judgement: { ...UNKNOWN, verdict: "swapped", mend: { ...contact, setting: "line", line } },
      });
    const rooms = [aRoom("101"), aRoom("102", { wired, tick: GOOD })];
    expect(holderOf({ rooms }, asked("L2"))?.room).to.equal("102");
    expect(holderOf({ rooms }, asked("L9"))).to.equal(undefined);
    expect(holderOf({ rooms }, aRoom("101"))).to.equal(undefined);
  });

  it("lists rooms by their device", () => {
    const rooms = [aRoom("101"), aRoom("101", { dId: "2" }), aRoom("102")];
    expect(byDevice(rooms).map((of) => of.map(({ dId, room }) => `${dId} ${room}`))).to.deep.equal([
      ["1 101", "1 102"],
      ["2 101"],
    ]);
  });
});
