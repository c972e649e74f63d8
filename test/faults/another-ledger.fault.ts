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

describe("A rebuild beside another ledger's newer backup", function () {
  this.timeout(TEST_MS);
  let other: Program;
  let appliance: Program;

  /** The other clinic's stick is in this gateway, whose ledger is then damaged. */
  beforeEach(async () => {
    other = await make(OTHERS);
    appliance = await make(OWN);
    cpSync(join(other.dataDir, "backups"), join(appliance.dataDir, "backups"), { recursive: true });
    truncateSync(appliance.ledgerFile, 1);
  });

  afterEach(async () => {
    await appliance.close();
    await other.close();
  });

  async function make(sales: number): Promise<Program> {
    const made = await Program.make();
    const times = Array.from({ length: sales }, (_, minute) => Date.UTC(2026, 0, 1, 12, minute));
    await seedLedger(made.ledgerFile, times);
    await made.succeed(["backup"]);
    return made;
  }

  async function rebuiltBy(program?: string): Promise<number> {
    await appliance.start({}, program === undefined ? {} : { program });
    return (JSON.parse(await appliance.succeed(["verify", "--json"])) as { records: number }).records;
  }

  it("takes its own", async () => {
    expect(await rebuiltBy()).to.equal(OWN);
  });

  it("takes the other's where any will do (control)", async () => {
    const variant = new Variant(CONTROLS["a rebuild takes any ledger's backup"]);
    try {
      expect(await rebuiltBy(variant.program)).to.equal(OTHERS);
    } finally {
      variant.remove();
    }
  });
});
