import { expect } from "chai";
import type { Edge } from "../../src/domain/line.ts";
import { SimulatedDriver } from "../../src/gpio/simulated.ts";
import { Edges } from "./edges.ts";
import { thrown } from "./rejection.ts";
import { VirtualTime } from "./virtual-time.ts";

describe("The simulated driver's own ways", () => {
  let time: VirtualTime;
  let driver: SimulatedDriver;

  beforeEach(() => {
    time = new VirtualTime();
    driver = new SimulatedDriver({ clock: time, timers: time, lineCount: 8 });
  });

  afterEach(() => driver.close());

  it("says that it is simulated", () => {
    expect(driver.simulated).to.equal(true);
  });

  it("refuses to drive a line that it does not have", () => {
    expect(thrown(() => driver.set("SIM8", true)).code).to.equal("not_found");
  });

  it("keeps a level from before the watch, and one that was set twice is one edge", async () => {
    driver.set("SIM3", true);
    const edges = new Edges();
    const line = await driver.watch(
      { line: "SIM3", activeLow: false, bias: "as-is", debounceMs: 0 },
      edges.onEdge,
    );
    driver.set("SIM3", true);
    driver.set("simchip0:3", false);
    driver.set("SIM3", false);
    await edges.until(1);

    expect(line.initiallyActive).to.equal(true);
    expect(edges.levels).to.deep.equal([false]);
  });

  it("stamps a debounced edge with the time of the change that held", async () => {
    const seen: Edge[] = [];
    await driver.watch({ line: "SIM0", activeLow: false, bias: "as-is", debounceMs: 50 }, (edge) =>
      seen.push(edge),
    );
    await new Promise((resolve) => setImmediate(resolve));
    driver.set("SIM0", true);
    time.advance(49);
    driver.set("SIM0", false);
    time.advance(10);
    driver.set("SIM0", true);
    const heldFromNs = time.monotonicNs();
    time.advance(49);
    expect(seen).to.deep.equal([]);
    time.advance(1);

    expect(seen).to.deep.equal([{ active: true, timeNs: heldFromNs, sequence: 1, missed: 0 }]);
  });

  it("forgets a change that had not held when the line was closed", async () => {
    const edges = new Edges();
    const line = await driver.watch(
      { line: "SIM0", activeLow: false, bias: "as-is", debounceMs: 50 },
      edges.onEdge,
    );
    driver.set("SIM0", true);
    await line.close();
    time.advance(100);

    expect(edges.seen).to.deep.equal([]);
    expect(time.pendingTimers).to.equal(0);
  });
});
