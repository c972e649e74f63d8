import { cpSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { seedLedger } from "../cli/ledger.ts";
import { CONTROLS } from "../rig/controls.ts";
import { Program } from "../rig/program.ts";
import { Variant } from "./variant.ts";

const TEST_MS = 300_000;
const OWN = 3;
const OTHERS = 6;

describe("A ledger that is damaged", function () {
  this.timeout(TEST_MS);
  const variants: Variant[] = [];
  const appliances: Program[] = [];

  afterEach(async () => {
    for (const appliance of appliances.splice(0)) await appliance.close();
    for (const variant of variants.splice(0)) variant.remove();
  });

  function variantOf(control: keyof typeof CONTROLS): string {
    const variant = new Variant(CONTROLS[control]);
    variants.push(variant);
    return variant.program;
  }

  async function make(): Promise<Program> {
    const appliance = await Program.make();
    appliances.push(appliance);
    return appliance;
  }

  async function start(appliance: Program, program: string | undefined): Promise<void> {
    await appliance.start({}, program === undefined ? {} : { program });
  }

  describe("beside another ledger's newer backup", () => {
    async function backedUp(sales: number): Promise<Program> {
      const appliance = await make();
      const times = Array.from({ length: sales }, (_, minute) => Date.UTC(2026, 0, 1, 12, minute));
      await seedLedger(appliance.ledgerFile, times);
      await appliance.succeed(["backup"]);
      return appliance;
    }

    async function rebuiltBy(program?: string): Promise<number> {
      const other = await backedUp(OTHERS);
      const appliance = await backedUp(OWN);
      cpSync(join(other.dataDir, "backups"), join(appliance.dataDir, "backups"), { recursive: true });
      truncateSync(appliance.ledgerFile, 1);
      await start(appliance, program);
      // Its exit code tells of what was lost with the last second.
      const { stdout } = await appliance.call(["verify", "--json"]);
      return (JSON.parse(stdout) as { records: number }).records;
    }

    it("is rebuilt from its own", async () => {
      expect(await rebuiltBy()).to.equal(OWN);
    });

    it("is rebuilt from the other's where any will do (control)", async () => {
      expect(await rebuiltBy(variantOf("a rebuild takes any ledger's backup"))).to.equal(OTHERS);
    });
  });

  describe("before its first backup", () => {
    async function rebuiltBy(program?: string): Promise<string> {
      const appliance = await make();
      const add = ["user", "add", "--email", "ana@example.org", "--name", "Ana", "--password-stdin"];
      const input = "a long password\n";
      const added = await appliance.run(add, program === undefined ? { input } : { input, program });
      expect(added.exitCode, added.stderr).to.equal(0);
      truncateSync(appliance.ledgerFile, 1);
      await start(appliance, program);
      return appliance.succeed(["user", "list"]);
    }

    it("is rebuilt from its tail", async () => {
      expect(await rebuiltBy()).to.contain("ana@example.org");
    });

    it("cannot be rebuilt where the newest commits have no copy (control)", async () => {
      const failure = await rebuiltBy(variantOf("the newest commits have no copy")).catch(String);
      expect(failure).to.contain("There is no proven backup");
    });
  });
});
