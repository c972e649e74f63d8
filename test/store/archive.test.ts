import { readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import DatabaseConstructor, { type Database } from "better-sqlite3";
import { expect } from "chai";
import { SERVICE_ACTOR } from "../../src/domain/audit.ts";
import { FlancoError } from "../../src/domain/error.ts";
import { archiveCommands } from "../../src/store/archive.ts";
import type { PreparedArchive } from "../../src/store/archive-make.ts";
import { planRetention } from "../../src/store/archive-plan.ts";
import { inspectArchives, unfinishedArchives } from "../../src/store/archive-state.ts";
import { archivedMonthsReader } from "../../src/store/archived-months.ts";
import { AuditLog } from "../../src/store/audit.ts";
import { listBackups } from "../../src/store/backup-directory.ts";
import { Boots } from "../../src/store/boot.ts";
import { Chain } from "../../src/store/chain.ts";
import { openForReading } from "../../src/store/open.ts";
import { restoreLedger } from "../../src/store/restore.ts";
import { tallyOf } from "../../src/store/tally.ts";
import { faultsOf, type Verification, verifyLedger } from "../../src/store/verify.ts";
import { OldLedger } from "./archived-ledger.ts";
import { newRecord } from "./ledger.ts";

const DAY_MS = 24 * 3_600_000;
const OLD_MONTHS = [202412, 202501, 202502, 202503, 202504, 202505, 202506, 202507, 202508, 202509, 202510];
const MARCH_2025 = Date.UTC(2025, 2, 31);

function codeOf(run: () => unknown): string {
  try {
    run();
    return "done";
  } catch (error) {
    return error instanceof FlancoError ? error.code : String(error);
  }
}

describe("archiving", () => {
  let old: OldLedger;

  beforeEach(async () => {
    old = await new OldLedger().open();
  });

  afterEach(() => old.ledger.remove());

  const verify = (): Verification => verifyLedger(old.ledger.file, () => {});

  function read<T>(run: (db: Database) => T): T {
    const db = openForReading(old.ledger.file);
    try {
      return run(db);
    } finally {
      db.close();
    }
  }

  const tally = () => read(tallyOf);
  const rows = (): number =>
    read((db) => db.prepare<[], number>("SELECT count(*) FROM record").pluck().get() ?? 0);
  const year = () => old.ledger.reader.summary(old.userId, "anual", MARCH_2025);
  const rollups = () =>
    read((db) => [
      db.prepare("SELECT * FROM rollup_day WHERE count <> 0").raw().all(),
      db.prepare("SELECT * FROM rollup_month WHERE count <> 0").raw().all(),
    ]);

  /** What somebody with the file in hand does while the service is stopped. */
  async function tamper(change: (db: Database) => void): Promise<void> {
    await old.ledger.close();
    const db = new DatabaseConstructor(old.ledger.file);
    db.pragma("foreign_keys = OFF");
    change(db);
    db.close();
    await old.ledger.open();
  }

  it("takes whole months out of the ledger, which holds, counts and sums up as before", async () => {
    await old.ledger.writer.voidRecord(3, "relay tested");
    await old.backUp();
    const before = { tally: tally(), rows: rows(), rollups: rollups(), year: year() };
    const { months, keptFrom } = planRetention(old.request());
    expect(keptFrom).to.equal(202511);
    expect(months.map(({ month }) => month)).to.deep.equal(OLD_MONTHS);
    let archived = 0;
    for (const { month, records, waits } of months) {
      expect(waits).to.equal(null);
      archived += records;
      expect((await old.archive(month)).statement.records).to.equal(records);
      expect(faultsOf(verify()), String(month)).to.deep.equal([]);
    }
    expect(rows()).to.equal(before.rows - archived);
    expect(tally()).to.include({ records: before.tally.records, sumMicros: before.tally.sumMicros });
    expect(rollups()).to.deep.equal(before.rollups);
    expect(verify().records).to.equal(before.rows);
    expect(inspectArchives(old.ledger.file, old.archives).map(({ state }) => state)).to.deep.equal(
      OLD_MONTHS.map(() => "right"),
    );
    expect(year()).to.deep.equal(before.year);
    const told = read((db) => archivedMonthsReader(db).archivedMonths(old.userId));
    expect(told).to.deep.equal(OLD_MONTHS);
    expect(read((db) => archivedMonthsReader(db).archivedMonths("f".repeat(24)))).to.deep.equal([]);
    await old.sell(old.ledger.nowMs, "101");
    expect(verify()).to.deep.include({ broken: null, differences: [], records: before.rows + 1 });
    expect(planRetention(old.request()).months).to.deep.equal([]);
  });

  it("keeps the sums of archived days when the zone's days are made anew", async () => {
    await old.backUp();
    for (const month of OLD_MONTHS.slice(0, 3)) await old.archive(month);
    const before = tally();
    await old.ledger.close();
    await old.ledger.open("America/Bogota");
    expect(faultsOf(verify())).to.deep.equal([]);
    expect(tally()).to.deep.equal(before);
    // A record of another day's night is now one of an archived month's: it counts there, and is archived once more.
    await old.sell(Date.UTC(2025, 2, 1, 2), "101");
    expect(faultsOf(verify())).to.deep.equal([]);
    old.ledger.nowMs += DAY_MS;
    await old.backUpAt(old.ledger.nowMs);
    await old.archive(202502);
    expect(readdirSync(old.archives)).to.include("ledger-2025-02-2.db");
    expect(faultsOf(verify())).to.deep.equal([]);
    expect(tally().records).to.equal(before.records + 1);
  });

  describe("waits, and changes nothing,", () => {
    for (const [why, overrides] of [
      ["without keep_months", { keepMonths: 0 }],
      ["while the clock is not trusted", { clockTrusted: false }],
      ["without backups of three days", { backups: [] }],
    ] as const) {
      it(why, async () => {
        await old.backUp();
        const plan = planRetention(old.request(overrides));
        expect(plan).to.deep.include({ months: [], keptFrom: null });
        expect(plan.waits).to.be.a("string");
        expect(codeOf(() => old.prepare(202412, overrides))).to.equal("conflict");
        expect(planRetention(old.request()).months, "control").to.have.length(OLD_MONTHS.length);
      });
    }

    it("when a clock that is trusted leaps to 2038, even after a backup made there", async () => {
      await old.backUp();
      const right = planRetention(old.request());
      const nowMs = Date.UTC(2038, 0, 10);
      expect(planRetention(old.request({ nowMs }))).to.deep.equal(right);
      await old.backUpAt(nowMs);
      await old.sell(nowMs, "101");
      await old.backUpAt(nowMs + DAY_MS);
      await old.sell(nowMs + DAY_MS, "101");
      const leapt = planRetention(old.request({ nowMs: nowMs + DAY_MS }));
      expect(leapt.keptFrom).to.equal(right.keptFrom);
      expect(codeOf(() => old.prepare(202512, { nowMs: nowMs + DAY_MS }))).to.equal("conflict");
    });

    it("until a proven backup holds the month", async () => {
      await old.backUp();
      await old.sell(MARCH_2025, "102");
      const late = planRetention(old.request()).months.find(({ month }) => month === 202503);
      expect(late?.waits).to.match(/no proven backup/);
      expect(codeOf(() => old.prepare(202503))).to.equal("conflict");
      await old.backUpAt(old.ledger.nowMs);
      expect(codeOf(() => old.prepare(202503))).to.equal("done");
    });

    it("while an idempotency key answers for one of its records", async () => {
      const record = newRecord({ createdTimeMs: MARCH_2025 });
      const key = { key: "k", bodyHash: "h" };
      const { recordId } = await old.ledger.writer.addRecord(old.userId, record, key);
      await old.backUp();
      expect(codeOf(() => old.prepare(202503))).to.equal("conflict");
      await old.archive(202504);
      expect(await old.ledger.writer.addRecord(old.userId, record, key)).to.deep.equal({
        recordId,
        repeated: true,
      });
    });

    it("when a record is taken back while the file is written", async () => {
      await old.backUp();
      const prepared = old.prepare(202412);
      const before = rows();
      await old.ledger.writer.voidRecord(2, "relay tested");
      const refused = await Promise.allSettled([old.ledger.writer.archive(prepared)]);
      expect(refused[0]?.status === "rejected" ? refused[0].reason.code : "done").to.equal("conflict");
      expect(rows()).to.equal(before);
      expect(faultsOf(verify())).to.deep.equal([]);
    });

    for (const [what, sql] of [
      ["a record of the month was altered", "UPDATE record SET micros = micros + 1 WHERE record_id = 2"],
      ["its sums were altered", "UPDATE rollup_month SET count = count + 1 WHERE month = 202412"],
      ["a record was taken out of its sums by hand", "UPDATE record SET voided_by = 9 WHERE record_id = 2"],
    ] as const) {
      it(`when ${what}`, async () => {
        await old.backUp();
        await tamper((db) => db.exec(sql));
        expect(codeOf(() => old.prepare(202412))).to.equal("damaged");
        expect(readdirSync(old.archives)).to.deep.equal([]);
      });
    }
  });

  it("leaves what has no known time and the last sale of each line where it is", async () => {
    await tamper((db) => {
      db.exec("INSERT INTO boot (boot, boot_id) VALUES (1, 'b')");
      db.exec(
        `INSERT INTO line_state (line, active, active_low, changed_ms, changed_boot, changed_ns, boot, request, sequence, record_id)
         VALUES ('L', 1, 0, 0, 1, 0, 1, 1, 1, 2)`,
      );
    });
    const provisional = { createdTimeMs: Date.UTC(2024, 11, 3), room: "104" };
    await old.ledger.writer.addRecord(old.userId, newRecord(provisional), null);
    const unplaced = rows();
    await tamper((db) =>
      db.exec(`UPDATE record SET ended_boot = 1, ended_ns = 0 WHERE record_id = ${unplaced}`),
    );
    await old.backUp();
    const [december] = planRetention(old.request()).months;
    expect(december?.staying).to.equal(2);
    await old.archive(202412);
    const left = read((db) =>
      db.prepare("SELECT record_id FROM record WHERE effective_ms < 1735603200000").pluck().all(),
    );
    expect(left).to.deep.equal([2, unplaced]);
    expect(faultsOf(verify())).to.deep.equal([]);
  });

  describe("afterwards", () => {
    beforeEach(async () => {
      await old.ledger.writer.voidRecord(3, "relay tested");
      await old.backUp();
      for (const month of OLD_MONTHS.slice(0, 2)) await old.archive(month);
    });

    it("refuses to take back an archived record", async () => {
      const [outcome] = await Promise.allSettled([old.ledger.writer.voidRecord(2, "late")]);
      expect(outcome?.status === "rejected" ? outcome.reason.message : "done").to.match(/ledger-2024-12\.db/);
    });

    it("names an archive with one flipped byte, and one that is not there", () => {
      const file = join(old.archives, "ledger-2024-12.db");
      const bytes = readFileSync(file);
      bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
      writeFileSync(file, bytes);
      renameSync(join(old.archives, "ledger-2025-01.db"), join(old.ledger.directory, "moved"));
      const states = inspectArchives(old.ledger.file, old.archives);
      expect(states.map(({ file: name, state }) => [name, state])).to.deep.equal([
        ["ledger-2024-12.db", "altered"],
        ["ledger-2025-01.db", "missing"],
      ]);
      expect(faultsOf(verify()), "the ledger itself").to.deep.equal([]);
    });

    for (const [what, sql] of [
      ["a record that no archive tells of was removed", "DELETE FROM record WHERE record_id = 200"],
      [
        "the record behind the archived ones was removed",
        "DELETE FROM record WHERE record_id = (SELECT min(record_id) FROM record)",
      ],
      [
        "a record behind them was altered",
        "UPDATE record SET micros = 1 WHERE record_id = (SELECT min(record_id) FROM record)",
      ],
      [
        "an archive's sums were altered",
        "UPDATE correction SET archive = json_set(archive, '$.days[0][5]', 99) WHERE kind = 'archive'",
      ],
      [
        "an archive tells of more",
        "UPDATE correction SET archive = json_set(archive, '$.runs[0][1]', 200) WHERE kind = 'archive'",
      ],
      [
        "what tells of an archive was removed",
        "DELETE FROM correction WHERE correction_id = (SELECT min(correction_id) FROM correction WHERE kind = 'archive')",
      ],
      [
        "the sums of an archived day were altered",
        "UPDATE rollup_day SET count = count + 1 WHERE day = 20241201",
      ],
      [
        "an archived record stands in the ledger again",
        "INSERT INTO record (record_id, user_id, location_name, device_name, device_id, room, micros, created_ms, effective_ms, origin, hash) SELECT 5, user_id, location_name, device_name, device_id, room, micros, created_ms, effective_ms, origin, hash FROM record WHERE record_id = 200",
      ],
    ] as const) {
      it(`shows that ${what}`, async () => {
        await tamper((db) => db.exec(sql));
        expect(faultsOf(verify())).to.not.deep.equal([]);
      });
    }

    it("goes on as before when the backup of the time before is restored, and archives anew", async () => {
      const [newest] = listBackups(old.backups);
      const whole = tally();
      await old.ledger.close();
      const restored = restoreLedger(
        join(old.backups, newest?.file ?? ""),
        old.ledger.file,
        old.ledger.nowMs,
        () => {},
      );
      expect(restored).to.include({ records: whole.records, sumMicros: whole.sumMicros });
      expect(restored.missing?.records).to.equal(0);
      await old.ledger.open();
      expect(faultsOf(verify())).to.deep.equal([]);
      await old.archive(202412);
      expect(readdirSync(old.archives), "the very same file").to.deep.equal([
        "ledger-2024-12.db",
        "ledger-2025-01.db",
      ]);
      expect(faultsOf(verify())).to.deep.equal([]);
    });
  });

  describe("that is cut off", () => {
    let prepared: PreparedArchive;
    let before: { records: number; sumMicros: string };

    beforeEach(async () => {
      const rooms = Array.from({ length: 1_700 }, (_, index) => String(200 + index));
      await Promise.all(rooms.map((room) => old.sell(Date.UTC(2024, 11, 5, 12), room)));
      await old.ledger.writer.voidRecord(rows() - 700, "relay tested");
      await old.backUp();
      before = tally();
      prepared = old.prepare(202412);
      await old.ledger.close();
    });

    /** Archives as the writer's thread does and stops after some pieces of the removal; gives how many there were. */
    function archiveSome(most: number): number {
      const db = new DatabaseConstructor(old.ledger.file);
      db.pragma("foreign_keys = ON");
      const chain = new Chain(db);
      const nowMs = () => old.ledger.nowMs;
      const audit = new AuditLog(db, { nowMs, boots: new Boots(db, nowMs) });
      const { archive, removeArchived } = archiveCommands(db, { audit, chain, nowMs });
      const position = db.transaction(() => {
        const told = archive({ prepared, by: SERVICE_ACTOR });
        chain.keep();
        chain.flush();
        return told;
      })();
      let left = position;
      let pieces = 0;
      for (; pieces < most && left > 0; pieces += 1) {
        ({ before: left } = db.transaction(() => removeArchived({ position, before: left }))());
      }
      db.close();
      return pieces;
    }

    for (const pieces of [0, 1, 2, 3, 100]) {
      it(`after ${pieces} pieces of the removal holds, counts once, and is finished later`, async () => {
        expect(archiveSome(pieces)).to.be.at.most(Math.min(pieces, 4));
        const whole = { records: before.records, sumMicros: before.sumMicros };
        expect(faultsOf(verify())).to.deep.equal([]);
        expect(tally()).to.include(whole);
        await old.ledger.open("Europe/Madrid");
        expect(faultsOf(verify()), "added up anew").to.deep.equal([]);
        const unfinished = unfinishedArchives(old.ledger.file, old.archives);
        expect(unfinished).to.have.length(pieces < 4 ? 1 : 0);
        for (const { position, state } of unfinished) {
          expect(state).to.equal("right");
          await old.ledger.writer.removeArchived(position);
        }
        expect(unfinishedArchives(old.ledger.file, old.archives)).to.deep.equal([]);
        expect(rows()).to.equal(before.records - prepared.statement.records);
        expect(faultsOf(verify())).to.deep.equal([]);
        expect(tally()).to.include(whole);
      });
    }
  });
});
