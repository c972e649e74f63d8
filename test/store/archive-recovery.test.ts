import { cpSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { SeededRandom } from "../../scripts/powercut/random.ts";
import { FlancoError } from "../../src/domain/error.ts";
import { openForReading } from "../../src/store/open.ts";
import { recoverLedger } from "../../src/store/recover.ts";
import { tallyOf } from "../../src/store/tally.ts";
import { faultsOf, verifyLedger } from "../../src/store/verify.ts";
import { damage } from "../faults/damage.ts";
import { OldLedger } from "./archived-ledger.ts";

const DAMAGED = new FlancoError("damaged", "for a test");
const MONTHS = [202412, 202501, 202502];
const SMUDGES = 12;

describe("a damaged ledger, of which months were archived,", () => {
  let old: OldLedger;
  let early: string;

  beforeEach(async () => {
    old = await new OldLedger().open();
    early = join(old.ledger.directory, "early");
  });

  afterEach(() => old.ledger.remove());

  function tally(file = old.ledger.file) {
    const db = openForReading(file);
    const { records, sumMicros } = tallyOf(db);
    db.close();
    return { records, sumMicros };
  }

  const recover = (directory: string) =>
    recoverLedger(old.ledger.file, DAMAGED, [directory], old.ledger.nowMs, () => {});

  /** Backups hold the records that are archived; the early one holds none of a few that are of old months too. */
  async function archiveSome(): Promise<void> {
    const backups = old.backups;
    Object.assign(old, { backups: early });
    await old.backUpAt(old.ledger.nowMs);
    Object.assign(old, { backups });
    for (const day of [3, 4, 5]) await old.sell(Date.UTC(2025, 0, day), "102");
    await old.ledger.writer.voidRecord(4, "relay tested");
    await old.backUp();
    for (const month of MONTHS) await old.archive(month);
    await old.sell(old.ledger.nowMs, "101");
    await old.ledger.close();
  }

  for (const which of ["newest", "early"] as const) {
    it(`is built anew from the ${which} backup with nothing lost and nothing counted twice`, async () => {
      await archiveSome();
      const before = tally();
      const { holes } = recover(which === "newest" ? old.backups : early);
      expect(holes).to.deep.equal([]);
      expect(faultsOf(verifyLedger(old.ledger.file, () => {}))).to.deep.equal([]);
      expect(tally()).to.deep.equal(before);
    });
  }

  it("is told of what is gone, and of nothing that is archived, whatever is damaged", async function () {
    this.timeout(60_000);
    await archiveSome();
    const random = new SeededRandom(9);
    const whole = join(old.ledger.directory, "whole.db");
    cpSync(old.ledger.file, whole);
    const before = tally(whole);
    let [untouched, holed] = [0, 0];
    for (let trial = 0; trial < SMUDGES; trial += 1) {
      cpSync(whole, old.ledger.file);
      const what = damage(old.ledger.file, "smudge", random);
      const { holes } = recover(early);
      expect(faultsOf(verifyLedger(old.ledger.file, () => {})), what).to.deep.equal([]);
      const after = tally();
      const gone = holes.reduce((sum, { from, to }) => sum + to - from + 1, 0);
      expect(after.records, what).to.be.within(before.records - gone, before.records);
      if (holes.length === 0) expect(after, what).to.deep.equal(before);
      if (holes.length === 0) untouched += 1;
      else holed += 1;
    }
    expect(untouched + holed).to.equal(SMUDGES);
    expect(untouched).to.be.above(0);
  });
});
