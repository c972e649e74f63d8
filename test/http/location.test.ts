import { expect } from "chai";
import { Appliance, NOON_MS } from "../rig/appliance.ts";
import { forEachTest, forSuite } from "../rig/standing.ts";
import { aDevice, aLocation, aRecord } from "./bodies.ts";
import { WiredLine } from "./wired-line.ts";

describe("Locations", () => {
  const appliance = forSuite(() => Appliance.open());
  const user = forEachTest(() => appliance.addUser());

  function add(body: object, by = user) {
    return by.post("/api/location", body);
  }

  const list = () => user.data("/api/location");
  const remove = (locationId: string) => user.delete("/api/location", { locationId });

  it("are 200 of a user at most; others are 409, and another user's none the fewer", async () => {
    const { location } = aLocation();
    await Promise.all(Array.from({ length: 199 }, () => appliance.writer.addLocation(user.id, location)));
    await add(aLocation()).expect(200);
    const response = await add(aLocation()).expect(409);
    expect(response.body.status).to.equal("error");
    expect(response.body.error).to.match(/^An account has 200 locations at most\. /);
    const locations = await list();
    expect(locations).to.have.lengthOf(200);
    await add(aLocation(), await appliance.addUser()).expect(200);
    await remove(locations[0]._id).expect(200);
    await add(aLocation()).expect(200);
  });

  it("are listed with exactly the contract's fields", async () => {
    await add(aLocation()).expect(200);
    const [location] = await list();
    expect(location._id).to.match(/^[0-9a-f]{24}$/);
    expect(location).to.deep.equal({
      _id: location._id,
      userId: user.id,
      name: "Clínica Norte",
      description: "Dos plantas",
      createdTime: NOON_MS,
      devices: [],
      __v: 0,
    });
  });

  it("show the user's devices that carry their id, and no others", async () => {
    const other = await appliance.addUser();
    await add(aLocation()).expect(200);
    await add(aLocation({ name: "Clínica Sur" })).expect(200);
    const [{ _id: locationId }] = await list();
    for (const [dId, by] of [
      ["1", user],
      ["2", user],
      ["3", other],
    ] as const) {
      await by.post("/api/device", aDevice({ dId, locationId })).expect(200);
    }
    const [first, second] = await list();
    const [one, two] = appliance.reader.devices(user.id);
    expect(first.devices).to.deep.equal([
      { _id: one?.id, dId: "1", name: "Pasillo A" },
      { _id: two?.id, dId: "2", name: "Pasillo A" },
    ]);
    expect(second.devices).to.deep.equal([]);
  });

  it("may have an empty description, and one of 2,000 characters", async () => {
    await add(aLocation({ description: "" })).expect(200);
    await add(aLocation({ description: "ñ".repeat(2_000) })).expect(200);
    const lengths = (await list()).map(({ description }: { description: string }) => description.length);
    expect(lengths).to.deep.equal([0, 2_000]);
  });

  it("that are removed are gone, while their devices and records stay, also when the devices go", async () => {
    await add(aLocation()).expect(200);
    const [{ _id: locationId }] = await list();
    await user.post("/api/device", aDevice({ locationId })).expect(200);
    await user.post("/api/data", aRecord()).expect(201);
    const response = await remove(locationId).expect(200);
    expect(response.body).to.deep.equal({ status: "success" });
    expect(await list()).to.deep.equal([]);
    await remove(locationId).expect(404);
    expect(appliance.reader.devices(user.id)).to.have.lengthOf(1);
    expect(appliance.recordsOf(user.id)).to.have.lengthOf(1);
    await user.delete("/api/device?dId=7234").expect(200);
    const data = await user.data("/api/data?period=semanal");
    expect(data).to.include({ totalSales: 1, totalRevenue: 2.5, totalDevices: 1 });
  });
});

const NOBODY = "0".repeat(24);

describe("Changing a location or device", () => {
  const appliance = forSuite(() => Appliance.open());
  const user = forEachTest(() => appliance.addUser());
  let locationId: string;

  beforeEach(async () => {
    locationId = await appliance.writer.addLocation(user.id, aLocation().location);
    await appliance.writer.addDevice(user.id, aDevice({ locationId }).newDevice);
  });

  function change(what: "device" | "location", query: object, body: object, by = user) {
    return by.patch(`/api/${what}`, body).query(query);
  }

  function device() {
    return appliance.reader.devices(user.id)[0];
  }

  function location() {
    return appliance.reader.locations(user.id)[0];
  }

  describe("a device", () => {
    it("gives it another name, and one revision more", async () => {
      const response = await change("device", { dId: "7234" }, { device: { name: " Pasillo Z " } }).expect(
        200,
      );
      expect(response.body).to.deep.equal({ status: "success" });
      expect(device()).to.include({
        name: "Pasillo Z",
        locationId,
        locationName: "Clínica Norte",
        revision: 1,
      });
    });

    it("adds, removes and orders its rooms; the sales of one that goes and comes back are still its own", async () => {
      const line = await WiredLine.wire(appliance, user, "SIM4");
      await line.go(true);
      const rooms = (list: readonly string[]) =>
        change("device", { dId: "7234" }, { device: { rooms: list } });
      await rooms(["104", "103"]).expect(200);
      expect(device()?.actuators).to.deep.equal([
        { id: "104", value: false },
        { id: "103", value: false },
      ]);
      expect(appliance.reader.wirings(user.id)).to.deep.equal([]);
      const entry = appliance.newestAudit(user.id);
      expect(entry).to.include({ kind: "wiring_removed", who: user.email });
      expect(entry?.details).to.deep.equal({ line: "SIM4", dId: "7234", room: "101" });
      await rooms(["101", "103", "104"]).expect(200);
      expect(device()?.actuators.map(({ id }) => id)).to.deep.equal(["101", "103", "104"]);
      const data = await user.data("/api/room");
      expect(data[0]).to.include({ room: "101", line: null, sales: 1, revenue: 4.5 });
    });

    it("renames its rooms: line, price and sales go with them, and what was sold keeps the name of then", async () => {
      const line = await WiredLine.wire(appliance, user, "SIM5");
      await line.go(true);
      const rename = (...renamedRooms: readonly object[]) =>
        change("device", { dId: "7234" }, { device: { renamedRooms } });
      const names = device()?.actuators.map(({ id }) => id) ?? [];
      const [first = "", second = ""] = names;
      await rename({ from: first, to: second }, { from: second, to: first }).expect(200);
      expect(device()?.actuators.map(({ id }) => id)).to.deep.equal([second, first, ...names.slice(2)]);
      expect(appliance.reader.wirings(user.id)[0]).to.include({ line: "SIM5", actuatorId: second });
      await rename({ from: second, to: "101 bis" }).expect(200);
      const data = await user.data("/api/room");
      expect(data[0]).to.include({ room: "101 bis", line: "SIM5", sales: 1, level: true });
      expect(data[1]).to.include({ room: first, line: null, sales: 0 });
      const found = async (room: string) => {
        const data = await user.data("/api/record", { room });
        return (data as readonly { habitacion: string }[]).map(({ habitacion }) => habitacion);
      };
      expect(await found("101 bis")).to.deep.equal([first]);
      expect(await found(first), "also by the name of then").to.deep.equal([first]);
      const entry = appliance.newestAudit(user.id);
      expect(entry).to.include({ kind: "room_renamed", who: user.email });
      expect(entry?.details).to.deep.equal({ dId: "7234", from: second, to: "101 bis" });
    });

    it("has rooms without a line on purpose, until they are wired", async () => {
      const without = (...withoutLine: readonly string[]) =>
        change("device", { dId: "7234" }, { device: { withoutLine } });
      const marked = async () => {
        const data = await user.data("/api/room");
        const rooms = data as readonly { room: string; withoutLine: boolean }[];
        return rooms.filter((room) => room.withoutLine).map(({ room }) => room);
      };
      const [first = "", second = ""] = device()?.actuators.map(({ id }) => id) ?? [];
      await without(first, second).expect(200);
      await without("no room").expect(404);
      expect(await marked()).to.deep.equal([first, second]);
      await WiredLine.wire(appliance, user, "SIM6", { dId: "7234", actuatorId: first });
      await appliance.writer.removeWiring(user.id, "SIM6");
      expect(await marked()).to.deep.equal([second]);
      await without().expect(200);
      expect(await marked()).to.deep.equal([]);
    });

    it("renames no room that is not there, nor to a name that is taken, and changes nothing", async () => {
      const before = device();
      const [first = "", second = ""] = before?.actuators.map(({ id }) => id) ?? [];
      const rename = (from: string, to: string) =>
        change("device", { dId: "7234" }, { device: { name: "Otro", renamedRooms: [{ from, to }] } });
      await rename("no room", "1").expect(404);
      await rename(first, second).expect(409);
      await rename(first, " ").expect(400);
      expect(device()).to.deep.equal(before);
    });

    it("does nothing where the location is not there", async () => {
      const before = device();
      await change("device", { dId: "7234" }, { device: { name: "Otro", locationId: NOBODY } }).expect(404);
      expect(device()).to.deep.equal(before);
    });

    it("moves it to another of the user's locations, whose name it takes on", async () => {
      const south = await appliance.writer.addLocation(user.id, { name: "Clínica Sur", description: "" });
      await change("device", { dId: "7234" }, { device: { locationId: south } }).expect(200);
      expect(device()).to.include({
        name: "Pasillo A",
        locationId: south,
        locationName: "Clínica Sur",
        revision: 1,
      });
    });
  });

  describe("a location", () => {
    it("gives it another name or description, and one revision more", async () => {
      const response = await change("location", { locationId }, { location: { name: "Norte" } }).expect(200);
      expect(response.body).to.deep.equal({ status: "success" });
      expect(location()).to.include({ name: "Norte", description: "Dos plantas", revision: 1 });
      await change("location", { locationId }, { location: { description: "" } }).expect(200);
      expect(location()).to.include({ name: "Norte", description: "", revision: 2 });
    });

    it("does nothing where the location is not there", async () => {
      await change("location", { locationId: NOBODY }, { location: { name: "Norte" } }).expect(404);
    });

    it("carries a new name on to its devices, each with one revision more, and to no others", async () => {
      const other = await appliance.addUser();
      await appliance.writer.addDevice(other.id, aDevice({ locationId }).newDevice);
      await appliance.writer.addDevice(user.id, aDevice({ dId: "8", locationId: "elsewhere" }).newDevice);
      await change("location", { locationId }, { location: { name: "Norte" } }).expect(200);
      const [moved, stayed] = appliance.reader.devices(user.id);
      expect(moved).to.include({ locationName: "Norte", revision: 1 });
      for (const device of [stayed, ...appliance.reader.devices(other.id)]) {
        expect(device).to.include({ locationName: "Clínica Norte", revision: 0 });
      }
      await change("location", { locationId }, { location: { name: "Norte", description: "x" } }).expect(200);
      expect(device()).to.include({ revision: 1 });
    });
  });
});
