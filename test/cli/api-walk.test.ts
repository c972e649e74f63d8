import { expect } from "chai";
import { PROCESS_TEST_MS, Program } from "../rig/program.ts";
import { ApiWalk } from "./api-walk.ts";

describe("The API of a running service", function () {
  this.timeout(PROCESS_TEST_MS);
  let appliance: Program;

  beforeEach(async () => {
    appliance = await Program.make();
  });
  afterEach(() => appliance.close());

  it("answers all that can be asked of it, as it describes it", async () => {
    const service = await appliance.start();
    await ApiWalk.walk(service);
    expect((await service.end("SIGTERM")).exitCode).to.equal(0);
  });
});
