import { expect } from "chai";
import { ApiWalk } from "./api-walk.ts";
import { Appliance, PROCESS_TEST_MS } from "./program.ts";

describe("The API of a running service", function () {
  this.timeout(PROCESS_TEST_MS);
  let appliance: Appliance;

  beforeEach(async () => {
    appliance = await Appliance.make();
  });
  afterEach(() => appliance.close());

  it("answers all that can be asked of it, as it describes it", async () => {
    const service = await appliance.start();
    await ApiWalk.walk(service);
    expect((await service.end("SIGTERM")).exitCode).to.equal(0);
  });
});
