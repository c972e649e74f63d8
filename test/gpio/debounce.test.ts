import { expect } from "chai";
import { VirtualTime } from "../../src/domain/clock.ts";
import type { RawLevel } from "../../src/domain/line.ts";
import { SimulatedDriver } from "../../src/gpio/simulated.ts";
import { forEachTest } from "../rig/standing.ts";
import { RecorderRig, wiring } from "./recorder-rig.ts";

const DEBOUNCE_MS = 50;

/** A recorder over one simulated line, SIM0, with debounce. */
class Rig {
  readonly time = new VirtualTime();
  readonly driver = new SimulatedDriver({ clock: this.time, timers: this.time, lineCount: 1 });
  readonly #rig = new RecorderRig();
  readonly ledger = this.#rig.ledger;
  readonly raw: RawLevel[] = [];
  readonly recorder = this.#rig.make({ driver: this.driver, clock: this.time, timers: this.time });

  async open(): Promise<this> {
    this.#rig.wired = [wiring("SIM0", { debounceMs: DEBOUNCE_MS })];
    this.recorder.listenRaw((level) => this.raw.push(level));
    await this.recorder.open();
    return this;
  }

  close(): Promise<void> {
    return this.recorder.close();
  }

  /** The contact closes after some bounce, a millisecond apart. */
  bounce(): void {
    for (const high of [true, false, true, false, true]) {
      this.driver.set("SIM0", high);
      this.time.advance(1);
    }
    this.time.advance(DEBOUNCE_MS);
  }

  async levels(): Promise<readonly boolean[]> {
    await new Promise((resolve) => setImmediate(resolve));
    return this.ledger.taken.map(({ active }) => active);
  }
}

describe("A line with debounce", () => {
  const rig = forEachTest(() => new Rig().open());

  it("shows every edge of a contact that bounces, and the level that it began with", async () => {
    rig.bounce();
    expect(rig.raw.map(({ active, isFirst }) => [active, isFirst])).to.deep.equal([
      [false, true],
      ...[true, false, true, false, true].map((active) => [active, false]),
    ]);
    const [first, last] = [rig.raw[1], rig.raw.at(-1)];
    expect((last?.atMs ?? 0) - (first?.atMs ?? 0)).to.equal(4);
  });

  it("reaches the ledger debounced all the same, as one rise", async () => {
    rig.bounce();
    expect(await rig.levels()).to.deep.equal([false, true]);
    expect(rig.ledger.taken.map(({ source }) => [source.request, source.sequence])).to.deep.equal([
      [1, 0],
      [1, 5],
    ]);
  });
});
