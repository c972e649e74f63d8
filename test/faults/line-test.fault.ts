import { expect } from "chai";
import { recordRows, seedLedger } from "../cli/ledger.ts";
import { CONTROLS } from "../rig/controls.ts";
import { Program } from "../rig/program.ts";
import { forEachTest } from "../rig/standing.ts";
import { until } from "../rig/until.ts";
import { Variants } from "./variant.ts";

const TEST_MS = 120_000;

describe("A line under test", function () {
  this.timeout(TEST_MS);
  const appliance = forEachTest(() => Program.make());
  const variants = forEachTest(() => new Variants());

  beforeEach(() => seedLedger(appliance.ledgerFile));

  /** The sales of a line that is switched on after its test was begun and the process was killed. */
  async function salesAfterKill(program?: string): Promise<number> {
    const options = program === undefined ? {} : { program };
    const service = await appliance.start({}, options);
    await appliance.succeed(["gpio", "test", "SIM2"]);
    await service.end("SIGKILL");
    await appliance.start({}, options);
    await appliance.succeed(["gpio", "set", "SIM2", "high"]);
    await appliance.succeed(["gpio", "set", "SIM3", "high"]);
    const sales = (line: string) =>
      recordRows(appliance.ledgerFile).filter((row) => row.line === line).length;
    await until("the sale of the other line is in", () => sales("SIM3") === 1);
    return sales("SIM2");
  }

  it("sells nothing, also after the process was killed", async () => {
    expect(await salesAfterKill()).to.equal(0);
  });

  it("sells where nothing asks for the test (control)", async () => {
    const program = variants.program(CONTROLS["an edge under test is a sale"]);
    expect(await salesAfterKill(program)).to.equal(1);
  });
});
