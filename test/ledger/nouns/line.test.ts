import DatabaseConstructor from "better-sqlite3";
import { expect } from "chai";
import { HOUR_MS } from "../../../src/domain/clock.ts";
import type { Sighting } from "../../../src/domain/sale.ts";
import { aSighting } from "../../domain/sighting.ts";
import { recordsOf } from "../records-of.ts";
import { newWiring, TestLedger } from "../test-ledger.ts";

const LINE = "GPIO17";

describe("levels of a wired line", () => {
  let ledger: TestLedger;
  let userId: string;
  let deviceId: string;

  async function wire(settings: { rearmMs?: number } = {}): Promise<void> {
    ledger = await new TestLedger().open();
    const wired = await ledger.wire(LINE, settings);
    userId = wired.user.id;
    deviceId = wired.deviceId;
  }

  afterEach(() => ledger.remove());

  function level(active: boolean, sequence: number, overrides: Partial<Sighting> = {}): Sighting {
    const timeMs = Date.UTC(2026, 10, 21, 10) + sequence * 1_000;
    return aSighting(active, sequence, { deviceId, timeMs, ...overrides });
  }

  const room = () => ledger.reader.devices(userId)[0];
  const value = () => room()?.actuators.find((actuator) => actuator.id === "101")?.value;

  it("become one record each time the line goes high, with all that the contract asks of it", async () => {
    await wire();
    await ledger.writer.takeIn([level(false, 0)]);
    const [taken] = await ledger.writer.takeIn([level(true, 1)]);
    expect(taken).to.deep.equal({ meaning: "sale", recordId: 3 });
    const [record, ...more] = recordsOf(ledger.reader, userId);
    expect(more).to.deep.equal([]);
    expect(record).to.deep.include({
      recordId: 3,
      number: 1,
      locationName: "Clínica",
      deviceName: "Pasillo A",
      deviceId,
      room: "101",
      valorMicros: 4_500_000,
      createdTimeMs: level(true, 1).timeMs,
      endedTimeMs: null,
      origin: "edge",
      provisional: false,
      voided: null,
    });
    expect(value()).to.equal(true);
    expect(room()?.revision).to.equal(1);
  });

  it("end the record and the live value when it goes low", async () => {
    await wire();
    await ledger.writer.takeIn([level(false, 0), level(true, 1), level(false, 2)]);
    expect(recordsOf(ledger.reader, userId)[0]?.endedTimeMs).to.equal(level(false, 2).timeMs);
    expect(value()).to.equal(false);
    expect(room()?.revision).to.equal(2);
  });

  it("count once, however often they are told", async () => {
    await wire();
    const run = [level(false, 0), level(true, 1), level(false, 2), level(true, 3)];
    await ledger.writer.takeIn(run);
    await ledger.writer.takeIn(run);
    await ledger.writer.takeIn(run.slice(2));
    expect(recordsOf(ledger.reader, userId)).to.have.length(2);
    expect(value()).to.equal(true);
  });

  it("count a high that began while the line was not watched, marked as found at start, and no high twice", async () => {
    await wire();
    await ledger.writer.takeIn([level(false, 0)]);
    const found = { source: { bootId: "boot", request: 2, sequence: 0 } };
    await ledger.writer.takeIn([level(true, 5, found)]);
    await ledger.writer.takeIn([level(true, 6, { source: { bootId: "later", request: 3, sequence: 0 } })]);
    const records = recordsOf(ledger.reader, userId);
    expect(records.map((record) => record.origin)).to.deep.equal(["found_at_start"]);
  });

  it("end a sale that ended while the line was not watched", async () => {
    await wire();
    await ledger.writer.takeIn([level(false, 0), level(true, 1)]);
    await ledger.writer.takeIn([level(false, 9, { source: { bootId: "later", request: 2, sequence: 0 } })]);
    expect(recordsOf(ledger.reader, userId)[0]?.endedTimeMs).to.equal(level(false, 9).timeMs);
    expect(value()).to.equal(false);
  });

  it("go on with the same record when they rise again within the rearm time", async () => {
    await wire({ rearmMs: 5_000 });
    await ledger.writer.takeIn([level(false, 0), level(true, 1), level(false, 2), level(true, 3)]);
    const records = recordsOf(ledger.reader, userId);
    expect(records).to.have.length(1);
    expect(records[0]?.endedTimeMs).to.equal(null);
    expect(value()).to.equal(true);
  });

  it("have nothing to do with what was recorded before the line's polarity was changed", async () => {
    await wire({ rearmMs: HOUR_MS });
    await ledger.writer.takeIn([level(false, 0), level(true, 1), level(false, 2)]);
    const flipped = { activeLow: true, source: { bootId: "boot", request: 2, sequence: 0 } };
    await ledger.writer.takeIn([level(true, 10, flipped)]);
    await ledger.writer.takeIn([
      level(false, 20, { activeLow: true, source: { bootId: "boot", request: 2, sequence: 1 } }),
    ]);
    expect(recordsOf(ledger.reader, userId).map((record) => record.endedTimeMs)).to.deep.equal([
      level(false, 2).timeMs,
    ]);
    const back = await ledger.writer.takeIn([
      level(false, 30, { source: { bootId: "boot", request: 3, sequence: 0 } }),
      level(true, 40, { source: { bootId: "boot", request: 3, sequence: 1 } }),
    ]);
    expect(back.map(({ meaning }) => meaning)).to.deep.equal(["baseline", "sale"]);
  });

  it("keep a gap with the exact number of lost edges and lost sales", async () => {
    await wire();
    await ledger.writer.takeIn([level(false, 0), level(true, 1), level(true, 2_978, { missed: 2_976 })]);
    expect(ledger.reader.gaps(userId, { before: null, limit: 100 })).to.deep.equal([
      {
        number: 1,
        line: LINE,
        fromTimeMs: level(true, 1).timeMs,
        toTimeMs: level(true, 2_978).timeMs,
        missed: 2_976,
        missedRises: 1_488,
        reason: "overflow",
        added: 0,
      },
    ]);
    expect(recordsOf(ledger.reader, userId)).to.have.length(2);
  });

  const gaps = () =>
    ledger.reader
      .gaps(userId, { before: null, limit: 9 })
      .map(({ fromTimeMs, toTimeMs, missedRises }) => [fromTimeMs, toTimeMs, missedRises]);

  it("are no sale but a gap once the line is unwired, or wired to another room", async () => {
    await wire();
    await ledger.writer.takeIn([level(false, 0)]);
    await ledger.writer.removeWiring(userId, LINE);
    const late = await ledger.writer.takeIn([level(true, 1)]);
    expect(late).to.deep.equal([{ meaning: "nothing", recordId: null }]);
    await ledger.writer.setWiring([{ userId, wiring: newWiring({ actuatorId: "102" }) }]);
    expect(await ledger.writer.takeIn([level(true, 3), level(false, 4)])).to.deep.equal([
      { meaning: "nothing", recordId: null },
      { meaning: "nothing", recordId: null },
    ]);
    expect(recordsOf(ledger.reader, userId)).to.deep.equal([]);
    expect(ledger.reader.lastSighting(LINE), "a watch for the room before is not continued").to.equal(
      undefined,
    );
    const [first, second] = [level(true, 1).timeMs, level(true, 3).timeMs];
    expect(gaps()).to.deep.equal([
      [second, second, 1],
      [first, first, 1],
    ]);
  });

  describe("that were on their way while the room changed", () => {
    beforeEach(async () => {
      await wire();
      await ledger.writer.noteBoot("boot", null);
      await ledger.writer.takeIn([level(false, 0)]);
      ledger.monotonicMs = 10_000;
    });

    const earlier = () => [level(true, 5), level(false, 6)];

    it("are sold at the price and under the names of their commit", async () => {
      const [wiring] = ledger.reader.wirings(userId);
      if (wiring === undefined) throw new Error("The line is not wired.");
      await ledger.writer.setWiring([{ userId, wiring: { ...wiring, valorMicros: 9_000_000 } }]);
      await ledger.writer.changeDevice(userId, "7234", { name: "Pasillo B" });
      await ledger.writer.takeIn(earlier());
      const [sold] = recordsOf(ledger.reader, userId);
      expect(sold).to.include({ valorMicros: 9_000_000, deviceName: "Pasillo B" });
    });

    for (const [what, renamedRooms, name] of [
      ["was renamed", [{ from: "101", to: "107" }], "107"],
      [
        "changed its name with another",
        [
          { from: "101", to: "102" },
          { from: "102", to: "101" },
        ],
        "102",
      ],
    ] as const) {
      it(`are sold once where the room ${what}: before the line is watched by that name, and after`, async () => {
        await ledger.writer.changeDevice(userId, "7234", { renamedRooms });
        const taken = await ledger.writer.takeIn([...earlier(), level(true, 15)]);
        expect(taken.map(({ meaning }) => meaning)).to.deep.equal(["sale", "end", "sale"]);
        const source = { bootId: "boot", request: 2, sequence: 0 };
        const found = await ledger.writer.takeIn([level(true, 16, { actuatorId: name, source })]);
        expect(found).to.deep.equal([{ meaning: "nothing", recordId: null }]);
        expect(recordsOf(ledger.reader, userId).map(({ room }) => room)).to.deep.equal([name, name]);
        expect(gaps()).to.deep.equal([]);
      });
    }

    it("leave the state alone of the room that the line is wired to by now", async () => {
      const [wiring] = ledger.reader.wirings(userId);
      if (wiring === undefined) throw new Error("The line is not wired.");
      await ledger.writer.removeWiring(userId, LINE);
      await ledger.writer.setWiring([{ userId, wiring: { ...wiring, actuatorId: "102" } }]);
      const source = { bootId: "boot", request: 2, sequence: 0 };
      await ledger.writer.takeIn([level(false, 12, { actuatorId: "102", source }), ...earlier()]);
      expect(recordsOf(ledger.reader, userId)).to.deep.equal([]);
      expect(ledger.reader.lastSighting(LINE)).to.deep.include({ request: 2, sequence: 0 });
    });
  });

  it("count once where the line was wired anew between two tellings of the same edge", async () => {
    await wire();
    await ledger.writer.takeIn([level(false, 0), level(true, 1)]);
    const wirings = ledger.reader.wirings(userId).map((wiring) => ({ userId, wiring }));
    await ledger.writer.removeWiring(userId, LINE);
    await ledger.writer.setWiring(wirings);
    expect(await ledger.writer.takeIn([level(true, 1)])).to.deep.equal([
      { meaning: "repeated", recordId: null },
    ]);
    const further = await ledger.writer.takeIn([level(false, 2), level(true, 3)]);
    expect(further.map(({ meaning }) => meaning)).to.deep.equal(["baseline", "sale"]);
    expect(recordsOf(ledger.reader, userId)).to.have.length(2);
  });

  it("go on where the last record is lost, as damage may have left it", async () => {
    await wire();
    await ledger.writer.takeIn([level(false, 0), level(true, 1)]);
    const db = new DatabaseConstructor(ledger.file);
    db.pragma("foreign_keys = OFF");
    expect(db.prepare("UPDATE line_state SET record_id = 888888").run().changes).to.equal(1);
    db.close();
    const further = await ledger.writer.takeIn([level(false, 2), level(true, 3)]);
    expect(further.map(({ meaning }) => meaning)).to.deep.equal(["end", "sale"]);
  });
});
