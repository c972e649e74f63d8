import { expect } from "chai";
import type { LineRequest } from "../../src/domain/line.ts";
import { ChardevDriver } from "../../src/gpio/chardev.ts";
import { Edges, noFailure } from "./edges.ts";
import { FakeKeeper, LateKeeper } from "./fake-keeper.ts";
import { FakeKernel } from "./fake-kernel.ts";
import { rejection } from "./rejection.ts";
import { VirtualTime } from "./virtual-time.ts";

const REQUEST = 7;

describe("A line that outlives the process", () => {
  let time: VirtualTime;
  let kernel: FakeKernel;
  let keeper: FakeKeeper;
  let driver: ChardevDriver;

  beforeEach(async () => {
    time = new VirtualTime();
    kernel = new FakeKernel(["GPIO0", "GPIO1", ""]);
    keeper = new FakeKeeper(kernel);
    driver = await process();
  });

  afterEach(async () => {
    await driver.close();
    expect([...kernel.openDescriptors].filter((fd) => !keeper.descriptors.has(fd))).to.deep.equal([]);
  });

  async function process(): Promise<ChardevDriver> {
    const next = new ChardevDriver({ clock: time, loadKernel: async () => kernel, keeper });
    await next.open();
    return next;
  }

  /** Kills the process and starts the next. */
  async function restart(): Promise<void> {
    kernel.kill(keeper.descriptors);
    driver = await process();
  }

  function request(sequence: number | null, wanted: Partial<LineRequest> = {}): LineRequest {
    const seen = sequence === null ? null : { request: REQUEST, sequence };
    return {
      line: "GPIO0",
      activeLow: false,
      bias: "as-is",
      debounceMs: 50,
      keep: { request: sequence === null ? REQUEST : REQUEST + 1, room: "101", seen },
      ...wanted,
    };
  }

  it("gives the edges of a process's absence to the next one, with their times and numbers, once", async () => {
    const before = new Edges();
    await driver.watch(request(null), before.onEdge, noFailure);
    kernel.occur(0, true, 1, 10n);
    kernel.wake(0);
    await before.until(1);
    kernel.kill(keeper.descriptors);
    kernel.occur(0, false, 2, 20n);
    kernel.occur(0, true, 3, 30n);
    driver = await process();
    const after = new Edges();
    const line = await driver.watch(request(1), after.onEdge, noFailure);
    kernel.occur(0, false, 4, 40n);
    kernel.wake(0);
    await after.until(3);

    expect(line.resumed).to.equal(true);
    expect(after.seen).to.deep.equal([
      { active: false, timeNs: 20n, sequence: 2, missed: 0 },
      { active: true, timeNs: 30n, sequence: 3, missed: 0 },
      { active: false, timeNs: 40n, sequence: 4, missed: 0 },
    ]);
  });

  it("loses no edge that a process had read but not brought to the ledger when it died", async () => {
    const before = new Edges();
    await driver.watch(request(null), before.onEdge, noFailure);
    for (let seqno = 1; seqno <= 500; seqno += 1) {
      kernel.occur(0, seqno % 2 === 1, seqno, BigInt(seqno));
      if (seqno % 7 === 0) kernel.wake(0);
    }
    kernel.wake(0);
    await before.until(500);
    kernel.kill(keeper.descriptors);
    kernel.occur(0, true, 501, 501n);
    driver = await process();
    const after = new Edges();
    await driver.watch(request(123), after.onEdge, noFailure);
    await after.until(378);

    expect(after.seen.map((edge) => edge.sequence)).to.deep.equal(
      Array.from({ length: 378 }, (_, index) => 124 + index),
    );
    expect(after.seen.every((edge) => edge.missed === 0 && edge.timeNs === BigInt(edge.sequence))).to.equal(
      true,
    );
  });

  it("survives any number of processes, each of which dies with edges that it read", async () => {
    await driver.watch(request(null), () => {}, noFailure);
    for (let seqno = 1; seqno <= 60; seqno += 1) {
      kernel.occur(0, seqno % 2 === 1, seqno, BigInt(seqno));
      kernel.wake(0);
      if (seqno % 20 !== 0) continue;
      await restart();
      await driver.watch(request(5), () => {}, noFailure);
    }
    await restart();
    const after = new Edges();
    await driver.watch(request(5), after.onEdge, noFailure);
    await after.until(55);

    expect(after.seen.map((edge) => edge.sequence)).to.deep.equal(
      Array.from({ length: 55 }, (_, index) => 6 + index),
    );
  });

  it("counts what was overwritten before the ledger took it", async () => {
    await driver.watch(request(null), () => {}, noFailure);
    const RING = 2_048;
    for (let seqno = 1; seqno <= RING + 100; seqno += 1) {
      kernel.occur(0, seqno % 2 === 1, seqno, BigInt(seqno));
      kernel.wake(0);
    }
    await restart();
    const after = new Edges();
    await driver.watch(request(10), after.onEdge, noFailure);
    await after.until(RING);

    expect(after.seen[0]).to.deep.include({ sequence: 101, missed: 90 });
    expect(after.seen.slice(1).every((edge) => edge.missed === 0)).to.equal(true);
    expect(after.seen.length).to.equal(RING);
  });

  it("stays kept when the driver closes, and what is read by then is delivered", async () => {
    const before = new Edges();
    await driver.watch(request(null), before.onEdge, noFailure);
    kernel.occur(0, true, 1, 10n);
    await driver.close();
    kernel.occur(0, false, 2, 20n);
    driver = await process();
    const after = new Edges();
    await driver.watch(request(1), after.onEdge, noFailure);
    await after.until(1);

    expect(before.levels).to.deep.equal([true]);
    expect(after.seen).to.deep.equal([{ active: false, timeNs: 20n, sequence: 2, missed: 0 }]);
  });

  it("is let go when its watch is closed", async () => {
    const line = await driver.watch(request(null), () => {}, noFailure);
    expect(keeper.names).to.have.length(1);
    await line.close();
    expect(keeper.names).to.deep.equal([]);
    expect(kernel.line(0).used).to.equal(false);
  });

  it("is let go when its chip goes", async () => {
    await driver.watch(
      request(null),
      () => {},
      () => {},
    );
    kernel.remove();
    expect(keeper.names).to.deep.equal([]);
    kernel.gone = false;
  });

  const changes: [string, Partial<LineRequest>][] = [
    ["polarity", { activeLow: true }],
    ["bias", { bias: "pull-up" }],
    ["debounce", { debounceMs: 0 }],
    ["name", { line: "gpiochip0:0" }],
    ["room", { keep: { request: 8, room: "102", seen: { request: REQUEST, sequence: 0 } } }],
    ["ledger's last request", { keep: { request: 8, room: "101", seen: { request: 3, sequence: 9 } } }],
    ["ledger, which never saw it", { keep: { request: 8, room: "101", seen: null } }],
  ];
  for (const [what, change] of changes) {
    it(`is requested anew after a change of its ${what}`, async () => {
      await driver.watch(request(null), () => {}, noFailure);
      const [before] = keeper.names;
      kernel.kill(keeper.descriptors);
      kernel.occur(0, true, 1, 10n);
      driver = await process();
      const edges = new Edges();
      const line = await driver.watch(request(0, change), edges.onEdge, noFailure);

      expect(line.resumed).to.equal(false);
      expect(line.initiallyActive).to.equal(true);
      expect(keeper.names).to.have.length(1);
      expect(keeper.names).not.to.contain(before);
    });
  }

  it("is requested anew when the store has lost a part of it", async () => {
    await driver.watch(request(null), () => {}, noFailure);
    keeper.loseOne();
    await restart();
    const line = await driver.watch(request(0), () => {}, noFailure);
    expect(line.resumed).to.equal(false);
  });

  it("is let go at the next start when it is wired no longer", async () => {
    await driver.watch(request(null), () => {}, noFailure);
    await driver.watch(request(null, { line: "GPIO1" }), () => {}, noFailure);
    await restart();
    driver.forgetOthers(["GPIO1"]);

    expect(kernel.line(0).used).to.equal(false);
    expect(kernel.line(1).used).to.equal(true);
    expect((await driver.watch(request(0, { line: "GPIO1" }), () => {}, noFailure)).resumed).to.equal(true);
  });

  it("is not kept when nobody asks for it", async () => {
    await driver.watch(
      { line: "GPIO0", activeLow: false, bias: "as-is", debounceMs: 0 },
      () => {},
      noFailure,
    );
    expect(keeper.names).to.deep.equal([]);
  });

  describe("and whose keeper lets go of it late", () => {
    let late: LateKeeper;

    beforeEach(async () => {
      await driver.close();
      late = new LateKeeper(kernel);
      keeper = late;
      driver = await process();
    });

    const asked = () => kernel.line(0).requested;
    const turn = () => new Promise((resolve) => setImmediate(resolve));

    it("is requested anew with other settings as soon as it is free", async () => {
      await (await driver.watch(request(null), () => {}, noFailure)).close();
      const before = asked();
      const watched = driver.watch(request(null, { debounceMs: 20 }), () => {}, noFailure);
      await turn();
      expect(asked()).to.equal(before);
      late.letGo();
      expect((await watched).resumed).to.equal(false);
      expect(asked()).not.to.equal(before);
    });

    it("is requested anew by the next process as soon as it is free", async () => {
      await driver.watch(request(null), () => {}, noFailure);
      await restart();
      const watched = driver.watch(request(0, { debounceMs: 20 }), () => {}, noFailure);
      await turn();
      late.letGo();
      expect((await watched).resumed).to.equal(false);
    });

    it("is told as in use after a second in which it was not let go", async () => {
      await (await driver.watch(request(null), () => {}, noFailure)).close();
      const watched = rejection(driver.watch(request(null, { debounceMs: 20 }), () => {}, noFailure));
      await turn();
      time.advance(1_000);
      expect(await watched).to.include({ code: "conflict" });
      late.letGo();
    });

    it("is told as in use at once when another program has it, or a watch of ours", async () => {
      await driver.watch(request(null), () => {}, noFailure);
      expect(await rejection(driver.watch(request(null), () => {}, noFailure))).to.include({
        code: "conflict",
      });
      await (await driver.watch(request(null, { line: "GPIO1" }), () => {}, noFailure)).close();
      kernel.line(1).consumer = "other-program";
      expect(await rejection(driver.watch(request(null, { line: "GPIO1" }), () => {}, noFailure))).to.include(
        { code: "conflict" },
      );
      late.letGo();
    });
  });
});
