import { expect } from "chai";
import type { StoredRecord } from "../../src/domain/record.ts";
import { Appliance } from "../rig/appliance.ts";
import { forEachTest, forSuite } from "../rig/standing.ts";
import { aMistake, anError, aRecord } from "./bodies.ts";

const LAST_MOMENT_MS = 8.64e15;

describe("Posting records", () => {
  const appliance = forSuite(() => Appliance.open());
  const user = forEachTest(() => appliance.addUser());

  function post(body: object | string, by = user) {
    return by.post("/api/data").set("Content-Type", "application/json").send(body);
  }

  function stored(of = user): readonly StoredRecord[] {
    return appliance.recordsOf(of.id).toReversed();
  }

  async function revenue(): Promise<number> {
    const data = await user.data("/api/data?period=semanal");
    return data.totalRevenue;
  }

  it("answers 201 with the contract's text alone, and stores all six fields for the session's user", async () => {
    const { body } = await post(aRecord())
      .expect(201)
      .expect("Content-Type", /^application\/json/);
    expect(body).to.deep.equal({ status: "success", message: "Data saved successfully" });
    const [record, ...more] = stored();
    expect(more).to.deep.equal([]);
    expect(record).to.deep.include({
      number: 1,
      locationName: "Clínica Norte",
      deviceName: "Pasillo A",
      deviceId: "7234",
      room: "101",
      valorMicros: 2_500_000,
      createdTimeMs: aRecord().createdTime,
      endedTimeMs: null,
      origin: "posted",
      provisional: false,
      voided: null,
    });
    const other = await appliance.addUser();
    expect(stored(other)).to.deep.equal([]);
  });

  it("stores every post of the same body as a record of its own", async () => {
    await post(aRecord()).expect(201);
    await post(aRecord()).expect(201);
    expect(stored()).to.have.lengthOf(2);
  });

  it("says once in the log, of an account that posts a time in seconds, what it is taken for", async () => {
    const before = appliance.log.warnings.length;
    for (const createdTime of [aRecord().createdTime, 1_479_520_924, 1_479_520_925]) {
      await post(aRecord({ createdTime })).expect(201);
    }
    expect(appliance.log.warnings.slice(before)).to.deep.equal([
      "a record was posted with a time before 2000, and counts there: createdTime is in milliseconds",
    ]);
    expect(stored()).to.have.lengthOf(3);
  });

  it("takes a hundred at once and loses none", async () => {
    const answers = await Promise.all(Array.from({ length: 100 }, () => post(aRecord({ valor: 0.1 }))));
    expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([201]));
    expect(stored()).to.have.lengthOf(100);
    expect(await revenue()).to.equal(10);
  });

  it("ignores what a client sends beside the contract's fields", async () => {
    const other = await appliance.addUser();
    await post(aRecord({ userId: other.id, origin: "edge", recordId: 1, _id: "x" })).expect(201);
    expect(stored()).to.have.lengthOf(1);
    expect(stored()[0]?.origin).to.equal("posted");
    expect(stored(other)).to.deep.equal([]);
  });

  describe("valor", () => {
    it("adds up exactly, in any order: 0.1 and 0.2 are 0.3", async () => {
      for (const valor of [0.1, 0.2]) await post(aRecord({ valor })).expect(201);
      expect(await revenue()).to.equal(0.3);
      for (const valor of [1e7, 0.000001, -1e7, -0.3]) await post(aRecord({ valor })).expect(201);
      expect(await revenue()).to.equal(0.000001);
    });

    for (const [sent, micros] of [
      ["1e7", 10_000_000_000_000],
      ["-1e7", -10_000_000_000_000],
      ["9999999.9999999", 10_000_000_000_000],
      ["0", 0],
      ["-0", 0],
      ["-12.5", -12_500_000],
      ["1.0000004", 1_000_000],
      ["1.0000006", 1_000_001],
      ["-1.0000006", -1_000_001],
      ["4e-7", 0],
      ["1e-320", 0],
      ["0.0000015", 2],
    ] as const) {
      it(`of ${sent} is kept as ${micros} millionths`, async () => {
        await post(JSON.stringify(aRecord({ valor: "VALOR" })).replace('"VALOR"', sent)).expect(201);
        expect(stored().map(({ valorMicros }) => valorMicros)).to.deep.equal([micros]);
      });
    }
  });

  describe("createdTime", () => {
    for (const createdTime of [0, 1, LAST_MOMENT_MS]) {
      it(`of ${createdTime} is taken`, async () => {
        await post(aRecord({ createdTime })).expect(201);
        expect(stored().map(({ createdTimeMs }) => createdTimeMs)).to.deep.equal([createdTime]);
      });
    }
  });
});

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
