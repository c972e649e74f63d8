import { expect } from "chai";
import fc from "fast-check";
import { VirtualTime } from "../../src/domain/clock.ts";
import { BIASES, type LineRequest } from "../../src/domain/line.ts";
import { ChardevDriver } from "../../src/gpio/chardev.ts";
import { nameOf, parseKeptName } from "../../src/gpio/kept-lines.ts";
import { rejection } from "../rig/rejection.ts";
import { forEachTest } from "../rig/standing.ts";
import { FakeKeeper, FakeKernel, LateKeeper } from "./fake-kernel.ts";
import { lineRequest, watchLine } from "./rigs.ts";

const REQUEST = 7;

describe("A line that outlives the process", () => {
  const time = forEachTest(() => new VirtualTime());
  let kernel: FakeKernel;
  let keeper: FakeKeeper;
  let driver: ChardevDriver;

  beforeEach(async () => {
    kernel = new FakeKernel(["GPIO0", "GPIO1", ""]);
    keeper = new FakeKeeper(kernel);
    driver = await process();
  });

  afterEach(async () => {
    await driver.close();
    expect([...kernel.openDescriptors].filter((fd) => !keeper.descriptors.has(fd))).to.deep.equal([]);
  });

  async function process(): Promise<ChardevDriver> {
    const next = new ChardevDriver({ clock: time, timers: time, loadKernel: async () => kernel, keeper });
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
    const keep = { request: sequence === null ? REQUEST : REQUEST + 1, seen };
    return lineRequest("GPIO0", { debounceMs: 50, keep, ...wanted });
  }

  it("counts the edges that were overwritten before their commit", async () => {
    await watchLine(driver, request(null, { debounceMs: 0 }));
    const RING = 2_048;
    for (let seqno = 1; seqno <= RING + 100; seqno += 1) {
      kernel.occur(0, seqno % 2 === 1, seqno, BigInt(seqno));
      kernel.wake(0);
    }
    await restart();
    const { edges: after } = await watchLine(driver, request(10, { debounceMs: 0 }));
    await after.until(RING);

    expect(after.seen[0]).to.deep.include({ sequence: 101, missed: 90 });
    expect(after.seen.slice(1).every((edge) => edge.missed === 0)).to.equal(true);
    expect(after.seen.length).to.equal(RING);
  });

  it("is released when its watch is closed", async () => {
    const { line } = await watchLine(driver, request(null));
    expect(keeper.names).to.have.length(1);
    await line.close();
    expect(keeper.names).to.deep.equal([]);
    expect(kernel.line(0).used).to.equal(false);
  });

  it("is released when its chip is removed", async () => {
    await watchLine(driver, request(null), []);
    kernel.remove();
    expect(keeper.names).to.deep.equal([]);
    kernel.gone = false;
  });

  const changes: [string, Partial<LineRequest>][] = [
    ["polarity", { activeLow: true }],
    ["bias", { bias: "pull-up" }],
    ["name", { line: "gpiochip0:0" }],
    ["ledger's last request", { keep: { request: 8, seen: { request: 3, sequence: 9 } } }],
    ["ledger, which has no sighting of it", { keep: { request: 8, seen: null } }],
  ];
  for (const [what, change] of changes) {
    it(`is requested again after a change of its ${what}`, async () => {
      await watchLine(driver, request(null));
      const [before] = keeper.names;
      kernel.kill(keeper.descriptors);
      kernel.occur(0, true, 1, 10n);
      driver = await process();
      const { line } = await watchLine(driver, request(0, change));

      expect(line.resumed).to.equal(false);
      expect(line.initiallyActive).to.equal(true);
      expect(keeper.names).to.have.length(1);
      expect(keeper.names).not.to.contain(before);
    });
  }

  it("is taken over from the version before, which named the room too, and back: no edge is lost", async () => {
    await watchLine(driver, request(null));
    keeper.rename((name) => `${name}/16dc368a89b428b2`);
    const before = keeper.names;
    kernel.kill(keeper.descriptors);
    kernel.occur(0, true, 1, 10n);
    driver = await process();
    const { line, edges } = await watchLine(driver, request(0, { debounceMs: 0 }));

    expect(line.resumed).to.equal(true);
    await edges.until(1);
    expect(edges.seen.map(({ sequence, missed }) => [sequence, missed])).to.deep.equal([[1, 0]]);
    expect(keeper.names, "a version that is put back finds it again").to.deep.equal(before);
    await line.close();
    expect(keeper.names).to.deep.equal([]);
  });

  it("is requested again when the store has lost a part of it", async () => {
    await watchLine(driver, request(null));
    keeper.loseOne();
    await restart();
    const { line } = await watchLine(driver, request(0));
    expect(line.resumed).to.equal(false);
  });

  it("is released at the next start when it is no longer wired", async () => {
    await watchLine(driver, request(null));
    await watchLine(driver, request(null, { line: "GPIO1" }));
    await restart();
    driver.forgetOthers(["GPIO1"]);

    expect(kernel.line(0).used).to.equal(false);
    expect(kernel.line(1).used).to.equal(true);
    expect((await watchLine(driver, request(0, { line: "GPIO1" }))).line.resumed).to.equal(true);
  });

  it("is not kept without a request to keep it", async () => {
    await watchLine(driver, lineRequest("GPIO0"));
    expect(keeper.names).to.deep.equal([]);
  });

  describe("and whose keeper closes it late", () => {
    let late: LateKeeper;

    beforeEach(async () => {
      await driver.close();
      late = new LateKeeper(kernel);
      keeper = late;
      driver = await process();
    });

    const asked = () => kernel.line(0).requested;
    const turn = () => new Promise((resolve) => setImmediate(resolve));

    it("is requested again with other settings as soon as it is free", async () => {
      await (await watchLine(driver, request(null))).line.close();
      const before = asked();
      const watched = watchLine(driver, request(null, { debounceMs: 20 }));
      await turn();
      expect(asked()).to.equal(before);
      late.closeForgotten();
      expect((await watched).line.resumed).to.equal(false);
      expect(asked()).not.to.equal(before);
    });

    it("is requested again by the next process as soon as it is free", async () => {
      await watchLine(driver, request(null));
      await restart();
      const watched = watchLine(driver, request(0, { bias: "pull-up" }));
      await turn();
      late.closeForgotten();
      expect((await watched).line.resumed).to.equal(false);
    });

    it("is listed, and read, once it is free", async () => {
      await (await watchLine(driver, request(null))).line.close();
      const detected = driver.detect();
      const read = driver.read("GPIO0");
      await turn();
      late.closeForgotten();
      expect((await detected)[0]?.lines[0]?.holder).to.equal(null);
      expect(await read).to.equal(false);
    });

    it("is reported as in use after a second", async () => {
      await (await watchLine(driver, request(null))).line.close();
      const watched = rejection(watchLine(driver, request(null, { debounceMs: 20 })));
      await turn();
      time.advance(1_000);
      expect(await watched).to.include({ code: "conflict" });
      late.closeForgotten();
    });

    it("is reported as in use at once when another program or another watch has it", async () => {
      await watchLine(driver, request(null));
      expect(await rejection(watchLine(driver, request(null)))).to.include({ code: "conflict" });
      const other = request(null, { line: "GPIO1" });
      await (await watchLine(driver, other)).line.close();
      kernel.line(1).consumer = "other-program";
      expect(await rejection(watchLine(driver, other))).to.include({ code: "conflict" });
      late.closeForgotten();
    });
  });
});

interface KeptLine extends Omit<LineRequest, "keep" | "debounceMs"> {
  readonly chip: string;
  readonly offset: number;
  readonly request: number;
}

const anyLine: fc.Arbitrary<KeptLine> = fc.record({
  line: fc.string({ unit: "grapheme", minLength: 1, maxLength: 32 }),
  chip: fc.constantFrom("gpiochip0", "gpiochip512"),
  offset: fc.nat(511),
  request: fc.nat(),
  activeLow: fc.boolean(),
  bias: fc.constantFrom(...BIASES),
});

function formatKeptName({ chip, offset, request, ...wanted }: KeptLine): string | null {
  return nameOf({ chip, offset }, { ...wanted, debounceMs: 0, keep: { request, seen: null } }, request);
}

describe("The name of a kept line", () => {
  it("can be read by a person in systemd-analyze fdstore", () => {
    const settings = { activeLow: true, bias: "pull-up" } as const;
    const wired = { line: "gpiochip0:17", chip: "gpiochip0", offset: 17, request: 4 };
    expect(formatKeptName({ ...wired, ...settings })).to.equal(
      "line/gpiochip0%3A17/gpiochip0/17/4/active-low/pull-up",
    );
  });

  it("is valid for systemd, and gives line, chip and offset back", () => {
    fc.assert(
      fc.property(anyLine, (kept) => {
        const name = formatKeptName(kept);
        if (name === null) return;
        // fdname_is_valid: printable ASCII, no colon, 1 to 255 characters.
        expect(name).to.match(/^[ -9;-~]{1,255}$/);
        const { line, chip, offset } = kept;
        expect(parseKeptName(name)).to.deep.equal({ line, address: `${chip}:${offset}` });
      }),
    );
  });

  it("differs for any difference in line or request", () => {
    fc.assert(
      fc.property(anyLine, anyLine, (a, b) => {
        const same = JSON.stringify(a) === JSON.stringify(b);
        const [first, second] = [formatKeptName(a), formatKeptName(b)];
        if (first !== null && second !== null) expect(first === second).to.equal(same);
      }),
    );
  });

  it("is null when it would be too long", () => {
    const long = anyLine.map((kept) => ({ ...kept, line: "é".repeat(60) }));
    fc.assert(fc.property(long, (kept) => formatKeptName(kept) === null));
  });

  it("is not read from another form", () => {
    for (const name of [
      "unknown",
      "line/",
      "line/a/b/x/1/active-high/as-is",
      "line/a/b/1/1/active-high/as-is/00",
      "line/%zz/b/1/1/a/b",
    ])
      expect(parseKeptName(name), name).to.equal(undefined);
  });
});
