import { expect } from "chai";
import { Appliance, NOON_MS } from "../rig/appliance.ts";
import { forEachTest, forSuite } from "../rig/standing.ts";
import { aDevice, aLocation, aRecord } from "./bodies.ts";

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
