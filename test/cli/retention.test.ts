import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { placeOf } from "../../src/cli/place.ts";
import { Upkeep } from "../../src/cli/upkeep.ts";
import { confirmedDay, firstKeptMonth } from "../../src/domain/archive.ts";
import { KeptLog, SetClock } from "../http/fakes.ts";
import { seedLedger } from "./ledger.ts";

const START_MS = Date.UTC(2026, 2, 11, 11);
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

describe("Retention", () => {
  it("keeps this month and those before it", () => {
    expect(firstKeptMonth(20261121, 13)).to.equal(202511);
    expect(firstKeptMonth(20260131, 13)).to.equal(202501);
    expect(firstKeptMonth(20261231, 24)).to.equal(202501);
  });

  it("believes a clock as far as three days of backups and of sales have come", () => {
    const days = [20261119, 20261120, 20261121];
    expect(confirmedDay(20261121, days, days)).to.equal(20261119);
    expect(confirmedDay(20380101, [...days, 20380101], [...days, 20380101, 20380101])).to.equal(20261120);
    expect(confirmedDay(19700101, days, days)).to.equal(undefined);
    expect(confirmedDay(20261121, days.slice(1), days)).to.equal(undefined);
    expect(confirmedDay(20261121, days, [])).to.equal(undefined);
  });

  describe("in the service's upkeep", () => {
    let directory: string;
    let begun: number;
    let ready: boolean;
    let failure: Error | undefined;
    let mistake: boolean;
    let clock: SetClock;
    let upkeep: Upkeep;

    beforeEach(async () => {
      directory = mkdtempSync(join(tmpdir(), "flanco-retention-"));
      const place = placeOf(directory);
      await seedLedger(place.ledger);
      [begun, ready, failure, mistake] = [0, true, undefined, false];
      clock = new SetClock(START_MS);
      writeFileSync(place.checked, JSON.stringify({ checkedMs: START_MS }));
      const broken = { position: 1, what: "was altered" };
      const verify = () => ({
        done: Promise.resolve({
          verification: {
            ...{ records: 0, entries: 0, differences: [], damage: [] },
            broken: mistake ? broken : null,
          },
          archives: [],
        }),
        cancel: async () => {},
      });
      const backup = (): never => {
        throw new Error("There is nowhere to make a backup.");
      };
      upkeep = new Upkeep({
        config: { data_dir: directory, backup_dir: "", backup_disk_dir: "", archive_dir: "" },
        ...{ place, clock, log: new KeptLog() },
        trust: { trusted: () => true },
        onDamaged: () => {},
        jobs: { backup, verify },
        targets: () => [],
        retention: {
          get ready() {
            return ready;
          },
          begin: () => {
            begun += 1;
            return {
              done: failure === undefined ? Promise.resolve([]) : Promise.reject(failure),
              cancel: async () => {},
            };
          },
        },
      });
      upkeep.open();
    });

    afterEach(async () => {
      await upkeep.close();
      rmSync(directory, { recursive: true });
    });

    async function later(ms: number): Promise<number> {
      clock.pass(ms);
      begun = 0;
      await upkeep.look();
      return begun;
    }

    it("comes once a day", async () => {
      expect(await later(0)).to.equal(1);
      expect(await later(DAY_MS - HOUR_MS)).to.equal(0);
      expect(await later(HOUR_MS)).to.equal(1);
    });

    it("does nothing where it is not wanted, or somebody is at it", async () => {
      ready = false;
      expect(await later(DAY_MS)).to.equal(0);
    });

    it("is tried again after an hour when it fails, and is a fault until it succeeds", async () => {
      failure = new Error("no room");
      expect(await later(0)).to.equal(1);
      expect(upkeep.faults().map(({ code }) => code)).to.deep.equal(["archive_failed"]);
      expect(await later(HOUR_MS / 2)).to.equal(0);
      failure = undefined;
      expect(await later(HOUR_MS / 2)).to.equal(1);
      expect(upkeep.faults()).to.deep.equal([]);
    });

    it("takes nothing out of a ledger in which the check has found a mistake", async () => {
      mistake = true;
      expect(await later(8 * DAY_MS)).to.equal(0);
      expect(upkeep.faults().map(({ code }) => code)).to.deep.equal(["ledger_damaged"]);
    });
  });
});
