import { cpSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { seedLedger } from "../cli/ledger.ts";
import { CONTROLS } from "../rig/controls.ts";
import { Program } from "../rig/program.ts";
import { forEachTest } from "../rig/standing.ts";
import { Variants } from "./variant.ts";

const TEST_MS = 300_000;
const OWN = 3;
const OTHERS = 6;

describe("A ledger that is damaged", function () {
  this.timeout(TEST_MS);
  const appliance = forEachTest(() => Program.make());
  const other = forEachTest(() => Program.make());
  const variants = forEachTest(() => new Variants());

  async function start(program: string | undefined): Promise<void> {
    await appliance.start({}, program === undefined ? {} : { program });
  }

  describe("beside another ledger's newer backup", () => {
    async function backUp(gateway: Program, sales: number): Promise<void> {
      const times = Array.from({ length: sales }, (_, minute) => Date.UTC(2026, 0, 1, 12, minute));
      await seedLedger(gateway.ledgerFile, times);
      await gateway.succeed(["backup"]);
    }

    async function rebuiltBy(program?: string): Promise<number> {
      await backUp(other, OTHERS);
      await backUp(appliance, OWN);
      cpSync(join(other.dataDir, "backups"), join(appliance.dataDir, "backups"), { recursive: true });
      truncateSync(appliance.ledgerFile, 1);
      await start(program);
      // Its exit code tells of what was lost with the last second.
      const { stdout } = await appliance.call(["verify", "--json"]);
      return (JSON.parse(stdout) as { records: number }).records;
    }

    it("is rebuilt from its own", async () => {
      expect(await rebuiltBy()).to.equal(OWN);
    });

    it("is rebuilt from the other's where any will do (control)", async () => {
      expect(await rebuiltBy(variants.program(CONTROLS["a rebuild takes any ledger's backup"]))).to.equal(
        OTHERS,
      );
    });
  });

  describe("before its first backup", () => {
    async function rebuiltBy(program?: string): Promise<string> {
      const add = ["user", "add", "--email", "ana@example.org", "--name", "Ana", "--password-stdin"];
      const input = "a long password\n";
      const added = await appliance.run(add, program === undefined ? { input } : { input, program });
      expect(added.exitCode, added.stderr).to.equal(0);
      truncateSync(appliance.ledgerFile, 1);
      await start(program);
      return appliance.succeed(["user", "list"]);
    }

    it("is rebuilt from its tail", async () => {
      expect(await rebuiltBy()).to.contain("ana@example.org");
    });

    it("cannot be rebuilt where the newest commits have no copy (control)", async () => {
      const failure = await rebuiltBy(variants.program(CONTROLS["the newest commits have no copy"])).catch(
        String,
      );
      expect(failure).to.contain("There is no proven backup");
    });
  });
});
