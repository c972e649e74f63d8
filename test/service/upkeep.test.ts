import { execFileSync } from "node:child_process";
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { type AuditDetails, type AuditKind, SERVICE_ACTOR } from "../../src/domain/audit.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../src/domain/clock.ts";
import { FlancoError } from "../../src/domain/error.ts";
import { folderOf } from "../../src/ledger/engine/identity.ts";
import { SCHEMA_VERSION } from "../../src/ledger/engine/schema.ts";
import { type Finding, joinedKeys } from "../../src/ledger/safety/finding.ts";
import { isSuspect } from "../../src/ledger/safety/prepare.ts";
import { verifyLedger } from "../../src/ledger/safety/verify.ts";
import { forEachTest } from "../rig/standing.ts";
import { until } from "../rig/until.ts";
import { writerHere } from "../rig/writer.ts";

import { aBackup, FOREIGN, SOUND, START_MS, UpkeepRig } from "./upkeep-rig.ts";

/** A removable disk is looked at again after this. */
const DISK_LOOK_MS = 10 * MINUTE_MS;
const YEAR_MS = 365 * DAY_MS;

const ALTERED: Finding = {
  kind: "altered",
  from: 3,
  to: 3,
  what: "The entry 3 was altered.",
  costs: [],
  key: "altered 3-3 0",
  acknowledged: false,
};

describe("The service's upkeep", () => {
  const gateway = forEachTest(async () => {
    const made = new UpkeepRig();
    await made.prepare();
    return made;
  });

  describe("of backups", () => {
    beforeEach(() => {
      gateway.noteChecked(START_MS);
      gateway.upkeep.open();
    });

    it("makes the first at the first look, and one a day by the time that passed, independent of the wall clock", async () => {
      const one = [gateway.backups];
      expect(await gateway.doDueWork()).to.deep.equal(one);
      expect(await gateway.after(DAY_MS - 1)).to.deep.equal([]);
      expect(await gateway.after(1)).to.deep.equal(one);
      gateway.noteChecked(START_MS + YEAR_MS);
      gateway.clock.setWall(START_MS + YEAR_MS);
      expect(await gateway.doDueWork()).to.deep.equal([]);
      gateway.clock.setWall(0);
      gateway.noteChecked(0);
      expect(await gateway.after(DAY_MS - 1)).to.deep.equal([]);
      expect(await gateway.after(1)).to.deep.equal(one);
    });

    it("makes one where the newest is of a later version, which did not work", async () => {
      gateway.leave(gateway.backups, gateway.ownBackup({ schema: SCHEMA_VERSION + 1 }));
      gateway.restart();
      expect(gateway.upkeep.lastBackup()).to.equal(null);
      expect(await gateway.doDueWork()).to.deep.equal([gateway.backups]);
    });

    it("makes one before updates, and lets none come where it cannot be made", async () => {
      await gateway.doDueWork();
      gateway.updatesAreDue = true;
      expect(await gateway.after(MINUTE_MS)).to.deep.equal([gateway.backups, "updates"]);
      gateway.failures.set(gateway.backups, new Error("The disk is full."));
      expect(await gateway.after(MINUTE_MS)).to.deep.equal([gateway.backups]);
      gateway.failures.clear();
      expect(await gateway.after(MINUTE_MS), "within the hour").to.deep.equal([]);
      expect(await gateway.after(HOUR_MS)).to.deep.equal([gateway.backups, "updates"]);
    });

    it("gives the age of the newest by the time that passed", async () => {
      expect(gateway.upkeep.lastBackup()).to.equal(null);
      await gateway.doDueWork();
      gateway.clock.pass(HOUR_MS);
      gateway.clock.setWall(0);
      expect(gateway.upkeep.lastBackup()).to.include({ madeMs: START_MS, ageMs: HOUR_MS });
    });

    it("shows one that a command has made meanwhile at once, though its clock was not asked, and makes its own all the same", async () => {
      await gateway.doDueWork();
      const made = { number: 2, file: "flanco-20260311T120000Z.db", clockTrusted: false, madeMs: 0 };
      gateway.leave(gateway.backups, gateway.ownBackup(made));
      expect(gateway.upkeep.lastBackup()).to.include({ madeMs: 0, ageMs: 0 });
      expect(await gateway.after(HOUR_MS)).to.deep.equal([]);
      expect(gateway.upkeep.lastBackup()).to.include({ madeMs: 0, ageMs: HOUR_MS });
      expect(await gateway.after(DAY_MS - HOUR_MS)).to.deep.equal([gateway.backups]);
    });

    it("reads proofs for the status only once their folder has changed, because the status waits for it", async () => {
      const proved = (number: number) =>
        gateway.leave(
          gateway.backups,
          gateway.ownBackup({ number, madeMs: number, file: `flanco-2026031${number}T120000Z.db` }),
        );
      const folder = folderOf(gateway.backups, gateway.ownBackup({}).ledger);
      proved(1);
      utimesSync(folder, 1, 1);
      expect(gateway.upkeep.lastBackup()?.madeMs).to.equal(1);
      proved(2);
      utimesSync(folder, 1, 1);
      expect(gateway.upkeep.lastBackup()?.madeMs).to.equal(1);
      utimesSync(folder, 2, 2);
      expect(gateway.upkeep.lastBackup()?.madeMs).to.equal(2);
    });

    it("keeps the service running where the folder of backups cannot be read, and tries to make one", async () => {
      const folder = folderOf(gateway.backups, gateway.ownBackup({}).ledger);
      rmSync(folder, { recursive: true, force: true });
      mkdirSync(gateway.backups, { recursive: true });
      writeFileSync(folder, "no folder");
      gateway.restart();
      expect(gateway.upkeep.lastBackup()).to.equal(null);
      expect(await gateway.doDueWork()).to.deep.equal([gateway.backups]);
    });

    it("repeats a failed one after an hour, and reports the failure until one succeeds", async () => {
      const one = [gateway.backups];
      gateway.failures.set(gateway.backups, new FlancoError("unavailable", "No room."));
      expect(await gateway.doDueWork()).to.deep.equal(one);
      expect(gateway.upkeep.faults()[0]).to.deep.include({
        code: "backup_failed",
        sinceMs: START_MS,
        details: { directory: gateway.backups, reason: "No room." },
      });
      expect(await gateway.after(HOUR_MS - 1)).to.deep.equal([]);
      gateway.failures.clear();
      expect(gateway.faults).to.deep.equal(["backup_failed"]);
      expect(await gateway.after(1)).to.deep.equal(one);
      expect(gateway.faults).to.deep.equal([]);
    });

    it("waits for a missing removable disk, and makes the other backups meanwhile", async () => {
      const disk = join(gateway.directory, "usb");
      gateway.disk = disk;
      gateway.seen = { mounted: false, foreign: [] };
      gateway.restart();
      expect(await gateway.doDueWork()).to.deep.equal([gateway.backups]);
      expect(await gateway.after(MINUTE_MS)).to.deep.equal([]);
      gateway.seen = { mounted: true, foreign: [] };
      expect(gateway.packageLooks.at(-1)).to.equal(null);
      gateway.failures.set(disk, new FlancoError("unavailable", "It was pulled out."));
      expect(await gateway.after(DISK_LOOK_MS)).to.deep.equal([disk]);
      expect(gateway.faults).to.deep.equal(["backup_failed"]);
      expect(gateway.upkeep.lastBackup()?.madeMs, "the newest is the gateway's own").to.equal(START_MS);
      gateway.failures.clear();
      expect(await gateway.after(DAY_MS - MINUTE_MS - DISK_LOOK_MS)).to.deep.equal([gateway.backups, disk]);
    });

    it("goes on without a removable disk that hangs, and goes back to it when it answers", async () => {
      // Another file system than that of the root, as a mounted disk is.
      gateway.disk = mkdtempSync("/dev/shm/flanco-disk-");
      const folder = folderOf(gateway.disk, gateway.ownBackup({}).ledger);
      const proof = join(folder, `${aBackup().file}.json`);
      try {
        gateway.restart();
        mkdirSync(folder, { recursive: true });
        writeFileSync(join(folder, aBackup().file), "x");
        // To open it waits for somebody who writes, as a disk that hangs waits for its device.
        execFileSync("mkfifo", [proof]);
        expect(await gateway.doDueWork()).to.deep.equal([gateway.backups]);
        expect(gateway.upkeep.faults().map(({ message }) => message)).to.deep.equal([
          `The backup to ${gateway.disk} has failed: The disk does not answer.`,
        ]);
        expect(await gateway.after(DAY_MS)).to.deep.equal([gateway.backups]);
      } finally {
        const writer = openSync(proof, "r+");
        rmSync(proof);
        closeSync(writer);
      }
      await until("the thread has ended", async () =>
        (await gateway.after(MINUTE_MS)).includes(gateway.disk),
      );
      expect(gateway.faults).to.deep.equal([]);
      rmSync(gateway.disk, { recursive: true });
    });

    it("ends what is under way when the service stops, without a failure", async () => {
      gateway.gate = new Promise(() => {});
      const looking = gateway.upkeep.doDueWork();
      await until("a backup is under way", () => gateway.begun.length > 0);
      await gateway.upkeep.close();
      await looking;
      expect([gateway.cancelled, gateway.faults, gateway.log.errors]).to.deep.equal([1, [], []]);
    });

    it("begins nothing twice while a look is under way", async () => {
      const gate = Promise.withResolvers<void>();
      gateway.gate = gate.promise;
      const looking = gateway.upkeep.doDueWork();
      await gateway.upkeep.doDueWork();
      await until("a backup is under way", () => gateway.begun.length > 0);
      expect(gateway.begun).to.deep.equal([gateway.backups]);
      gate.resolve();
      await looking;
    });
  });

  describe("of backups that a process before has made", () => {
    beforeEach(() => gateway.noteChecked(START_MS));

    it("makes the next when a day has gone by", async () => {
      gateway.leave(gateway.backups, gateway.ownBackup({ madeMs: START_MS - DAY_MS + 1 }));
      gateway.restart();
      expect(gateway.upkeep.lastBackup()).to.include({ records: 1, ageMs: DAY_MS - 1 });
      expect(await gateway.doDueWork()).to.deep.equal([]);
      expect(await gateway.after(1)).to.deep.equal([gateway.backups]);
    });

    it("makes one at once where the tail does not follow on the newest, and tries again each hour", async () => {
      gateway.leave(gateway.backups, gateway.ownBackup({ madeMs: START_MS }));
      gateway.tail = { from: 1, failure: null };
      gateway.restart();
      expect(await gateway.doDueWork()).to.deep.equal([]);
      gateway.tail = { from: 2, failure: null };
      gateway.restart();
      expect(await gateway.doDueWork()).to.deep.equal([gateway.backups]);
      expect(gateway.told).to.deep.equal([`begins ${gateway.backups}`, `proved ${gateway.backups} 1`]);
      expect(await gateway.after(HOUR_MS - 1)).to.deep.equal([]);
      expect(await gateway.after(1)).to.deep.equal([gateway.backups]);
    });

    it("makes one at once where the tail cannot be written, and says so", async () => {
      gateway.leave(gateway.backups, gateway.ownBackup({ madeMs: START_MS }));
      gateway.tail = { from: 0, failure: "ENOSPC" };
      gateway.restart();
      expect(await gateway.doDueWork()).to.deep.equal([gateway.backups]);
      expect(gateway.faults).to.deep.equal(["tail_failed"]);
    });

    it("does not count those of another ledger, and names them where they are on the removable disk", async () => {
      gateway.disk = join(gateway.directory, "usb");
      gateway.seen = { mounted: true, foreign: [aBackup()] };
      gateway.leave(gateway.backups, aBackup());
      gateway.restart();
      expect(gateway.upkeep.lastBackup()).to.equal(null);
      expect(await gateway.doDueWork()).to.deep.equal([gateway.backups, gateway.disk]);
      const [fault, ...more] = gateway.upkeep.faults();
      expect(more).to.deep.equal([]);
      expect(fault).to.include({ code: "backup_foreign", sinceMs: START_MS });
      expect(fault?.message).to.contain(`Clínica (2026-03-11, folder ${FOREIGN})`);
      expect(gateway.packageLooks, "a newer package is looked for there").to.deep.equal([gateway.disk]);
      gateway.seen = { mounted: true, foreign: [] };
      await gateway.after(DISK_LOOK_MS);
      expect(gateway.faults).to.deep.equal([]);
    });

    it("says that the removable disk is missing once it has been away for an hour, until it is back", async () => {
      gateway.disk = join(gateway.directory, "usb");
      gateway.seen = { mounted: false, foreign: [] };
      gateway.restart();
      await gateway.doDueWork();
      await gateway.after(HOUR_MS - 1);
      expect(gateway.faults, "it may be carried elsewhere").to.deep.equal([]);
      await gateway.after(DISK_LOOK_MS);
      const [fault, ...more] = gateway.upkeep.faults();
      expect(more).to.deep.equal([]);
      expect(fault).to.deep.include({ code: "backup_disk_missing", details: { directory: gateway.disk } });
      expect(fault?.sinceMs).to.equal(START_MS);
      await gateway.after(HOUR_MS);
      expect(gateway.upkeep.faults()).to.deep.equal([fault]);
      expect(gateway.log.warnings.filter((text) => text.includes("No disk is mounted"))).to.have.length(1);
      gateway.seen = { mounted: true, foreign: [] };
      await gateway.after(DISK_LOOK_MS);
      expect(gateway.faults).to.deep.equal([]);
    });

    for (const [what, clockTrusted, trusted] of [
      ["was not trusted when it was made", false, true],
      ["is not trusted", true, false],
    ] as const) {
      it(`makes the next after an hour where the clock ${what}: its age is unknown`, async () => {
        gateway.leave(gateway.backups, gateway.ownBackup({ clockTrusted, madeMs: START_MS - YEAR_MS }));
        gateway.trusted = trusted;
        gateway.restart();
        expect(gateway.upkeep.lastBackup()?.ageMs).to.equal(null);
        expect(await gateway.doDueWork()).to.deep.equal([]);
        expect(await gateway.after(HOUR_MS - 1)).to.deep.equal([]);
        expect(await gateway.after(1)).to.deep.equal([gateway.backups]);
        expect(await gateway.after(DAY_MS - 1)).to.deep.equal([]);
      });
    }
  });

  describe("of the ledger's file", () => {
    const checks = async (begun: Promise<string[]>) =>
      (await begun).filter((name) => name === "check").length;

    it("checks it once a week in full, also over a restart", async () => {
      gateway.upkeep.open();
      expect(await checks(gateway.doDueWork())).to.equal(1);
      expect(await checks(gateway.after(7 * DAY_MS - 1))).to.equal(0);
      expect(await checks(gateway.after(1))).to.equal(1);
      await gateway.upkeep.close();
      gateway.restart();
      expect(await checks(gateway.after(7 * DAY_MS - 1))).to.equal(0);
      expect(await checks(gateway.after(1))).to.equal(1);
    });

    it("checks it where the note of the last time cannot be read", async () => {
      writeFileSync(gateway.dataDirectory.checked, "{");
      gateway.upkeep.open();
      expect(await checks(gateway.doDueWork())).to.equal(1);
    });

    it("says what is wrong with a whole file until a check finds it right, and goes on", async () => {
      gateway.upkeep.open();
      gateway.verification = { ...SOUND, findings: [ALTERED] };
      await gateway.doDueWork();
      expect(gateway.upkeep.faults()[0]?.message).to.contain(ALTERED.what);
      expect([gateway.ended, isSuspect(gateway.dataDirectory.ledger)]).to.deep.equal([[], false]);
      gateway.verification = SOUND;
      await gateway.after(7 * DAY_MS);
      expect(gateway.faults).to.deep.equal([]);
    });

    it("says that a copy is damaged until another backup is made, which it makes at once", async () => {
      gateway.upkeep.open();
      gateway.verification = { ...SOUND, copies: ["The backup a is rotten."] };
      await gateway.doDueWork();
      expect(gateway.upkeep.faults().map(({ code, details }) => [code, details])).to.deep.equal([
        ["copy_damaged", { what: "The backup a is rotten." }],
      ]);
      expect(await gateway.after(MINUTE_MS)).to.deep.equal([gateway.backups]);
      expect(gateway.faults).to.deep.equal([]);
      expect(await gateway.after(MINUTE_MS)).to.deep.equal([]);
    });

    it("says that a backup has another past, until it is acknowledged", async () => {
      gateway.findings = [ALTERED];
      gateway.upkeep.open();
      await gateway.doDueWork();
      expect(
        gateway.upkeep.faults().map(({ code, message }) => [code, message.includes(ALTERED.what)]),
      ).to.deep.equal([["ledger_damaged", true]]);
      gateway.upkeep.acknowledged("altered 4-4 0");
      expect(gateway.faults).to.deep.equal(["ledger_damaged"]);
      gateway.upkeep.acknowledged(`altered 4-4 0, ${ALTERED.key}`);
      expect(gateway.faults).to.deep.equal([]);
    });

    it("has a fault for each change of totals that the ledger tells of, until an owner acknowledges it", async () => {
      const zone = { from: "Europe/Madrid", to: "Asia/Tokyo", sales: 3 };
      const left = { backup: "flanco-1.db", sales: 2, voids: 0, revenue: 9, since: "then", until: "now" };
      const note = async (kind: AuditKind, details: AuditDetails) => {
        const file = { file: gateway.dataDirectory.ledger, timeZone: "UTC" };
        const writer = writerHere(file, gateway.clock);
        await writer.open();
        await writer.noteAudit([{ kind, userId: null, details, actor: SERVICE_ACTOR }]);
        await writer.close();
      };
      await note("ledger_restored", { backup: "flanco-0.db" });
      await note("ledger_restored", left);
      await note("time_zone_changed", { ...zone, sales: 0 });
      await note("time_zone_changed", zone);
      gateway.restart();
      expect(gateway.faults).to.deep.equal(["restore_dropped", "time_zone_changed"]);
      expect(gateway.upkeep.faults()[1]?.details).to.deep.equal(zone);
      const { findings } = verifyLedger(gateway.dataDirectory.ledger, () => {});
      const keys = joinedKeys(findings);
      await note("findings_acknowledged", { name: "Ana", reason: "", findings: keys });
      gateway.upkeep.acknowledged(keys);
      expect(gateway.faults).to.deep.equal([]);
    });

    for (const isWritten of [true, false]) {
      it(`ends the service over a damaged file, and ${isWritten ? "makes the next start check all of it" : "reports it, even if the disk takes no writes"}`, async () => {
        if (!isWritten) {
          mkdirSync(gateway.dataDirectory.checked);
          mkdirSync(`${gateway.dataDirectory.ledger}.suspect`);
        }
        gateway.upkeep.open();
        gateway.verification = { ...SOUND, damage: ["page 7 is never used"] };
        await gateway.doDueWork();
        expect(gateway.ended).to.have.length(1);
        expect(gateway.ended[0]).to.include({ code: "damaged" });
        expect(isSuspect(gateway.dataDirectory.ledger)).to.equal(true);
        expect(gateway.faults).to.deep.equal(["ledger_damaged"]);
      });
    }

    it("finds no mistake in a sound ledger where only its own note cannot be written", async () => {
      mkdirSync(gateway.dataDirectory.checked);
      gateway.upkeep.open();
      expect(await checks(gateway.doDueWork())).to.equal(1);
      expect([gateway.faults, gateway.ended]).to.deep.equal([[], []]);
    });

    it("repeats a failed check after an hour, and reports no damage", async () => {
      gateway.upkeep.open();
      gateway.failures.set("check", new FlancoError("unavailable", "It took too long."));
      expect(await checks(gateway.doDueWork())).to.equal(1);
      expect(gateway.ended).to.deep.equal([]);
      expect(gateway.faults).to.deep.equal(["check_failed"]);
      expect(await checks(gateway.after(HOUR_MS - 1))).to.equal(0);
      gateway.failures.clear();
      expect(await checks(gateway.after(1))).to.equal(1);
      expect(gateway.faults).to.deep.equal([]);
    });
  });
});
