import Database from "better-sqlite3";
import { expect } from "chai";
import type { CostlyRead } from "../../../src/domain/ledger.ts";
import type { Role } from "../../../src/domain/member.ts";
import { costlyReads, openReader, type StoreReader } from "../../../src/ledger/engine/reader.ts";
import { longestHold } from "../../http/loop-holds.ts";
import { rejection } from "../../rig/rejection.ts";
import { forEachTest, forSuite } from "../../rig/standing.ts";
import { newDevice, TestLedger } from "../test-ledger.ts";

const SMALL = "00000000-0000-4000-8000-000000000001";
const LARGE = "00000000-0000-4000-8000-000000000002";
const DEVICES = 200_000;
const NOW_MS = Date.UTC(2026, 10, 21, 12);
const TODAY = 2026_11_21;
const MAX_ROWS = 100;
const REPORTS = 20;
/** As JSON in JSON, some megabytes: what a commissioning of 4,096 rooms ends with. */
const REPORT = JSON.stringify(Array(50_000).fill({ room: "101", verdict: "good" }));
const EVERYTHING = { from: null, to: null, location: null, deviceId: null, within: null };
/** Without the sum that does not fit. */
const THIS_YEAR = { ...EVERYTHING, from: 2026_01_01 };
const READS = {
  summary: (userId) => [userId, "anual", NOW_MS],
  overview: (userId) => [
    userId,
    { period: "year", at: null, filter: { location: null, deviceId: null, within: null } },
    NOW_MS,
  ],
  roomsToday: (userId) => [userId, NOW_MS],
  roomDays: (userId) => [userId, 28, NOW_MS],
  sumRecords: (userId) => [userId, EVERYTHING],
  ledgerStatus: (userId) => ["boot", NOW_MS, userId],
  audit: (userId) => [{ userId, before: null, sinceMs: null, limit: 200 }],
  acceptanceReports: (userId) => [userId, 50],
  draftSettlement: (userId) => [
    userId,
    2026_10,
    { time: 0, currency: { code: "EUR", decimals: 2 }, counted: new Map() },
  ],
} as const satisfies { readonly [N in CostlyRead]: (userId: string) => Parameters<StoreReader[N]> };

type Call = (...input: readonly unknown[]) => unknown;

describe("Reads of an account with hundreds of thousands of names", () => {
  const ledger = forSuite(async () => {
    const made = await new TestLedger().open();
    const db = new Database(made.file);
    const names = "WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ?)";
    const add = (table: string, userId: string, period: number, count: number, micros: string) =>
      db
        .prepare(
          `INSERT INTO ${table} ${names} SELECT ?, ?, 'Clínica ' || (n % 60), 'device ' || n, 1, ${micros} FROM n`,
        )
        .run(count, userId, period);
    for (const [userId, count] of [
      [SMALL, 3],
      [LARGE, DEVICES],
    ] as const) {
      add("rollup_day", userId, TODAY, count, "1000000");
      add("rollup_month", userId, 2026_11, count, "1000000");
    }
    // A sum that does not fit.
    add("rollup_month", LARGE, 2025_01, 3, "8000000000000000000");
    const note = db.prepare(
      `INSERT INTO audit (kind, time_ms, user_id, way, origin, details) VALUES ('commissioned', 1, ?, 'network', '', ?)`,
    );
    const head = { technician: "Marta", clinic: "Ana", rooms: 1, good: 1, attention: 0, untested: 0 };
    note.run(SMALL, JSON.stringify({ ...head, report: "[]" }));
    const large = JSON.stringify({ ...head, report: REPORT });
    for (let made = 0; made < REPORTS; made += 1) note.run(LARGE, large);
    db.close();
    return made;
  });
  const start = () => ({ file: ledger.file, timeZone: "UTC" });
  const whole = forSuite(() => openReader(ledger.file, "UTC"));
  const near = forSuite(() => openReader(ledger.file, "UTC", MAX_ROWS));
  const reads = forSuite(() => costlyReads(near, near.budget, start()));

  for (const [name, inputOf] of Object.entries(READS)) {
    it(`give the same as in place: ${name}`, async () => {
      for (const userId of [SMALL, LARGE]) {
        const input = inputOf(userId);
        const [here, there] = [whole, reads].map((from) => from[name as CostlyRead] as Call);
        let expected: unknown;
        try {
          expected = here?.(...input);
        } catch (error) {
          expect(await rejection(Promise.resolve(there?.(...input)))).to.deep.include({
            ...(error as Error),
          });
          continue;
        }
        expect(await there?.(...input)).to.deep.equal(expected);
      }
    });
  }

  for (const name of ["summary", "audit", "acceptanceReports"] as const) {
    it(`do not hold the event loop, as a read in place does (control): ${name}`, async () => {
      const [here, there] = [whole, reads].map((from) => from[name] as Call);
      const besideMs = await longestHold(async () => there?.(...READS[name](LARGE)));
      const hereMs = await longestHold(async () => here?.(...READS[name](LARGE)));
      expect(besideMs).to.be.below(hereMs / 4);
    });
  }

  it("end with a clear error when they take too long, and free their account", async () => {
    const late = costlyReads(near, near.budget, start(), 1);
    const asked = Array.from({ length: 12 }, () => rejection(late.sumRecords(LARGE, THIS_YEAR)));
    const errors = (await Promise.all(asked)) as Error[];
    expect(errors.slice(0, 9).map(({ message }) => message)).to.deep.equal(
      Array(9).fill("The query takes too long."),
    );
    expect(errors[0]).to.deep.include({
      code: "overloaded",
      hint: "Ask for a shorter time or for one location.",
    });
    expect(await rejection(late.sumRecords(LARGE, THIS_YEAR))).to.deep.include({ ...errors[0] });
    await late.close();
  });

  it("of one member leave an owner of the account the next turn, however many wait", async () => {
    const order: string[] = [];
    const ask = (memberId: string, role: Role) =>
      reads.as({ userId: LARGE, memberId, role }, async () => {
        await reads.sumRecords(LARGE, THIS_YEAR);
        order.push(memberId);
      });
    const screens = Array.from({ length: 12 }, () => ask("screen", "display"));
    await Promise.all([ask("ana", "owner"), Promise.allSettled(screens)]);
    expect(order.slice(0, 3)).to.deep.equal(["screen", "ana", "screen"]);
    expect(order).to.have.lengthOf(10);
  });

  it("wait for each other, nine of an account at most", async () => {
    const asked = Array.from({ length: 12 }, () => reads.sumRecords(LARGE, THIS_YEAR));
    const settled = await Promise.allSettled(asked);
    const failed = settled.flatMap((one) => (one.status === "rejected" ? [one.reason.code] : []));
    expect(failed).to.deep.equal(["overloaded", "overloaded", "overloaded"]);
    expect((await reads.sumRecords(SMALL, THIS_YEAR)).count).to.equal(3);
  });
});

const WRITES = 400;

describe("reading the ledger", () => {
  const ledger = forEachTest(() => new TestLedger().open());

  it("sees one commit, whatever is written between its statements", async () => {
    const { id } = await ledger.addUser();
    let writing = true;
    const writes = (async () => {
      for (let index = 0; index < WRITES; index += 1) {
        await ledger.writer.addDevice(id, newDevice({ dId: `d${index}` }));
        await ledger.writer.removeDevice(id, `d${index}`);
      }
      writing = false;
    })();
    const turn = () => new Promise((resolve) => setImmediate(resolve));
    for (; writing; await turn()) {
      const bare = ledger.reader.devices(id).filter(({ actuators }) => actuators.length === 0);
      expect(bare).to.deep.equal([]);
    }
    await writes;
  });
});
