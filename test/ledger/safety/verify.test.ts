import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import DatabaseConstructor, { type Database } from "better-sqlite3";
import { expect } from "chai";
import type { CorrectionEntry, EvidenceEntry } from "../../../src/domain/chain-entry.ts";
import { MINUTE_MS } from "../../../src/domain/clock.ts";
import type { Id } from "../../../src/domain/id.ts";
import { RECORD_COLUMNS, type RecordEntry } from "../../../src/domain/record.ts";
import {
  anchorOf,
  correctionText,
  evidenceText,
  hashOf,
  readHead,
  recordText,
  selectList,
} from "../../../src/ledger/engine/chain.ts";
import { SCHEMA_VERSION } from "../../../src/ledger/engine/schema.ts";
import { SELECT_EVIDENCE } from "../../../src/ledger/nouns/audit.ts";
import { makeBackup } from "../../../src/ledger/safety/backup.ts";
import {
  keptHeads,
  listBackups,
  setAsideLater,
  surveyBackups,
  writeProof,
} from "../../../src/ledger/safety/backup-directory.ts";
import { type Finding, joinedKeys } from "../../../src/ledger/safety/finding.ts";
import { openFindings } from "../../../src/ledger/safety/verify.ts";
import { forEachTest } from "../../rig/standing.ts";
import { TemporaryDirectory } from "../../rig/temporary-directory.ts";
import { newRecord, TestLedger } from "../test-ledger.ts";

const SALES = 6;
/** The first entry is that of the account. */
const LAST = SALES + 1;
const YEAR_2020_MS = Date.UTC(2020, 0, 1);
const ONE_SALE = { account: "ana@example.org", sales: 1, revenue: 1 };

describe("what the full check of a ledger finds", () => {
  const ledger = forEachTest(() => new TestLedger().open());
  let userId: Id;

  beforeEach(async () => {
    userId = (await ledger.addUser()).id;
    for (let room = 1; room <= SALES; room += 1) await ledger.writer.addRecord(userId, newRecord(), null);
  });

  const verify = () => ledger.verify(keptHeads(ledger.folder));
  const findings = () => openFindings(verify());
  const found = () => findings().map(({ kind, from, to }) => `${kind} ${from}-${to}`);
  const costs = () => findings().map((finding) => finding.costs);
  const backup = () => makeBackup(ledger.backupRequest());

  describe("of entries that follow the chain and contradict what they correct", () => {
    for (const [what, notedMs] of [
      ["without a time", 0],
      ["that no rebuild wrote", Date.UTC(2026, 10, 20)],
    ] as const) {
      it(`two sales that are gone under a loss ${what}`, async () => {
        await ledger.tamper((db) => {
          const after = recordAt(db, 6);
          db.exec("DELETE FROM record WHERE record_id IN (4, 5)");
          const anchor = anchorOf(after.hash, recordText(after.entry));
          append(db, { kind: "lost", lostFrom: 4, lostTo: 5, anchor, reason: "damage", notedMs });
          removeFromSums(db, 2);
        });
        expect(found()).to.deep.equal([`contradiction ${LAST + 1}-${LAST + 1}`, "missing 4-5"]);
      });
    }

    it("a posted sale that was moved to another year", async () => {
      await ledger.tamper((db) => {
        append(db, { kind: "time", recordId: 4, timeMs: YEAR_2020_MS, reason: "the clock is trusted now" });
        db.prepare("UPDATE record SET effective_ms = ? WHERE record_id = 4").run(YEAR_2020_MS);
      });
      await ledger.close();
      await ledger.open("Europe/Madrid");
      const [first, ...others] = findings();
      expect(others.map(({ kind }) => kind)).to.deep.equal(["zone"]);
      expect(first).to.deep.include({ kind: "contradiction", from: LAST + 1, costs: [ONE_SALE] });
    });

    it("a record that is voided twice, and a correction of what is no record", async () => {
      await ledger.writer.voidRecord(4, "relay tested");
      await ledger.tamper((db) => {
        append(db, { kind: "void", recordId: 4, reason: "again" });
        append(db, { kind: "void", recordId: 1, reason: "an account" });
      });
      expect(found()).to.deep.equal([
        `contradiction ${LAST + 3}-${LAST + 3}`,
        `contradiction ${LAST + 4}-${LAST + 4}`,
      ]);
    });
  });

  it("what a sum has too much, in money", async () => {
    await ledger.tamper((db) => db.exec("UPDATE rollup_day SET total_micros = total_micros + 2500000"));
    expect(found()).to.deep.equal(["sum 0-0"]);
    expect(costs()).to.deep.equal([[{ account: "ana@example.org", sales: 0, revenue: 2.5 }]]);
  });

  it("damage alone where a column holds what SQLite does not put into it", async () => {
    await ledger.close();
    const db = new DatabaseConstructor(ledger.file);
    db.unsafeMode().pragma("writable_schema = ON");
    const swap = db.prepare("UPDATE sqlite_schema SET sql = replace(sql, ?, ?) WHERE name = 'record'");
    const reread = () =>
      db.pragma(`schema_version = ${Number(db.pragma("schema_version", { simple: true })) + 1}`);
    swap.run("STRICT", "");
    reread();
    db.exec("UPDATE record SET room = x'ff' WHERE record_id = 3");
    swap.run("\n    )", "\n    ) STRICT");
    reread();
    db.close();
    const { damage, findings: besides } = verify();
    expect(damage).to.have.lengthOf(1);
    expect(damage[0]).to.contain("non-TEXT value in record.room");
    expect(besides).to.deep.equal([]);
    await ledger.open();
  });

  describe("of the evidence of a change of price", () => {
    beforeEach(async () => {
      await ledger.writer.voidRecord(3, "relay tested");
    });

    it("that an entry was altered", async () => {
      await ledger.tamper((db) =>
        db.exec(`UPDATE audit SET details = '{"reason":"none"}' WHERE kind = 'record_voided'`),
      );
      expect(found()).to.deep.equal([`altered ${LAST + 2}-${LAST + 2}`]);
    });

    it("that an entry was removed", async () => {
      await ledger.writer.addRecord(userId, newRecord(), null);
      await ledger.tamper((db) => db.exec("DELETE FROM audit WHERE kind = 'record_voided'"));
      expect(found()).to.deep.equal([`missing ${LAST + 2}-${LAST + 2}`]);
    });
  });

  describe("beside the proofs of backups", () => {
    const cheaper = (db: Database) => {
      db.exec("UPDATE record SET valor_micros = 400000 WHERE record_id = 3");
      db.exec("UPDATE rollup_day SET total_micros = total_micros - 600000");
      db.exec("UPDATE rollup_month SET total_micros = total_micros - 600000");
      relink(db);
    };

    it("that the past was rewritten, and by how much, which the ledger alone does not show", async () => {
      await backup();
      await ledger.writer.addRecord(userId, newRecord(), null);
      await ledger.tamper(cheaper);
      expect(ledger.verify().findings).to.deep.equal([]);
      expect(found()).to.deep.equal([`rewritten ${LAST}-${LAST}`]);
      expect(costs()).to.deep.equal([[{ account: null, sales: 0, revenue: 0.6 }]]);
    });

    it("the same at each later backup, which is made, and once the backup itself was removed", async () => {
      const kinds = (found: readonly Finding[]) => found.map(({ kind }) => kind);
      for (const [change, expected] of [
        [() => {}, []],
        [cheaper, ["rewritten"]],
        [() => {}, ["rewritten"]],
      ] as const) {
        await ledger.tamper(change);
        expect(kinds((await backup()).findings)).to.deep.equal(expected);
        ledger.nowMs += MINUTE_MS;
        await ledger.writer.addRecord(userId, newRecord(), null);
      }
      expect(listBackups(ledger.folder), "only the newest of a day stays").to.have.length(1);
      expect(kinds(findings())).to.deep.equal(["rewritten"]);
    });

    it("what the sales that are missing were worth", async () => {
      await backup();
      await ledger.tamper((db) => {
        db.exec("DELETE FROM record WHERE record_id IN (3, 4)");
        removeFromSums(db, 2);
      });
      expect(found()).to.deep.equal(["missing 3-4"]);
      expect(costs()).to.deep.equal([[{ account: null, sales: 2, revenue: 2 }]]);
    });

    it("that the ledger ends before what was proved", async () => {
      await backup();
      await ledger.tamper((db) => {
        db.exec("DELETE FROM record WHERE record_id > 5");
        removeFromSums(db, 2);
        relink(db);
      });
      expect(found()).to.deep.equal([`rewritten ${LAST}-${LAST}`]);
    });

    it("nothing of a later version's backup, once that version did not work and the file of before is back", async () => {
      await backup();
      const [first] = listBackups(ledger.folder);
      if (first === undefined) throw new Error("there is no backup");
      const later = { ...first, file: first.file.replace("flanco-20", "flanco-21"), head: "0".repeat(64) };
      writeProof(ledger.folder, { ...later, schema: SCHEMA_VERSION + 1 });
      writeFileSync(join(ledger.folder, later.file), "a later version's");
      expect(found(), "as it was found").to.deep.equal([`rewritten ${LAST}-${LAST}`]);
      const synced: string[] = [];
      const setAside = () => setAsideLater(ledger.folder, undefined, (path) => void synced.push(path));
      setAside();
      expect(found()).to.deep.equal([]);
      expect(synced).to.deep.equal([ledger.folder]);
      setAside();
      expect(synced, "where nothing was renamed").to.have.length(1);
      expect(listBackups(ledger.folder)).to.deep.equal([first]);
      expect(readdirSync(ledger.folder)).to.include.members([
        `${later.file}.later`,
        `${later.file}.json.later`,
      ]);
    });

    it("nothing that a look at a disk has moved, which leaves a later version's backups until the ledger is open", async () => {
      const { file, ...proof } = await backup().then(() => listBackups(ledger.folder)[0] ?? expect.fail());
      using disk = new TemporaryDirectory("/dev/shm/flanco-disk-");
      const ledgerId = basename(ledger.folder);
      const folder = disk.file(ledgerId);
      mkdirSync(folder);
      writeProof(folder, { ...proof, file, schema: SCHEMA_VERSION + 1 });
      writeFileSync(join(folder, file), "a later version's");
      const isMounted = (isOpened: boolean) =>
        surveyBackups({ directory: disk.path, ledgerIds: [ledgerId], isOpened }).mounted;
      const names = readdirSync(folder);
      expect(isMounted(false)).to.equal(true);
      expect(readdirSync(folder)).to.deep.equal(names);
      expect(isMounted(true)).to.equal(true);
      expect(readdirSync(folder)).to.have.members(names.map((name) => `${name}.later`));
    });

    it("nothing where the ledger only went on", async () => {
      await backup();
      await ledger.writer.voidRecord(3, "relay tested");
      await ledger.writer.addRecord(userId, newRecord(), null);
      expect((await backup()).findings).to.deep.equal([]);
      expect(found()).to.deep.equal([]);
    });
  });

  async function acknowledge(): Promise<void> {
    const details = { name: "Ana Ruiz", reason: "", findings: joinedKeys(findings()) };
    const actor = { way: "command", memberId: null, from: "root" } as const;
    await ledger.writer.noteAudit([{ kind: "findings_acknowledged", userId: null, details, actor }]);
  }

  it("no sum that was acknowledged while it is wrong by as much, whatever is sold meanwhile", async () => {
    await ledger.tamper((db) => db.exec("UPDATE rollup_day SET total_micros = total_micros + 1"));
    expect(found()).to.have.length(1);
    await acknowledge();
    await ledger.writer.addRecord(userId, newRecord(), null);
    expect(found()).to.deep.equal([]);
    await ledger.tamper((db) => db.exec("UPDATE rollup_day SET total_micros = total_micros + 1"));
    expect(found()).to.have.length(1);
  });

  it("nothing that was acknowledged, and again what is found later", async () => {
    await ledger.tamper((db) => db.exec("UPDATE record SET room = '9' WHERE record_id = 3"));
    await acknowledge();
    expect(found()).to.deep.equal([]);
    expect(verify().findings.map(({ acknowledged }) => acknowledged)).to.deep.equal([true]);
    await ledger.tamper((db) => db.exec("UPDATE record SET room = '8' WHERE record_id = 3"));
    expect(found(), "another alteration of the same record").to.deep.equal(["altered 3-3"]);
    await ledger.tamper((db) => db.exec("UPDATE record SET room = '9' WHERE record_id = 3"));
    await ledger.tamper((db) => db.exec("UPDATE record SET room = '9' WHERE record_id = 5"));
    expect(found()).to.deep.equal(["altered 5-5"]);
  });

  it("so many that not all are listed, and each once the ones before are acknowledged", async () => {
    const more = Array.from({ length: 300 }, () => ledger.writer.addRecord(userId, newRecord(), null));
    await Promise.all(more);
    await ledger.tamper((db) => db.exec("UPDATE record SET room = '9'"));
    const { findings: listed, unlisted } = verify();
    expect([listed.length, unlisted]).to.deep.equal([200, SALES + 300 - 200]);
  });
});

function recordAt(db: Database, position: number): { entry: RecordEntry; hash: string } {
  const row = db
    .prepare<[number], RecordEntry & { hash: string }>(
      `SELECT ${selectList(RECORD_COLUMNS)}, lower(hex(hash)) AS hash FROM record LEFT JOIN boot USING (boot) WHERE record_id = ?`,
    )
    .get(position);
  if (row === undefined) throw new Error(`there is no record ${position}`);
  return { entry: row, hash: row.hash };
}

/** Appends a correction that follows the chain. */
function append(
  db: Database,
  given: Partial<CorrectionEntry> & Pick<CorrectionEntry, "kind" | "reason">,
): void {
  const head = readHead(db);
  const empty = { recordId: null, timeMs: null, lostFrom: null, lostTo: null, anchor: null, notedMs: 1 };
  const entry: CorrectionEntry = { ...empty, ...given, position: head.position + 1 };
  const row = { ...entry, hash: hashOf(head.hash, correctionText(entry)) };
  db.prepare(
    `INSERT INTO correction (correction_id, kind, record_id, time_ms, lost_from, lost_to, anchor, reason, noted_ms, hash)
     VALUES (@position, @kind, @recordId, @timeMs, @lostFrom, @lostTo, unhex(@anchor), @reason, @notedMs, unhex(@hash))`,
  ).run(row);
}

/** Takes sales of 1 out of the sums, as who removes them would. */
function removeFromSums(db: Database, sales: number): void {
  for (const table of ["rollup_day", "rollup_month"]) {
    db.exec(
      `UPDATE ${table} SET count = count - ${sales}, total_micros = total_micros - ${sales * 1_000_000}`,
    );
  }
}

/** Makes every hash anew, from the first entry on. Knows records and audit entries. */
function relink(db: Database): void {
  const evidence = db.prepare<[], EvidenceEntry>(`${SELECT_EVIDENCE} WHERE position IS NOT NULL`).all();
  const records = db.prepare<[], number>("SELECT record_id FROM record").pluck().all();
  const entries = [
    ...evidence.map((entry) => ({ position: entry.position, table: "audit", text: evidenceText(entry) })),
    ...records.map((position) => ({
      position,
      table: "record",
      text: recordText(recordAt(db, position).entry),
    })),
  ].sort((one, other) => one.position - other.position);
  let hash = "0".repeat(64);
  for (const { position, table, text } of entries) {
    hash = hashOf(hash, text);
    const key = table === "record" ? "record_id" : "position";
    db.prepare(`UPDATE ${table} SET hash = unhex(?) WHERE ${key} = ?`).run(hash, position);
    db.prepare("UPDATE rolled_up SET position = ?, hash = unhex(?)").run(position, hash);
  }
}
