import { closeSync, openSync, readFileSync, writeSync } from "node:fs";
import DatabaseConstructor from "better-sqlite3";
import { expect } from "chai";
import { FlancoError } from "../../../src/domain/error.ts";
import type { Sighting } from "../../../src/domain/sale.ts";
import { makeBackup } from "../../../src/store/backup/backup.ts";
import { type Recovered, recoverLedger } from "../../../src/store/repair/recover.ts";
import { faultsOf, verifyLedger } from "../../../src/store/repair/verify.ts";
import { newRecord, TestLedger } from "../ledger.ts";
import { recordsOf } from "../records-of.ts";

const LINE = "GPIO17";
const OTHER = "GPIO27";
const PAGE_BYTES = 4_096;
/** Records that fill the pages between two others of interest. */
const MANY = 200;

describe("levels of a ledger that was built anew", () => {
  let ledger: TestLedger;
  let userId: string;
  let deviceId: string;

  beforeEach(async () => {
    ledger = await new TestLedger().open();
    const wired = await ledger.wire(LINE);
    userId = wired.user.id;
    deviceId = wired.deviceId;
    const wiring = { line: OTHER, dId: "7234", actuatorId: "102", valorMicros: 1, activeLow: false } as const;
    const settings = { bias: "as-is", debounceMs: 0, rearmMs: 0 } as const;
    await ledger.writer.setWiring([{ userId, wiring: { ...wiring, ...settings } }]);
  });

  afterEach(() => ledger.remove());

  function level(active: boolean, sequence: number, { request = 1, line = LINE } = {}): Sighting {
    return {
      line,
      deviceId,
      actuatorId: line === LINE ? "101" : "102",
      activeLow: false,
      active,
      timeMs: Date.UTC(2026, 10, 21, 10) + (request * 100 + sequence) * 1_000,
      monotonicNs: BigInt(request * 100 + sequence) * 1_000_000_000n,
      source: { bootId: "boot", request, sequence },
      missed: 0,
      provisional: false,
    };
  }

  async function meanings(sightings: readonly Sighting[]): Promise<readonly string[]> {
    return (await ledger.writer.takeIn(sightings)).map(({ meaning }) => meaning);
  }

  const backups = () => ledger.backups;

  async function backUp(): Promise<void> {
    const request = { ledger: ledger.file, directory: backups(), nowMs: ledger.nowMs, clockTrusted: true };
    await makeBackup({ ...request, rotate: false });
  }

  async function post(count: number): Promise<void> {
    for (let posted = 0; posted < count; posted += 1) {
      await ledger.writer.addRecord(userId, newRecord(), null);
    }
  }

  function ask(sql: string): unknown {
    const db = new DatabaseConstructor(ledger.file);
    try {
      return db.prepare(sql).pluck().get();
    } finally {
      db.close();
    }
  }

  function smudge(page: number): void {
    const file = openSync(ledger.file, "r+");
    writeSync(file, Buffer.alloc(PAGE_BYTES, 0xa5), 0, PAGE_BYTES, (page - 1) * PAGE_BYTES);
    closeSync(file);
  }

  /** Gives the ledger, rebuilt and opened again. */
  async function rebuild(): Promise<Recovered> {
    const damage = new FlancoError("damaged", "for a test");
    const recovered = recoverLedger(ledger.file, damage, [backups()], ledger.nowMs, () => {});
    expect(faultsOf(verifyLedger(ledger.file, () => {}))).to.deep.equal([]);
    await ledger.open();
    return recovered;
  }

  const edges = () => recordsOf(ledger.reader, userId).filter(({ origin }) => origin !== "posted");

  async function loseTheLastRecord(): Promise<void> {
    await meanings([level(false, 0), level(false, 0, { line: OTHER })]);
    await backUp();
    await post(MANY);
    const [taken] = await ledger.writer.takeIn([level(true, 1)]);
    await post(MANY);
    const lost = taken?.recordId ?? 0;
    await ledger.writer.voidRecord(lost, "relay tested");
    await ledger.close();
    const hash = ask(`SELECT hash FROM record WHERE record_id = ${lost}`) as Buffer;
    smudge(Math.floor(readFileSync(ledger.file).indexOf(hash) / PAGE_BYTES) + 1);
    const { holes } = await rebuild();
    expect(holes.some(({ from, to }) => from <= lost && lost <= to)).to.equal(true);
  }

  it("go on to be recorded where a line's last record is lost, of this line and of any other", async () => {
    await loseTheLastRecord();
    const run = [level(false, 2), level(true, 3), level(false, 4)];
    expect(await meanings([...run, level(true, 1, { line: OTHER })])).to.deep.equal([
      "end",
      "sale",
      "end",
      "sale",
    ]);
    expect(edges()).to.have.length(2);
  });

  it("refer to records that are there, and a correction of a lost record does no harm", async () => {
    await loseTheLastRecord();
    expect(ask('SELECT group_concat(DISTINCT "table") FROM pragma_foreign_key_check')).to.equal("correction");
    const lost = Number(ask("SELECT record_id FROM correction WHERE kind = 'void'"));
    const refusal = await ledger.writer.voidRecord(lost, "again").catch((error: FlancoError) => error.code);
    expect(refusal).to.equal("not_found");
    await backUp();
    expect(ledger.reader.summary(userId, "anual", ledger.nowMs)?.count).to.equal(
      recordsOf(ledger.reader, userId).length,
    );
    expect(faultsOf(verifyLedger(ledger.file, () => {}))).to.deep.equal([]);
  });

  describe("with the wiring of the backup", () => {
    /** What is seen after the backup; then places cannot be read. */
    async function goBack(later: readonly Sighting[]): Promise<void> {
      await meanings([level(false, 0)]);
      await backUp();
      await meanings(later);
      await post(5);
      await ledger.close();
      smudge(Number(ask("SELECT rootpage FROM sqlite_schema WHERE name = 'session_by_user'")));
      const { placesSaved, holes } = await rebuild();
      expect({ placesSaved, holes }).to.deep.equal({ placesSaved: false, holes: [] });
    }

    it("count no high twice that is found when watching begins anew", async () => {
      await goBack([level(true, 1)]);
      expect(await meanings([level(true, 0, { request: 9 })])).to.deep.equal(["nothing"]);
      expect(edges().map(({ origin }) => origin)).to.deep.equal(["edge"]);
    });

    it("count no edge twice that is told again", async () => {
      await goBack([level(true, 1)]);
      expect(ledger.reader.lastSighting(LINE)).to.deep.equal(level(true, 1).source);
      expect(await meanings([level(true, 1), level(false, 2)])).to.deep.equal(["repeated", "end"]);
      expect(edges()).to.have.length(1);
    });

    it("are low where the last record has ended, and the next high is a sale", async () => {
      await goBack([level(true, 1), level(false, 2)]);
      const found = [level(false, 0, { request: 9 }), level(true, 1, { request: 9 })];
      expect(await meanings(found)).to.deep.equal(["nothing", "sale"]);
      expect(edges()).to.have.length(2);
    });

    it("are the backup's where no record is newer", async () => {
      await goBack([]);
      expect(await meanings([level(true, 0, { request: 9 })])).to.deep.equal(["sale"]);
    });
  });
});
