import { cpSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { SeededRandom } from "../../scripts/powercut/random.ts";
import { FlancoError } from "../../src/domain/error.ts";
import { prepareArchive } from "../../src/store/archive-make.ts";
import { planRetention } from "../../src/store/archive-plan.ts";
import { listBackups } from "../../src/store/backup-directory.ts";
import { faultsOf, verifyLedger } from "../../src/store/verify.ts";
import { ArchiveTrial, OLD_MONTHS, openWriter } from "./archive-trial.ts";
import { SmallDisk } from "./small-disk.ts";
import { Variant } from "./variant.ts";

const SHORT = process.env["FLANCO_FAULTS"] === "short";
const TRIALS = SHORT ? 1 : 4;
const PER_MONTH = 3_000;
/** More than a ledger's months take. */
const MAX_LIVES = SHORT ? 4 : 30;
/** From the beginning of a life: while a file is written, or before. */
const LONGEST_MS = 1_500;
/** From the moment that a month is told of: while its rows are removed, or after. */
const REMOVAL_MS = 60;
const TEST_MS = 1_800_000;
const DISK_MEBIBYTES = 40;
const SEED = 31;

/** Rows are removed from their beginning on: what is left of a run can no longer be followed. */
const FIRST_ONES_FIRST = [
  {
    file: "src/store/archive.ts",
    from: "const from = Math.max(run.first, to - (MAX_REMOVED - removed) + 1);",
    to: `const from = Number(db.prepare("SELECT min(record_id) FROM record WHERE record_id BETWEEN ? AND ?").pluck().get(run.first, run.last) ?? to);
        if (to - from >= MAX_REMOVED) {
          removeRecords.run({ from, to: from + MAX_REMOVED - 1 });
          return { removed: MAX_REMOVED, before };
        }`,
  },
];

describe("Archiving", function () {
  this.timeout(TEST_MS);
  let trial: ArchiveTrial | undefined;
  let variant: Variant | undefined;

  afterEach(async () => {
    await trial?.close();
    variant?.remove();
    trial = variant = undefined;
  });

  it("loses nothing and counts nothing twice when it is killed at any moment, and comes to its end", async () => {
    const random = new SeededRandom(SEED);
    let [kills, cutOff] = [0, 0];
    for (let round = 0; round < TRIALS; round += 1) {
      trial = await ArchiveTrial.make(PER_MONTH);
      expect(trial.faults()).to.deep.equal([]);
      for (let done = false, life = 0; !done && life < MAX_LIVES; life += 1, kills += 1) {
        const told = life % 2 === 0;
        done = await trial.archiveAndKill(
          random.between(0, told ? REMOVAL_MS : LONGEST_MS),
          told ? "told" : "begun",
        );
        expect(trial.faults(), `kill ${kills}`).to.deep.equal([]);
        if (trial.progress().unfinished > 0) cutOff += 1;
      }
      await trial.finish();
      expect(trial.faults()).to.deep.equal([]);
      const { archived, unfinished } = trial.progress();
      expect(archived).to.equal(OLD_MONTHS);
      expect(unfinished).to.equal(0);
      expect(
        readdirSync(trial.archives).filter((name) => !/^ledger-\d{4}-\d{2}\.db$/.test(name)),
      ).to.deep.equal([]);
      await trial.close();
    }
    console.log(`    ${kills} kills, ${cutOff} in the middle of a removal`);
    expect(kills).to.be.above(TRIALS);
  });

  it("is caught by the same test when rows are removed in another order (control)", async () => {
    variant = new Variant(FIRST_ONES_FIRST);
    trial = await ArchiveTrial.make(PER_MONTH, { program: variant.program });
    const random = new SeededRandom(SEED);
    let found: string[] = [];
    let kills = 0;
    for (let done = false; !done && kills < MAX_LIVES && found.length === 0; kills += 1) {
      done = await trial.archiveAndKill(random.between(0, REMOVAL_MS), "told");
      found = trial.faults();
    }
    console.log(`    control: caught after ${kills} kills: ${found[0]}`);
    expect(found).to.not.deep.equal([]);
  });

  describe("on a full disk", () => {
    let disk: SmallDisk | undefined;

    beforeEach(async () => {
      trial = await ArchiveTrial.make(200);
      disk = new SmallDisk(join(trial.appliance.directory, "disk"));
      disk.mount(DISK_MEBIBYTES);
    });

    afterEach(() => disk?.unmount());

    it("leaves the ledger as it was, whether the file or the entry finds no room", async () => {
      if (trial === undefined || disk === undefined) throw new Error("Nothing was made.");
      const ledger = join(disk.directory, "flanco.db");
      cpSync(trial.appliance.ledgerFile, ledger);
      const directory = join(disk.directory, "archive");
      const retention = {
        ...{ ledger, keepMonths: 13, nowMs: Date.now(), clockTrusted: true },
        backups: listBackups(join(trial.appliance.dataDir, "backups")),
      };
      const [first] = planRetention(retention).months;
      const request = { ...retention, directory, month: first?.month ?? 0 };
      const before = verifyLedger(ledger, () => {});
      expect(faultsOf(before)).to.deep.equal([]);

      disk.fill();
      expect(() => prepareArchive(request))
        .to.throw(FlancoError)
        .with.property("code", "unavailable");
      disk.free();

      const prepared = prepareArchive(request);
      const writer = await openWriter(ledger);
      disk.fill();
      const [told] = await Promise.allSettled([writer.archive(prepared)]);
      expect(told?.status === "rejected" ? told.reason.code : "done").to.equal("unavailable");
      expect(verifyLedger(ledger, () => {})).to.deep.equal(before);
      disk.free();
      await writer.archive(prepared);
      await writer.close();
      expect(verifyLedger(ledger, () => {})).to.deep.include({ records: before.records, broken: null });
      expect(planRetention(retention).months[0]?.month).to.not.equal(first?.month);
    });
  });
});
