import { expect } from "chai";
import { Appliance } from "../rig/appliance.ts";
import { forEachTest, forSuite } from "../rig/standing.ts";
import { aMistake, anError, aRecord } from "./bodies.ts";

const SAVED = { status: "success", message: "Data saved successfully" };

describe("A post with an Idempotency-Key", () => {
  const appliance = forSuite(() => Appliance.open());
  const user = forEachTest(() => appliance.addUser());

  function post(key: string, body: object = aRecord(), by = user) {
    return by.post("/api/data", body).set("Idempotency-Key", key);
  }

  function count(of = user): number {
    return appliance.recordsOf(of.id).length;
  }

  it("stores one record however often it comes, with the same answer each time", async () => {
    for (let time = 0; time < 3; time += 1) {
      const response = await post("post-1").expect(201);
      expect(response.body).to.deep.equal(SAVED);
    }
    expect(count()).to.equal(1);
    const data = await user.data("/api/data?period=semanal");
    expect(data).to.include({ totalSales: 1, totalRevenue: 2.5 });
  });

  it("stores one record when it comes many times at once", async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => post("post-1")));
    expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([201]));
    expect(count()).to.equal(1);
  });

  for (const [field, value] of Object.entries({
    locationName: "Otra",
    deviceName: "Otro",
    deviceId: "1",
    habitacion: "102",
    valor: 2.500001,
    createdTime: 1,
  })) {
    it(`is refused with 422 when ${field} is another, and the first record stands`, async () => {
      await post("post-1").expect(201);
      const response = await post("post-1", aRecord({ [field]: value })).expect(422);
      expect(response.body).to.deep.equal(
        anError(
          "This Idempotency-Key was used for another record. " +
            "Use a new key for a new record, and the same body when you post one again.",
          "message",
        ),
      );
      expect(count()).to.equal(1);
      await post("post-1").expect(201);
    });
  }

  it("is the same body in another order of fields and with other spaces", async () => {
    await post("post-1").expect(201);
    const reversed = Object.fromEntries(Object.entries(aRecord({ deviceName: " Pasillo A " })).toReversed());
    await post("post-1", reversed).expect(201);
    expect(count()).to.equal(1);
  });

  it("stores a record for each key", async () => {
    await post("post-1").expect(201);
    await post("post-2").expect(201);
    await post("POST-2").expect(201);
    expect(count()).to.equal(3);
  });

  for (const length of [1, 255]) {
    it(`takes a key of ${length} characters`, async () => {
      await post("k".repeat(length)).expect(201);
      await post("k".repeat(length)).expect(201);
      expect(count()).to.equal(1);
    });
  }

  for (const length of [0, 256]) {
    it(`refuses a key of ${length} characters and stores nothing`, async () => {
      const response = await post("k".repeat(length)).expect(400);
      const message = "must have 1 to 255 characters";
      expect(response.body).to.deep.equal(aMistake("Idempotency-Key", "length", message, "message"));
      expect(count()).to.equal(0);
    });
  }

  it("is not used up by a body that was refused", async () => {
    await post("post-1", aRecord({ valor: "2.5" })).expect(400);
    await post("post-1").expect(201);
    expect(count()).to.equal(1);
  });
});
