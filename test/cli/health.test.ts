import { expect } from "chai";
import { onlyLine, PROCESS_TEST_MS, Program } from "../rig/program.ts";

describe("flanco health", function () {
  this.timeout(PROCESS_TEST_MS);
  let appliance: Program;

  before(async () => {
    appliance = await Program.make();
  });
  after(() => appliance.close());

  it("fails in one line while no service runs, and for a time that is none", async () => {
    const stopped = await appliance.call(["health"]);
    expect(stopped.exitCode).to.equal(1);
    expect(onlyLine(stopped)).to.contain("No service answers.");
    const wrong = await appliance.call(["health", "--wait", "soon"]);
    expect(wrong.exitCode).to.equal(1);
    expect(onlyLine(wrong)).to.contain("--wait takes 0 to 3600 seconds");
  });

  it("waits for a service that starts, and succeeds once it works", async () => {
    const waiting = appliance.call(["health", "--wait", "30"]);
    await appliance.start();
    expect(await waiting).to.deep.include({ exitCode: 0, stdout: "The service works.\n", stderr: "" });
    expect((await appliance.call(["health"])).exitCode).to.equal(0);
  });
});
