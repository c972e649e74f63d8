import { expect } from "chai";
import { VirtualTime } from "../../src/domain/clock.ts";
import { ChardevDriver } from "../../src/gpio/chardev.ts";
import { rejection } from "../rig/rejection.ts";
import { forEachTest } from "../rig/standing.ts";
import { FakeKernel } from "./fake-kernel.ts";
import { Edges, lineRequest, watchLine } from "./rigs.ts";

const LINE = "gpiochip0:0";
const MILLISECOND_NS = 1_000_000n;
/** Where struct gpio_v2_line_request has the flags of its configuration. */
const REQUEST_FLAGS = 288;

describe("The chardev driver on a fake kernel", () => {
  const time = forEachTest(() => new VirtualTime());
  let kernel: FakeKernel;
  let driver: ChardevDriver;

  beforeEach(async () => {
    kernel = new FakeKernel(["GPIO0", "GPIO1", ""]);
    driver = new ChardevDriver({ clock: time, timers: time, loadKernel: async () => kernel });
    await driver.open();
  });

  afterEach(async () => {
    await driver.close();
    expect(kernel.openDescriptors.size, "descriptors left open").to.equal(0);
  });

  function turn(): Promise<void> {
    return new Promise((resolve) => setImmediate(resolve));
  }

  it("reads a free line without setting direction, edges or bias, and releases it", async () => {
    kernel.line(1).level = true;
    expect(await driver.read("GPIO1")).to.equal(true);
    const asked = kernel.line(1).requested;
    expect(asked).not.to.equal(null);
    expect(asked === null ? -1n : new DataView(asked.buffer).getBigUint64(REQUEST_FLAGS, true)).to.equal(0n);
    expect(kernel.line(1).used).to.equal(false);
  });

  it("takes the level that a line has once its bias has charged it, and asks for edges only then", async () => {
    kernel.line(0).level = true;
    let reads = 0;
    kernel.afterLevel = () => {
      reads += 1;
      expect(kernel.line(0).configured).to.equal(null);
      if (reads === 8) kernel.line(0).level = false;
      if (reads === 12) kernel.afterLevel = () => {};
    };
    const { line } = await watchLine(driver, lineRequest(LINE, { bias: "pull-up", debounceMs: 20 }));

    expect(line.initiallyActive).to.equal(false);
    const flagsOf = (bytes: Uint8Array | null, at: number) =>
      bytes === null ? -1n : new DataView(bytes.buffer).getBigUint64(at, true);
    expect(flagsOf(kernel.line(0).requested, REQUEST_FLAGS)).to.equal(0b1_0000_0100n);
    expect(flagsOf(kernel.line(0).configured, 0)).to.equal(0b1_0011_0100n);
  });

  it("takes no level from before a change that was no edge yet, as edges began just after it", async () => {
    kernel.line(0).level = true;
    kernel.afterConfig = () => {
      kernel.line(0).level = false;
    };
    const { line, edges } = await watchLine(driver, lineRequest(LINE));
    expect(line.initiallyActive).to.equal(false);
    kernel.occur(0, true, 1, time.monotonicNs());
    kernel.wake(0);
    expect(edges.levels).to.deep.equal([true]);
  });

  for (const lastHigh of [false, true]) {
    it(`watches a line that does not come to rest after two seconds, from ${lastHigh ? "high" : "low"} as before`, async () => {
      kernel.afterLevel = () => {
        kernel.line(0).level = !kernel.line(0).level;
      };
      const { line } = await watchLine(
        driver,
        lineRequest(LINE, { debounceMs: 50, activeLow: true, lastHigh }),
      );
      expect(kernel.line(0).configured).not.to.equal(null);
      expect(line.initiallyActive).to.equal(!lastHigh);
    });
  }

  const swallow = (offset: number, level: boolean) => {
    kernel.line(offset).level = level;
  };
  const LOOK_MS = 800;

  for (const debounceMs of [0, 50]) {
    it(`gives up a line of which an edge was swallowed, within two looks, with a debounce of ${debounceMs} ms`, async () => {
      const line = await driver.watch(lineRequest(LINE, { debounceMs }));
      const edges = new Edges();
      const failures: [string, bigint | undefined][] = [];
      line.listen(edges.onEdge, (error, rightNs) => failures.push([error.message, rightNs]));
      time.advance(LOOK_MS);
      const rightNs = time.monotonicNs();
      swallow(0, true);
      time.advance(2 * LOOK_MS);

      expect(failures).to.deep.equal([["gpiochip0:0 is lost: an edge was not reported.", rightNs]]);
      expect(edges.seen).to.deep.equal([]);
      expect(kernel.line(0).used).to.equal(false);
    });
  }

  it("does not take an event that comes just after a look for a swallowed one", async () => {
    const { edges } = await watchLine(driver, lineRequest(LINE));
    swallow(0, true);
    time.advance(LOOK_MS);
    kernel.occur(0, true, 1, time.monotonicNs());
    time.advance(3 * LOOK_MS);
    expect(edges.levels).to.deep.equal([true]);
  });

  it("does not give up a line that switches between two looks, each of which comes before an event", async () => {
    const { edges } = await watchLine(driver, lineRequest(LINE));
    for (let seqno = 1; seqno <= 6; seqno += 1) {
      swallow(0, seqno % 2 === 1);
      time.advance(LOOK_MS);
      kernel.occur(0, seqno % 2 === 1, seqno, time.monotonicNs());
      kernel.wake(0);
    }
    expect(edges.levels).to.deep.equal([true, false, true, false, true, false]);
  });

  it("counts a switching whose last bounce was swallowed", async () => {
    const { edges } = await watchLine(driver, lineRequest(LINE, { debounceMs: 50 }));
    kernel.occur(0, true, 1, time.monotonicNs());
    kernel.occur(0, false, 2, time.monotonicNs());
    swallow(0, true);
    kernel.wake(0);
    time.advance(100);
    expect(edges.seen.map(({ active, sequence, missed }) => [active, sequence, missed])).to.deep.equal([
      [true, 2, 0],
    ]);
  });

  it("says that a level may have held whose end was swallowed before its edge was read", async () => {
    const { edges } = await watchLine(driver, lineRequest(LINE, { debounceMs: 50 }));
    const fromNs = time.monotonicNs();
    kernel.occur(0, true, 1, fromNs);
    time.stall(60_000);
    swallow(0, false);
    kernel.wake(0);
    time.advance(100);
    expect(edges.seen.map(({ active, lostSinceNs }) => [active, lostSinceNs])).to.deep.equal([
      [false, fromNs],
    ]);
  });

  it("judges edges that are read late by their own times", async () => {
    const { edges } = await watchLine(driver, lineRequest(LINE, { debounceMs: 50 }));
    const fromNs = time.monotonicNs();
    const at = (ms: number) => fromNs + BigInt(ms) * MILLISECOND_NS;
    const bounces = [0, 2, 4, 60, 61, 62, 200, 230];
    for (const [index, ms] of bounces.entries()) kernel.occur(0, index % 2 === 0, index + 1, at(ms));
    time.stall(1_000);
    kernel.wake(0);
    time.advance(1);

    // It bounces at 60, and the pulse from 200 to 230 is none.
    expect(
      edges.seen.map(({ active, timeNs }) => [active, (timeNs - fromNs) / MILLISECOND_NS]),
    ).to.deep.equal([
      [true, 4n],
      [false, 62n],
    ]);
  });

  it("says since when an unknown number of a bouncing line's edges was lost", async () => {
    const { edges } = await watchLine(driver, lineRequest(LINE, { debounceMs: 50 }));
    const fromNs = time.monotonicNs();
    kernel.occur(0, true, 1, fromNs);
    kernel.occur(0, true, 40, fromNs + 60n * MILLISECOND_NS);
    kernel.wake(0);
    time.advance(200);
    expect(edges.seen).to.deep.equal([
      { active: true, timeNs: fromNs + 60n * MILLISECOND_NS, sequence: 40, missed: 0, lostSinceNs: fromNs },
    ]);
  });

  it("tells of a line with endless short pulses how far it is", async () => {
    const { edges } = await watchLine(driver, lineRequest(LINE, { debounceMs: 50 }));
    for (let pulse = 0; pulse < 600; pulse += 1) {
      kernel.occur(0, true, 2 * pulse + 1, time.monotonicNs());
      kernel.occur(0, false, 2 * pulse + 2, time.monotonicNs());
      kernel.wake(0);
      time.advance(60);
    }
    expect(edges.seen.map(({ active, sequence }) => [active, sequence])).to.deep.equal([[false, 1_024]]);
  });

  it("counts exactly the edges that a full buffer lost, past the kernel's 32 bits too", async () => {
    const { edges } = await watchLine(driver, lineRequest(LINE));
    for (const seqno of [1, 2, 2_979, 2_980, 0xffff_fffe, 0, 3]) kernel.occur(0, seqno % 2 === 1, seqno, 1n);
    kernel.wake(0);
    await edges.until(7);

    expect(edges.seen.map((edge) => edge.missed)).to.deep.equal([0, 0, 2_976, 0, 0xffff_fffe - 2_981, 1, 2]);
    expect(edges.seen.at(-1)?.sequence).to.equal(2 ** 32 + 3);
  });

  it("reads a buffer of any length in the order of its events", async () => {
    const { edges } = await watchLine(driver, lineRequest(LINE));
    for (let seqno = 1; seqno <= 1_024; seqno += 1) kernel.occur(0, seqno % 2 === 1, seqno, BigInt(seqno));
    kernel.wake(0);
    await edges.until(1_024);

    expect(edges.seen.map((edge) => edge.sequence)).to.deep.equal(
      Array.from({ length: 1_024 }, (_, index) => index + 1),
    );
  });

  it("delivers on close the edges that the kernel has buffered", async () => {
    const { line, edges } = await watchLine(driver, lineRequest(LINE));
    kernel.occur(0, true, 1);
    kernel.occur(0, false, 2);
    await line.close();

    expect(edges.levels).to.deep.equal([true, false]);
  });

  for (const [how, lose] of [
    ["the kernel wakes its readers", () => kernel.wake(0, "failed")],
    ["only its device node is removed", () => kernel.remove()],
  ] as const) {
    it(`reports once that a line is lost with its chip, when ${how}`, async () => {
      const failures: Error[] = [];
      await watchLine(driver, lineRequest(LINE), failures);
      lose();
      lose();
      await turn();

      expect(failures.map((error) => error.message)).to.deep.equal([
        "gpiochip0:0 is lost: its chip was removed.",
      ]);
    });
  }

  it("keeps watching the other lines when one is lost", async () => {
    const failures: Error[] = [];
    await watchLine(driver, lineRequest(LINE), failures);
    const { edges } = await watchLine(driver, lineRequest("gpiochip0:1"));
    kernel.wake(0, "failed");
    kernel.occur(1, true, 1);
    kernel.wake(1);
    await edges.until(1);

    expect(failures.length).to.equal(1);
    expect(edges.levels).to.deep.equal([true]);
  });

  it("keeps watching when a device node changes and the chip is still there", async () => {
    const { edges } = await watchLine(driver, lineRequest(LINE));
    kernel.touchNode();
    kernel.occur(0, true, 1);
    kernel.wake(0);
    expect(await edges.until(1)).to.deep.equal([true]);
  });

  for (const code of ["EACCES", "EPERM"] as const) {
    it(`says what group to join when the kernel answers ${code}`, async () => {
      kernel.openError = code;
      const error = await rejection(watchLine(driver, lineRequest(LINE)));
      expect(error.code).to.equal("unavailable");
      expect(error.hint).to.contain("group gpio");
      expect(
        (
          await rejection(
            new ChardevDriver({ clock: time, timers: time, loadKernel: async () => kernel }).open(),
          )
        ).code,
      ).to.equal("unavailable");
    });
  }

  it("points to sysfs on a kernel without the interface v2", async () => {
    kernel.hasV2 = false;
    const error = await rejection(driver.detect());
    expect(error).to.include({ code: "unavailable", hint: "Use FLANCO_GPIO_DRIVER=sysfs." });
  });

  it("names the kernel's code for a line that cannot give edges", async () => {
    kernel.configError = "ENXIO";
    const error = await rejection(watchLine(driver, lineRequest(LINE)));
    expect(error.code).to.equal("unavailable");
    expect(error.message).to.equal("The kernel cannot watch GPIO0 (gpiochip0:0) (ENXIO).");
  });

  it("calls a program that gave no label an unnamed user", async () => {
    kernel.line(2).used = true;
    const error = await rejection(watchLine(driver, lineRequest("gpiochip0:2")));
    expect(error.message).to.equal("gpiochip0:2 is in use by 'an unnamed user'.");
    kernel.line(2).used = false;
  });

  it("cannot be used before it is open", async () => {
    const closed = new ChardevDriver({ clock: time, timers: time, loadKernel: async () => kernel });
    expect((await rejection(closed.detect())).code).to.equal("internal");
  });
});
