import { expect } from "chai";
import type { Bias, LineDriver, LineRequest } from "../../src/domain/line.ts";
import { Edges, noFailure } from "./edges.ts";
import { rejection } from "./rejection.ts";

/** The world behind a driver: something that sets levels and takes lines away from it. */
export interface Rig {
  /** The chip's name; it has at least four lines, free and low. */
  readonly chip: string;
  /** A bias that this driver can set without changing a driven level. */
  readonly bias: Bias;
  /** How long a level must hold to count, in the tests of that: longer than setting a few levels ever takes. */
  readonly debounceMs: number;
  lineName(offset: number): string;
  /** Sets a line's physical level; resolves when the driver's source has seen it. */
  set(offset: number, high: boolean): Promise<void>;
  /** Lets time pass, where it does not by itself. */
  elapse(ms: number): void;
  /** Takes a line as another program; resolves to what gives it back. */
  hold(offset: number, holder: string): Promise<() => void>;
  /** Sets every level low again. */
  close(): Promise<void>;
}

/** The behaviour that every driver has, as tests of a driver in its world. */
export function describeConformance(
  name: string,
  createRig: () => Promise<{ readonly driver: LineDriver; readonly rig: Rig }>,
): void {
  describe(`The ${name} driver`, () => {
    let driver: LineDriver;
    let rig: Rig;

    beforeEach(async () => {
      ({ driver, rig } = await createRig());
      await driver.open();
    });

    afterEach(async () => {
      await driver.close();
      await rig.close();
    });

    function request(offset: number, wanted: Partial<LineRequest> = {}): LineRequest {
      return { line: `${rig.chip}:${offset}`, activeLow: false, bias: "as-is", debounceMs: 0, ...wanted };
    }

    it("shows its chip with every line, by name and by who holds it", async () => {
      const giveBack = await rig.hold(1, "other-program");
      await driver.watch(request(2), () => {}, noFailure);
      const chips = await driver.detect();
      giveBack();

      const chip = chips.find((one) => one.name === rig.chip);
      expect(chip?.label).to.be.a("string").and.not.equal("");
      const lines = chip?.lines.slice(0, 4) ?? [];
      expect(lines.map((line) => line.offset)).to.deep.equal([0, 1, 2, 3]);
      expect(lines.map((line) => line.name)).to.deep.equal(
        [0, 1, 2, 3].map((offset) => rig.lineName(offset)),
      );
      expect(lines.map((line) => line.holder)).to.deep.equal([null, "other-program", "flanco", null]);
    });

    it("delivers both edges of a line, in order, counted from 1, with times that never step back", async () => {
      const edges = new Edges();
      const line = await driver.watch(request(0), edges.onEdge, noFailure);
      for (let count = 1; count <= 20; count += 1) {
        await rig.set(0, count % 2 === 1);
        await edges.until(count);
      }

      expect(line.initiallyActive).to.equal(false);
      expect(edges.levels).to.deep.equal(Array.from({ length: 20 }, (_, index) => index % 2 === 0));
      expect(edges.seen.map((edge) => edge.sequence)).to.deep.equal(
        Array.from({ length: 20 }, (_, index) => index + 1),
      );
      expect(edges.seen.every((edge) => edge.missed === 0)).to.equal(true);
      const times = edges.seen.map((edge) => edge.timeNs);
      expect(times).to.deep.equal(times.toSorted((a, b) => Number(a - b)));
    });

    it("tells the level that it found, and no edge for it", async () => {
      await rig.set(1, true);
      const edges = new Edges();
      const line = await driver.watch(request(1), edges.onEdge, noFailure);
      await rig.set(1, false);
      await edges.until(1);

      expect(line.initiallyActive).to.equal(true);
      expect(edges.levels).to.deep.equal([false]);
    });

    it("reads a free line's physical level by one look, and leaves the line free", async () => {
      const edges = new Edges();
      await driver.watch(request(0), edges.onEdge, noFailure);
      await rig.set(1, true);
      expect(await driver.read(`${rig.chip}:1`)).to.equal(true);
      expect(await driver.read(rig.lineName(2))).to.equal(false);
      await rig.set(1, false);
      expect(await driver.read(`${rig.chip}:1`)).to.equal(false);
      const chip = (await driver.detect()).find((one) => one.name === rig.chip);
      expect(chip?.lines.slice(0, 4).map((line) => line.holder)).to.deep.equal(["flanco", null, null, null]);
      await rig.set(0, true);
      await edges.until(1);
      expect(edges.levels).to.deep.equal([true]);
    });

    it("reads no line that is held, by itself or by another program, and none that is not there", async () => {
      const edges = new Edges();
      await driver.watch(request(0), edges.onEdge, noFailure);
      const giveBack = await rig.hold(1, "other-program");
      expect(await rejection(driver.read(`${rig.chip}:0`))).to.include({ code: "conflict" });
      expect(await rejection(driver.read(`${rig.chip}:1`))).to.include({ code: "conflict" });
      expect(await rejection(driver.read(`${rig.chip}:9999`))).to.include({ code: "not_found" });
      giveBack();
      await rig.set(0, true);
      await edges.until(1);
      expect(edges.levels).to.deep.equal([true]);
    });

    it("turns levels around on an activeLow line, the initial one too", async () => {
      const edges = new Edges();
      const line = await driver.watch(request(0, { activeLow: true }), edges.onEdge, noFailure);
      await rig.set(0, true);
      await edges.until(1);
      await rig.set(0, false);
      await edges.until(2);

      expect(line.initiallyActive).to.equal(true);
      expect(edges.levels).to.deep.equal([false, true]);
    });

    it("makes initial level and edges add up when an edge races the start", async () => {
      for (let round = 0; round < 10; round += 1) {
        const edges = new Edges();
        const high = round % 2 === 0;
        const settingEarly = round % 4 < 2 ? rig.set(0, high) : null;
        const watching = driver.watch(request(0), edges.onEdge, noFailure);
        await (settingEarly ?? rig.set(0, high));
        const line = await watching;
        if (line.initiallyActive !== high) await edges.until(1);
        await rig.set(0, !high);
        await edges.until(line.initiallyActive === high ? 1 : 2);
        await line.close();

        const expected = line.initiallyActive === high ? [!high] : [high, !high];
        expect(edges.levels).to.deep.equal(expected);
        await rig.set(0, high);
      }
    });

    it("delivers no edge before watch has resolved", async () => {
      let resolved = false;
      const edges = new Edges();
      const early: boolean[] = [];
      const watching = driver
        .watch(
          request(0),
          (edge) => {
            early.push(!resolved);
            edges.onEdge(edge);
          },
          noFailure,
        )
        .then((line) => {
          resolved = true;
          return line;
        });
      await Promise.all([watching, rig.set(0, true)]);
      const line = await watching;
      if (line.initiallyActive) await rig.set(0, false);
      await edges.until(1);

      expect(early).to.not.include(true);
    });

    it("counts a level only when it holds for the debounce time", async () => {
      const edges = new Edges();
      await driver.watch(request(0, { debounceMs: rig.debounceMs }), edges.onEdge, noFailure);
      for (const high of [true, false, true, false, true]) await rig.set(0, high);
      rig.elapse(rig.debounceMs);
      await edges.until(1);
      for (const high of [false, true, false]) await rig.set(0, high);
      rig.elapse(rig.debounceMs);
      await edges.until(2);

      expect(edges.levels).to.deep.equal([true, false]);
      expect(edges.seen.map((edge) => edge.sequence)).to.deep.equal([1, 2]);
    });

    it("counts nothing when a pulse is over before the debounce time is", async () => {
      const edges = new Edges();
      await driver.watch(request(0, { debounceMs: rig.debounceMs }), edges.onEdge, noFailure);
      const other = new Edges();
      await driver.watch(request(1, { debounceMs: rig.debounceMs }), other.onEdge, noFailure);
      await rig.set(0, true);
      await rig.set(0, false);
      // The other line's debounce ends after this one's would have.
      await rig.set(1, true);
      rig.elapse(rig.debounceMs);
      await other.until(1);

      expect(edges.seen).to.deep.equal([]);
    });

    it("takes a line's name and its chip and offset for the same line", async () => {
      const edges = new Edges();
      const line = await driver.watch(request(0, { line: rig.lineName(3) }), edges.onEdge, noFailure);
      expect([line.chip, line.offset]).to.deep.equal([rig.chip, 3]);
      const error = await rejection(driver.watch(request(3), () => {}, noFailure));
      expect(error.code).to.equal("conflict");
      expect(error.message).to.contain("in use by 'flanco'");

      await rig.set(3, true);
      await edges.until(1);
      expect(edges.levels).to.deep.equal([true]);
    });

    it("names the program that has a line already", async () => {
      const giveBack = await rig.hold(2, "other-program");
      const error = await rejection(driver.watch(request(2), () => {}, noFailure));
      giveBack();

      expect(error.code).to.equal("conflict");
      expect(error.message).to.equal(`${rig.lineName(2)} (${rig.chip}:2) is in use by 'other-program'.`);
    });

    it("says which lines there are when asked for one that is not", async () => {
      for (const line of ["NO_SUCH_LINE", "nochip:0", `${rig.chip}:999`]) {
        const error = await rejection(driver.watch(request(0, { line }), () => {}, noFailure));
        expect(error.code, line).to.equal("not_found");
        expect(error.hint, line).to.contain(rig.lineName(0));
      }
      const error = await rejection(driver.watch(request(0, { line: " " }), () => {}, noFailure));
      expect(error.code).to.equal("invalid");
    });

    it("gives a line back on close, which can be called twice, and delivers nothing after it", async () => {
      const before = new Edges();
      const first = await driver.watch(request(0), before.onEdge, noFailure);
      await rig.set(0, true);
      await before.until(1);
      await first.close();
      await first.close();
      await rig.set(0, false);
      const giveBack = await rig.hold(0, "other-program");
      giveBack();

      const after = new Edges();
      const second = await driver.watch(request(0), after.onEdge, noFailure);
      await rig.set(0, true);
      await after.until(1);
      expect(second.initiallyActive).to.equal(false);
      expect(before.levels).to.deep.equal([true]);
      expect(after.seen.map(({ active, sequence }) => ({ active, sequence }))).to.deep.equal([
        { active: true, sequence: 1 },
      ]);
    });

    it("opens and closes a second line without disturbing the first", async () => {
      const first = new Edges();
      await driver.watch(request(0), first.onEdge, noFailure);
      const second = new Edges();
      await rig.set(0, true);
      const line = await driver.watch(request(1), second.onEdge, noFailure);
      await first.until(1);
      await rig.set(1, true);
      await second.until(1);
      await rig.set(0, false);
      await line.close();
      await first.until(2);
      await rig.set(0, true);
      await first.until(3);

      expect(first.levels).to.deep.equal([true, false, true]);
      expect(first.seen.map((edge) => edge.sequence)).to.deep.equal([1, 2, 3]);
      expect(second.levels).to.deep.equal([true]);
    });

    it("takes the bias that it can set", async () => {
      const edges = new Edges();
      await driver.watch(request(0, { bias: rig.bias }), edges.onEdge, noFailure);
      await rig.set(0, true);
      await edges.until(1);

      expect(edges.levels).to.deep.equal([true]);
    });

    it("gives every line back when it is closed, and can be opened again", async () => {
      const edges = new Edges();
      await driver.watch(request(0), edges.onEdge, noFailure);
      await driver.watch(request(1), edges.onEdge, noFailure);
      await driver.close();
      await rig.set(0, true);
      for (const offset of [0, 1]) (await rig.hold(offset, "other-program"))();
      await driver.open();
      const line = await driver.watch(request(0), () => {}, noFailure);

      expect(line.initiallyActive).to.equal(true);
      expect(edges.seen).to.deep.equal([]);
    });
  });
}
