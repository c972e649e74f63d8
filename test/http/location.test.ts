import { expect } from "chai";
import { Appliance, NOON_MS, type SignedInUser } from "../rig/appliance.ts";
import { recordsOf } from "../store/records-of.ts";
import { aDevice, aLocation, aRecord } from "./bodies.ts";

describe("Locations", () => {
  let appliance: Appliance;
  let user: SignedInUser;

  before(async () => {
    appliance = await Appliance.open();
  });
  beforeEach(async () => {
    user = await appliance.addUser();
  });
  after(() => appliance.close());

  function add(body: object, cookie = user.cookie) {
    return appliance.api.post("/api/location").set("Cookie", cookie).send(body);
  }

  async function list(cookie = user.cookie) {
    const response = await appliance.api.get("/api/location").set("Cookie", cookie).expect(200);
    expect(response.body).to.have.all.keys("status", "data");
    expect(response.body.status).to.equal("success");
    return response.body.data;
  }

  function remove(query: string, cookie = user.cookie) {
    return appliance.api.delete(`/api/location${query}`).set("Cookie", cookie);
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
    await add(aLocation(), (await appliance.addUser()).cookie).expect(200);
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
    for (const [dId, cookie] of [
      ["1", user.cookie],
      ["2", user.cookie],
      ["3", other.cookie],
    ] as const) {
      await appliance.api
        .post("/api/device")
        .set("Cookie", cookie)
        .send(aDevice({ dId, locationId }))
        .expect(200);
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
      await appliance.api
        .post("/api/device")
        .set("Cookie", user.cookie)
        .send(aDevice({ locationId }))
        .expect(200);
      await appliance.api.post("/api/data").set("Cookie", user.cookie).send(aRecord()).expect(201);
      const response = await remove(`?locationId=${locationId}`).expect(200);
      expect(response.body).to.deep.equal({ status: "success" });
      expect(await list()).to.deep.equal([]);
      await remove(`?locationId=${locationId}`).expect(404);
      expect(appliance.reader.devices(user.id)).to.have.lengthOf(1);
      expect(recordsOf(appliance.reader, user.id)).to.have.lengthOf(1);
      await appliance.api.get("/api/data?period=semanal").set("Cookie", user.cookie).expect(200);
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
    expect(await list(other.cookie)).to.deep.equal([]);
    await remove(`?locationId=${locationId}`, other.cookie).expect(404);
    expect(await list()).to.have.lengthOf(1);
  });
});
