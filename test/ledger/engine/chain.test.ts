import { expect } from "chai";
import type { Id } from "../../../src/domain/id.ts";
import { RECORD_COLUMNS } from "../../../src/domain/record.ts";
import { aSighting } from "../../domain/sighting.ts";
import { forEachTest } from "../../rig/standing.ts";
import { recordsOf } from "../records-of.ts";
import { newDevice, newRecord, newWiring, TestLedger } from "../test-ledger.ts";

const SALES = 12;
/** The first entry is that of the account. */
const LAST = SALES + 1;

describe("the chain of the ledger", () => {
  const ledger = forEachTest(() => new TestLedger().open());
  let userId: Id;

  beforeEach(async () => {
    userId = (await ledger.addUser()).id;
    for (let room = 1; room <= SALES; room += 1) {
      await ledger.writer.addRecord(userId, newRecord({ room: String(room) }), null);
    }
  });

  /** What was found, with its place. */
  const found = () => ledger.verify().findings.map(({ kind, from, to }) => `${kind} ${from}-${to}`);

  it("holds as it was written, over restarts", async () => {
    await ledger.close();
    await ledger.open();
    await ledger.writer.addRecord(userId, newRecord(), null);
    expect(ledger.verify()).to.deep.include({ records: SALES + 1, entries: LAST + 1, findings: [] });
  });

  it("holds over every character of a name", async () => {
    const characters = Array.from({ length: 0x300 }, (_, code) => String.fromCharCode(code)).join("");
    const room = `${characters}\u2028\u2029\ufeff\uffff😀`;
    await ledger.writer.addRecord(userId, newRecord({ room, deviceName: '\\"/' }), null);
    expect(found()).to.deep.equal([]);
  });

  it("holds over the sales of a gateway that has run for years, whose nanoseconds are no exact numbers", async () => {
    const deviceId = await ledger.writer.addDevice(userId, newDevice());
    await ledger.writer.setWiring([{ userId, wiring: newWiring() }]);
    const sightings = Array.from({ length: 200 }, (_, sequence) =>
      aSighting(sequence % 2 === 1, sequence, {
        deviceId,
        timeMs: Date.UTC(2026, 10, 21, 10) + sequence * 1_000,
        monotonicNs:
          BigInt(sequence + 1) * 1_000_000_000n * 86_400n * 10n + BigInt(sequence) * 12_345_678_901n,
      }),
    );
    await ledger.writer.takeIn(sightings);
    expect(ledger.verify().records).to.equal(SALES + 100);
    expect(found()).to.deep.equal([]);
  });

  const IN_OTHER_TABLES: readonly string[] = ["record_id", "boot_id"];
  for (const column of Object.values(RECORD_COLUMNS).filter((name) => !IN_OTHER_TABLES.includes(name))) {
    it(`names the record whose ${column} was altered`, async () => {
      const altered = `CASE typeof(${column}) WHEN 'text' THEN ${column} || 'x' WHEN 'integer' THEN ${column} + 1 ELSE 1 END`;
      await ledger.tamper((db) => db.exec(`UPDATE record SET ${column} = ${altered} WHERE record_id = 5`));
      const entries = found().filter((finding) => !finding.startsWith("sum"));
      expect(new Set(entries)).to.deep.equal(new Set(["altered 5-5"]));
    });
  }

  for (const [what, change] of [
    ["whose time was moved", "effective_ms = effective_ms + 1"],
    ["that was taken out of the sums", "voided_by = 3"],
  ]) {
    it(`names the record ${what} without a correction`, async () => {
      await ledger.tamper((db) => db.exec(`UPDATE record SET ${change} WHERE record_id = 7`));
      expect(found()).to.include("altered 7-7");
    });
  }

  it("names every record that was removed, from the middle and from the end", async () => {
    await ledger.tamper((db) => db.exec("DELETE FROM record WHERE record_id IN (4, 8, 9)"));
    expect(found().filter((finding) => !finding.startsWith("sum"))).to.deep.equal([
      "missing 4-4",
      "missing 8-9",
    ]);
    await ledger.tamper((db) => db.exec("DELETE FROM record WHERE record_id >= 10"));
    expect(found()).to.include.members(["missing 4-4", `missing 8-${LAST}`]);
  });

  it("names a record that was inserted after the newest", async () => {
    await ledger.tamper((db) =>
      db.exec(
        `INSERT INTO record (user_id, location_name, device_name, device_id, room, valor_micros, created_ms,
                             effective_ms, day, origin, hash, number)
         SELECT user_id, location_name, device_name, device_id, room, valor_micros, created_ms, effective_ms, day,
                origin, hash, number + 1 FROM record WHERE record_id = ${LAST}`,
      ),
    );
    expect(found()).to.include(`altered ${LAST + 1}-${LAST + 1}`);
  });

  it("names two records that changed places", async () => {
    await ledger.tamper((db) => {
      db.exec("UPDATE record SET record_id = -1 WHERE record_id = 5");
      db.exec("UPDATE record SET record_id = 5 WHERE record_id = 6");
      db.exec("UPDATE record SET record_id = 6 WHERE record_id = -1");
    });
    expect(found()).to.include.members(["altered 5-5", "altered 6-6"]);
  });

  it("names an entry that is another than when the sums were rolled up to it", async () => {
    await ledger.tamper((db) => db.exec(`UPDATE rolled_up SET hash = zeroblob(32)`));
    expect(found()).to.deep.equal([`altered ${LAST}-${LAST}`]);
  });

  it("gives no number twice where its newest entries are gone, and keeps the hole", async () => {
    await ledger.tamper((db) => db.exec(`DELETE FROM record WHERE record_id > ${LAST - 2}`));
    const { recordId } = await ledger.writer.addRecord(userId, newRecord(), null);
    expect(recordId).to.equal(LAST + 1);
    await ledger.tamper(() => {});
    expect(found()).to.include(`missing ${LAST - 1}-${LAST}`);
  });

  it("names a record whose day is not that of its time", async () => {
    await ledger.tamper((db) => db.exec(`UPDATE record SET day = 20200101 WHERE record_id = ${LAST}`));
    expect(found()).to.deep.equal([`altered ${LAST}-${LAST}`]);
  });

  it("has no entry of a command that failed, nor of one that failed beside others", async () => {
    const writes = [1, 2, 3].flatMap((room) => [
      ledger.writer.addRecord(userId, newRecord({ room: `a${room}` }), null),
      ledger.writer.voidRecord(9_999, "there is none"),
    ]);
    const outcomes = await Promise.allSettled(writes);
    expect(outcomes.map(({ status }) => status)).to.deep.equal(
      [1, 2, 3].flatMap(() => ["fulfilled", "rejected"]),
    );
    expect(ledger.verify()).to.deep.include({ entries: LAST + 3, findings: [] });
  });

  describe("voiding a record", () => {
    it("takes it out of every sum and leaves it to be seen, with the reason", async () => {
      const before = ledger.reader.summary(userId, "anual", ledger.nowMs);
      await ledger.writer.voidRecord(3, "relay tested");
      const after = ledger.reader.summary(userId, "anual", ledger.nowMs);
      expect(after?.count).to.equal((before?.count ?? 0) - 1);
      expect(after?.totalMicros).to.equal((before?.totalMicros ?? 0n) - BigInt(newRecord().valorMicros));
      const records = recordsOf(ledger.reader, userId);
      expect(records).to.have.length(SALES);
      expect(records.find(({ recordId }) => recordId === 3)?.voided).to.deep.equal({
        timeMs: ledger.nowMs,
        reason: "relay tested",
        who: null,
      });
      expect(ledger.verify()).to.deep.include({ records: SALES, entries: LAST + 2, findings: [] });
    });

    it("leaves nothing of a period whose records are all void", async () => {
      for (let recordId = 2; recordId <= LAST; recordId += 1)
        await ledger.writer.voidRecord(recordId, "test");
      expect(ledger.reader.summary(userId, "anual", ledger.nowMs)).to.equal(undefined);
      expect(ledger.reader.summary(userId, "semanal", ledger.nowMs)).to.equal(undefined);
      expect(ledger.verify()).to.deep.include({ findings: [] });
    });

    it("is an entry itself: an altered reason, and one that is gone, are named", async () => {
      await ledger.writer.voidRecord(3, "once");
      await ledger.writer.addRecord(userId, newRecord(), null);
      await ledger.tamper((db) => db.exec("UPDATE correction SET reason = 'never'"));
      expect(found()).to.deep.equal([`altered ${LAST + 1}-${LAST + 1}`]);
      await ledger.tamper((db) => db.exec("DELETE FROM correction; UPDATE record SET voided_by = NULL"));
      expect(found()).to.include(`missing ${LAST + 1}-${LAST + 1}`);
    });

    it("stays out of the sums when these are made anew", async () => {
      await ledger.writer.voidRecord(3, "once");
      await ledger.close();
      await ledger.open("Europe/Madrid");
      expect(ledger.reader.summary(userId, "anual", ledger.nowMs)?.count).to.equal(SALES - 1);
      expect(ledger.verify()).to.deep.include({ findings: [] });
    });
  });
});
