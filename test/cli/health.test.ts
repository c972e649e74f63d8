import { expect } from "chai";
import { onlyLine, PROCESS_TEST_MS, Program } from "../rig/program.ts";
import { forSuite } from "../rig/standing.ts";

describe("flanco health", function () {
  this.timeout(PROCESS_TEST_MS);
  const program = forSuite(() => Program.make());

  it("fails in one line while no service runs, and for a time that is none", async () => {
    const stopped = await program.call(["health"]);
    expect(stopped.exitCode).to.equal(1);
    expect(onlyLine(stopped)).to.contain("No service answers.");
    const wrong = await program.call(["health", "--wait", "soon"]);
    expect(wrong.exitCode).to.equal(1);
    expect(onlyLine(wrong)).to.contain("--wait takes 0 to 3600 seconds");
  });

  it("waits for a service that starts, and succeeds once it works", async () => {
    const waiting = program.call(["health", "--wait", "30"]);
    await program.start();
    expect(await waiting).to.deep.include({ exitCode: 0, stdout: "The service works.\n", stderr: "" });
    expect((await program.call(["health"])).exitCode).to.equal(0);
  });
});
