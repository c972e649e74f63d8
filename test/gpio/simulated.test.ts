import { expect } from "chai";
import { VirtualTime } from "../../src/domain/clock.ts";
import { SimulatedDriver } from "../../src/gpio/simulated.ts";
import { thrown } from "../rig/rejection.ts";
import { forEachTest } from "../rig/standing.ts";
import { lineRequest, watchLine } from "./rigs.ts";

describe("The simulated driver, beyond what all drivers do,", () => {
  const time = forEachTest(() => new VirtualTime());
  const driver = forEachTest(() => new SimulatedDriver({ clock: time, timers: time, lineCount: 8 }));

  it("refuses to set a line that does not exist", () => {
    expect(thrown(() => driver.set("SIM8", true)).code).to.equal("not_found");
  });

  it("drops a change that had not held when the line was closed", async () => {
    const { line, edges } = await watchLine(driver, lineRequest("SIM0", { debounceMs: 50 }));
    driver.set("SIM0", true);
    await line.close();
    time.advance(100);

    expect(edges.seen).to.deep.equal([]);
    expect(time.pendingTimers).to.equal(0);
  });
});
