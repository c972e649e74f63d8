import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { SeededRandom } from "../../scripts/powercut/random.ts";
import { listBackups } from "../../src/store/backup-directory.ts";
import { finishReplacing } from "../../src/store/replace.ts";
import { faultsOf, verifyLedger } from "../../src/store/verify.ts";
import { seedLedger } from "../cli/ledger.ts";
import { Appliance } from "../cli/program.ts";
import { Variant } from "./variant.ts";

const TRIALS = process.env["FLANCO_FAULTS"] === "short" ? 4 : 60;
const MAX_CONTROL_TRIALS = 40;
const TEST_MS = 1_800_000;
const SEED = 8;
const SALES = Array.from({ length: 2_000 }, (_, minute) => Date.UTC(2026, 0, 1) + minute * 60_000);
/** Longer than the commands take on an idle machine, so that some come to their end. */
const LONGEST_MS = 2_500;

describe("kill -9 in the middle of", function () {
  this.timeout(TEST_MS);
  let appliance: Appliance;

  beforeEach(async () => {
    appliance = await Appliance.make();
    await seedLedger(appliance.ledgerFile, SALES);
    await appliance.succeed(["backup"]);
  });

  afterEach(() => appliance.close());

  async function killed(args: readonly string[], afterMs: number, program?: string): Promise<void> {
    const child = appliance.spawn(args, program === undefined ? {} : { program });
    const timer = setTimeout(() => child.kill("SIGKILL"), afterMs);
    await once(child, "close");
    clearTimeout(timer);
  }

  it("a backup hurts neither the ledger nor earlier backups, and the next run removes what is left", async () => {
    const random = new SeededRandom(SEED);
    const directory = join(appliance.dataDir, "backups");
    const [first] = listBackups(directory);
    for (let trial = 0; trial < TRIALS; trial += 1) {
      await killed(["backup"], random.between(0, LONGEST_MS));
      expect(listBackups(directory).at(-1), `trial ${trial}`).to.deep.equal(first);
    }
    expect(faultsOf(verifyLedger(appliance.ledgerFile, () => {}))).to.deep.equal([]);
    for (const { file } of listBackups(directory)) {
      expect(faultsOf(verifyLedger(join(directory, file), () => {})), file).to.deep.equal([]);
    }
    await appliance.succeed(["backup"]);
    expect(readdirSync(directory).filter((name) => /draft|trial/.test(name))).to.deep.equal([]);
  });

  it("a restore leaves one whole ledger in place", async () => {
    const random = new SeededRandom(SEED);
    const directory = join(appliance.dataDir, "backups");
    const backup = join(directory, listBackups(directory)[0]?.file ?? "");
    for (let trial = 0; trial < TRIALS; trial += 1) {
      await killed(["restore", backup], random.between(0, LONGEST_MS));
      finishReplacing(appliance.ledgerFile);
      const verification = verifyLedger(appliance.ledgerFile, () => {});
      expect(verification.records, `trial ${trial}`).to.equal(SALES.length);
      expect(faultsOf(verification), `trial ${trial}`).to.deep.equal([]);
    }
    await appliance.succeed(["restore", backup]);
    expect(readdirSync(appliance.dataDir).filter((name) => /draft|restored/.test(name))).to.deep.equal([]);
  });

  it("a restore that removes the old ledger before the new one is in its place loses it (control)", async () => {
    const variant = new Variant([
      {
        file: "src/store/replace.ts",
        from: "  renameSync(replacementDraft(ledger), committedName(ledger, keptAs));\n",
        to: "  rmSync(ledger);\n  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_000);\n  renameSync(replacementDraft(ledger), committedName(ledger, keptAs));\n",
      },
    ]);
    try {
      const random = new SeededRandom(SEED);
      const directory = join(appliance.dataDir, "backups");
      const backup = join(directory, listBackups(directory)[0]?.file ?? "");
      for (let trial = 0; existsSync(appliance.ledgerFile); trial += 1) {
        expect(trial, "restores that lost nothing").to.be.below(MAX_CONTROL_TRIALS);
        await killed(["restore", backup], random.between(0, 2 * LONGEST_MS), variant.program);
        finishReplacing(appliance.ledgerFile);
      }
    } finally {
      variant.remove();
    }
  });
});
