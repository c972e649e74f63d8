import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { SeededRandom } from "../../scripts/powercut/random.ts";
import { listBackups } from "../../src/ledger/safety/backup-directory.ts";
import { finishReplacing } from "../../src/ledger/safety/replace.ts";
import { faultsOf, verifyLedger } from "../../src/ledger/safety/verify.ts";
import { seededProgram } from "../cli/ledger.ts";
import { CONTROLS } from "../rig/controls.ts";
import { forEachTest } from "../rig/standing.ts";
import { until } from "../rig/until.ts";
import { Variants } from "./variant.ts";

const TRIALS = process.env["FLANCO_FAULTS"] === "short" ? 4 : 60;
const TEST_MS = 1_800_000;
const SEED = 8;
const SALES = Array.from({ length: 2_000 }, (_, minute) => Date.UTC(2026, 0, 1) + minute * 60_000);
/** Longer than the commands take on an idle machine, so that some come to their end. */
const LONGEST_MS = 2_500;

describe("kill -9 in the middle of", function () {
  this.timeout(TEST_MS);
  const appliance = forEachTest(() => seededProgram(SALES));
  const variants = forEachTest(() => new Variants());
  let directory: string;

  beforeEach(async () => {
    const [made] = JSON.parse(await appliance.succeed(["backup", "--json"])) as { directory: string }[];
    directory = made?.directory ?? "";
  });

  async function killed(args: readonly string[], afterMs: number): Promise<void> {
    const child = appliance.spawn(args);
    const timer = setTimeout(() => child.kill("SIGKILL"), afterMs);
    await once(child, "close");
    clearTimeout(timer);
  }

  it("a backup hurts neither the ledger nor earlier backups, and the next run removes what is left", async () => {
    const random = new SeededRandom(SEED);
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
    expect(readdirSync(directory).filter((name) => name.includes("draft"))).to.deep.equal([]);
  });

  it("a restore leaves one whole ledger in place", async () => {
    const random = new SeededRandom(SEED);
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
    const program = variants.program(
      CONTROLS["a restore removes the old ledger before the new one is there"],
    );
    const backup = join(directory, listBackups(directory)[0]?.file ?? "");
    const child = appliance.spawn(["restore", backup], { program });
    await until("the old ledger is gone", () => !existsSync(appliance.ledgerFile));
    child.kill("SIGKILL");
    await once(child, "close");
    finishReplacing(appliance.ledgerFile);
    expect(existsSync(appliance.ledgerFile)).to.equal(false);
  });
});
