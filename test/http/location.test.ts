import { expect } from "chai";
import { Appliance, NOON_MS } from "../rig/appliance.ts";
import { forEachTest, forSuite } from "../rig/standing.ts";
import { recordsOf } from "../store/records-of.ts";
import { aDevice, aLocation, aRecord } from "./bodies.ts";

describe("Locations", () => {
  const appliance = forSuite(() => Appliance.open());
  const user = forEachTest(() => appliance.addUser());

  function add(body: object, by = user) {
    return by.post("/api/location").send(body);
  }

  async function list(by = user) {
    const response = await by.get("/api/location").expect(200);
    expect(response.body).to.have.all.keys("status", "data");
    expect(response.body.status).to.equal("success");
    return response.body.data;
  }

  function remove(query: string, by = user) {
    return by.delete(`/api/location${query}`);
  }

  it("are made with status alone as the answer", async () => {
    const response = await add(aLocation()).expect(200);
    expect(response.body).to.deep.equal({ status: "success" });
  });

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
    await remove(`?locationId=${locations[0]._id}`).expect(200);
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
      await by.post("/api/device").send(aDevice({ dId, locationId })).expect(200);
    }
    const [first, second] = await list();
    const [one, two] = appliance.reader.devices(user.id);
    expect(first.devices).to.deep.equal([
      { _id: one?.id, dId: "1", name: "Pasillo A" },
      { _id: two?.id, dId: "2", name: "Pasillo A" },
    ]);
    expect(second.devices).to.deep.equal([]);
  });

  it("may have an empty description, of 2,000 characters at most", async () => {
    await add(aLocation({ description: "" })).expect(200);
    await add(aLocation({ description: "ñ".repeat(2_000) })).expect(200);
    const response = await add(aLocation({ description: "ñ".repeat(2_001) })).expect(400);
    expect(response.body).to.deep.equal({
      status: "error",
      error: "description: must have at most 2000 characters.",
      errors: { description: { kind: "length", message: "must have at most 2000 characters" } },
    });
    const lengths = (await list()).map(({ description }: { description: string }) => description.length);
    expect(lengths).to.deep.equal([0, 2_000]);
  });

  it("are refused with a blank name", async () => {
    const response = await add(aLocation({ name: " \t\n" })).expect(400);
    expect(response.body.errors).to.have.all.keys("name");
  });

  it("ignore what a client sends beside the contract's fields", async () => {
    await add(aLocation({ _id: "1", userId: "2", createdTime: 3, devices: [{}], __v: 4 })).expect(200);
    const [location] = await list();
    expect(location).to.deep.include({ userId: user.id, createdTime: NOON_MS, devices: [], __v: 0 });
  });

  describe("that are removed", () => {
    it("are gone, while their devices and records stay", async () => {
      await add(aLocation()).expect(200);
      const [{ _id: locationId }] = await list();
      await user.post("/api/device").send(aDevice({ locationId })).expect(200);
      await user.post("/api/data").send(aRecord()).expect(201);
      const response = await remove(`?locationId=${locationId}`).expect(200);
      expect(response.body).to.deep.equal({ status: "success" });
      expect(await list()).to.deep.equal([]);
      await remove(`?locationId=${locationId}`).expect(404);
      expect(appliance.reader.devices(user.id)).to.have.lengthOf(1);
      expect(recordsOf(appliance.reader, user.id)).to.have.lengthOf(1);
      await user.get("/api/data?period=semanal").expect(200);
    });

    for (const query of ["", "?locationId=", "?locationId=%20%20", "?locationid=1"]) {
      it(`are named by locationId: "${query}" is 400`, async () => {
        const response = await remove(query).expect(400);
        expect(response.body).to.deep.equal({
          status: "error",
          error: "locationId: is required.",
          errors: { locationId: { kind: "required", message: "is required" } },
        });
      });
    }

    for (const id of ["0".repeat(24), "no-id", "%00", "' OR 1=1 --"]) {
      it(`are 404 when there is none of the id ${id}`, async () => {
        await add(aLocation()).expect(200);
        const response = await remove(`?locationId=${encodeURIComponent(id)}`).expect(404);
        expect(response.body).to.deep.equal({
          status: "error",
          error: "There is no location with that locationId.",
        });
        expect(await list()).to.have.lengthOf(1);
      });
    }
  });

  it("of other users are invisible and untouchable", async () => {
    const other = await appliance.addUser();
    await add(aLocation()).expect(200);
    const [{ _id: locationId }] = await list();
    expect(await list(other)).to.deep.equal([]);
    await remove(`?locationId=${locationId}`, other).expect(404);
    expect(await list()).to.have.lengthOf(1);
  });
});
