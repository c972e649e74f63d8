import { expect } from "chai";
import type { Api } from "../../src/web/api/api.ts";
import { choicesOf, loadChoices, whoseOf } from "../../src/web/api/locations.ts";
import type { Location } from "../../src/web/api/shapes.ts";
import {
  briefRooms,
  locationsInOrder,
  renamedRooms,
  roomsOfDraft,
  roomsOfList,
  roomsOfRange,
} from "../../src/web/locations/rooms.ts";
import { panelTexts } from "../../src/web/messages/panel.ts";
import { deviceOf } from "./record.ts";

const { compare } = new Intl.Collator("es", { numeric: true });

describe("The rooms of a new device", () => {
  it("are numbered on from the first", () => {
    expect(roomsOfRange("101", 4)).to.deep.equal({ kind: "rooms", rooms: ["101", "102", "103", "104"] });
    expect(roomsOfRange(" A-09 ", 3)).to.deep.equal({ kind: "rooms", rooms: ["A-09", "A-10", "A-11"] });
    expect(roomsOfRange("098", 3)).to.deep.equal({ kind: "rooms", rooms: ["098", "099", "100"] });
  });

  it("need a number to go on from, unless there is only one", () => {
    expect(roomsOfRange("Sala", 2)).to.deep.equal({ kind: "no_number" });
    expect(roomsOfRange("Sala", 1)).to.deep.equal({ kind: "rooms", rooms: ["Sala"] });
  });

  it("are at least one and at most 64", () => {
    expect(roomsOfRange("101", 0).kind).to.equal("none");
    expect(roomsOfRange("", 3).kind).to.equal("none");
    expect(roomsOfRange("1", 64).kind).to.equal("rooms");
    expect(roomsOfRange("1", 65)).to.deep.equal({ kind: "too_many", count: 65 });
    expect(roomsOfList(" , ;\n").kind).to.equal("none");
    expect(roomsOfList(Array.from({ length: 65 }, (_, index) => index).join())).to.include({
      kind: "too_many",
    });
  });

  it("are taken from a list, each once", () => {
    expect(roomsOfList("101, 102;Sala 3\n 104,")).to.deep.equal({
      kind: "rooms",
      rooms: ["101", "102", "Sala 3", "104"],
    });
    expect(roomsOfList("101,102, 101")).to.deep.equal({ kind: "twice", room: "101" });
  });

  it("come from the way that is chosen, and from no half-typed number", () => {
    const draft = { way: "range", first: "7", count: "2", list: "a,b" } as const;
    expect(roomsOfDraft(draft)).to.deep.include({ rooms: ["7", "8"] });
    expect(roomsOfDraft({ ...draft, way: "list" })).to.deep.include({ rooms: ["a", "b"] });
    expect(roomsOfDraft({ ...draft, count: "2x" }).kind).to.equal("none");
    expect(roomsOfDraft({ ...draft, count: "" }).kind).to.equal("none");
  });

  it("are written in little room, runs drawn together", () => {
    expect(briefRooms(["101", "102", "103", "201", "203", "204"])).to.equal("101–103, 201, 203, 204");
    expect(briefRooms(["A-09", "A-10", "A-11"])).to.equal("A-09–A-11");
    expect(briefRooms(["Sala"])).to.equal("Sala");
    expect(briefRooms([])).to.equal("");
  });
});

describe("Locations in order", () => {
  const location = (_id: string, name: string): Location => ({
    _id,
    name,
    userId: "u1",
    description: "",
    createdTime: 0,
    devices: [],
    __v: 0,
  });

  const device = (name: string, locationId: string) => deviceOf({}, { name, dId: name, locationId });

  it("have their devices with them, by name and number", () => {
    const { groups } = locationsInOrder(
      {
        locations: [location("2", "Sur"), location("1", "Norte")],
        devices: [device("Pasillo 10", "1"), device("Pasillo 2", "1")],
      },
      compare,
    );
    expect(
      groups.map((group) => [group.location.name, ...group.devices.map(({ name }) => name)]),
    ).to.deep.equal([["Norte", "Pasillo 2", "Pasillo 10"], ["Sur"]]);
  });

  it("leave no device out, also of a location that is gone", () => {
    const { elsewhere } = locationsInOrder({ locations: [], devices: [device("A", "gone")] }, compare);
    expect(elsewhere.map(({ name }) => name)).to.deep.equal(["A"]);
  });
});

describe("What records can be asked for by", () => {
  it("names each location and each device once, those that are there before those that are gone", () => {
    const there = deviceOf({ "201": false }, { _id: "d2", name: "Pasillo 2", locationName: "Norte" });
    const at = (...ids: readonly string[]) => ids.map((deviceId) => ({ deviceId, locationName: "Norte" }));
    const gone = [{ deviceId: "d8", name: "Pasillo 8" }];
    const sold = { locations: ["Sur", "Norte"], devices: at("d9", "d2", "d8", "d9"), gone };
    const choices = choicesOf(sold, { locations: ["Este", "Norte"], devices: [there] }, compare, "d7");
    expect(choices.locations).to.deep.equal(["Este", "Norte", "Sur"]);
    expect(choices.devices.map(({ id, name, rooms }) => [id, name, rooms])).to.deep.equal([
      ["d2", "Pasillo 2", ["201"]],
      ["d8", "Pasillo 8", []],
      ["d9", null, []],
      ["d7", null, []],
    ]);
  });

  it("has a device that is gone at every location where it sold", () => {
    const devices = ["Norte", "Sur"].map((locationName) => ({ deviceId: "d9", locationName }));
    const choices = choicesOf({ locations: [], devices, gone: [] }, { locations: [], devices: [] }, compare);
    expect(choices.devices.map(({ locationNames }) => locationNames)).to.deep.equal([["Norte", "Sur"]]);
  });

  it("has no location for a device's old name of it", async () => {
    const answers: Readonly<Record<string, unknown>> = {
      "/api/overview": { choices: { locations: [], devices: [], gone: [] } },
      "/api/location": [{ name: "Norte" }],
      "/api/device": [deviceOf({}, { locationName: "Nort" })],
    };
    const data = async (path: string) => answers[path];
    const choices = await loadChoices({ data } as Pick<Api, "data">, compare);
    expect(choices.locations).to.deep.equal(["Norte"]);
  });

  it("tells devices apart that are gone without a name", () => {
    for (const texts of [panelTexts.es, panelTexts.en]) {
      expect(texts.goneDevice(null, "d8")).to.not.equal(texts.goneDevice(null, "d9"));
    }
  });
});

describe("The rooms of a device in a changed list", () => {
  const cases = [
    [
      "are renamed where a new name stands in the place of an old one",
      ["1", "2", "3"],
      ["1", "2 bis", "3"],
      ["2 2 bis"],
    ],
    ["are others where the list is longer or shorter", ["1", "2"], ["1", "3", "4"], []],
    ["are the same where only their order changes", ["1", "2"], ["2", "1"], []],
  ] as const;
  for (const [what, before, after, renamed] of cases) {
    it(what, () => {
      expect(renamedRooms(before, after).map(({ from, to }) => `${from} ${to}`)).to.deep.equal(renamed);
    });
  }
});

describe("A paper", () => {
  it("names the locations that a limited member sees: it is not about all that there are", () => {
    const seen = ["Clínica Norte", "Clínica Sur"];
    const [whole, limited] = [{ locationIds: null }, { locationIds: ["1", "2"] }];
    expect(whoseOf(null, whole, seen)).to.equal(null);
    expect(whoseOf("Clínica Sur", limited, seen)).to.equal("Clínica Sur");
    expect(whoseOf(undefined, limited, seen)).to.equal("Clínica Norte, Clínica Sur");
  });
});
