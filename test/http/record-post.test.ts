import { expect } from "chai";
import type { StoredRecord } from "../../src/domain/record.ts";
import { Appliance } from "../rig/appliance.ts";
import { forEachTest, forSuite } from "../rig/standing.ts";
import { aRecord } from "./bodies.ts";

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
    expect(stored()).to.deep.equal([
      {
        recordId: stored()[0]?.recordId,
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
      },
    ]);
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
