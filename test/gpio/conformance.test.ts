import { expect } from "chai";
import type { LineDriver, LineRequest } from "../../src/domain/line.ts";
import { rejection } from "../rig/rejection.ts";
import {
  createMqttRig,
  createSimulatedRig,
  Edges,
  KernelChip,
  lineRequest,
  type Rig,
  watchLine,
} from "./rigs.ts";

/** What a driver's source has no notion of: another program that uses a line, a level that must hold. */
type Lack = "holder" | "debounce";

/** The behaviour that every driver has, as tests of a driver in its world, but for what its source lacks. */
function describeConformance(
  name: string,
  createRig: () => Promise<{ readonly driver: LineDriver; readonly rig: Rig }>,
  lacks: readonly Lack[] = [],
): void {
  const itWith = (source: Lack) => (lacks.includes(source) ? () => {} : it);

  describe(`The ${name} driver`, () => {
    let driver: LineDriver;
    let rig: Rig;

    beforeEach(async () => {
      ({ driver, rig } = await createRig());
      await driver.open();
      await rig.settled();
    });

    afterEach(async () => {
      await driver.close();
      await rig.close();
    });

    function request(offset: number, wanted: Partial<LineRequest> = {}): LineRequest {
      return lineRequest(`${rig.chip}:${offset}`, wanted);
    }

    it("lists its chip with the name of every line, and the lines that it watches", async () => {
      await watchLine(driver, request(2));
      const chips = await driver.detect();

      const chip = chips.find((one) => one.name === rig.chip);
      expect(chip?.label).to.be.a("string").and.not.equal("");
      const lines = chip?.lines.slice(0, 4) ?? [];
      expect(lines.map((line) => line.offset)).to.deep.equal([0, 1, 2, 3]);
      expect(lines.map((line) => line.name)).to.deep.equal(
        [0, 1, 2, 3].map((offset) => rig.lineName(offset)),
      );
      expect(lines.map((line) => line.holder)).to.deep.equal([null, null, "flanco", null]);
    });

    itWith("holder")("lists which other program uses a line", async () => {
      const giveBack = await rig.hold(1, "other-program");
      const chips = await driver.detect();
      giveBack();
      const lines = chips.find((one) => one.name === rig.chip)?.lines.slice(0, 3) ?? [];
      expect(lines.map((line) => line.holder)).to.deep.equal([null, "other-program", null]);
    });

    it("delivers both edges of a line, in order, counted from 1, with times that never step back", async () => {
      const { line, edges } = await watchLine(driver, request(0));
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

    it("reports the initial level, and no edge for it", async () => {
      await rig.set(1, true);
      const { line, edges } = await watchLine(driver, request(1));
      await rig.set(1, false);

      expect(line.initiallyActive).to.equal(true);
      expect(await edges.until(1)).to.deep.equal([false]);
    });

    it("reads a free line's physical level, and leaves the line free", async () => {
      const { edges } = await watchLine(driver, request(0));
      await rig.set(1, true);
      expect(await driver.read(`${rig.chip}:1`)).to.equal(true);
      expect(await driver.read(rig.lineName(2))).to.equal(false);
      await rig.set(1, false);
      expect(await driver.read(`${rig.chip}:1`)).to.equal(false);
      const chip = (await driver.detect()).find((one) => one.name === rig.chip);
      expect(chip?.lines.slice(0, 4).map((line) => line.holder)).to.deep.equal(["flanco", null, null, null]);
      await rig.set(0, true);
      expect(await edges.until(1)).to.deep.equal([true]);
    });

    itWith("holder")("reads no line that another program uses", async () => {
      const giveBack = await rig.hold(1, "other-program");
      expect(await rejection(driver.read(`${rig.chip}:1`))).to.include({ code: "conflict" });
      giveBack();
    });

    it("reads no line that it watches, and no line that does not exist", async () => {
      const { edges } = await watchLine(driver, request(0));
      expect(await rejection(driver.read(`${rig.chip}:0`))).to.include({ code: "conflict" });
      expect(await rejection(driver.read(`${rig.chip}:9999`))).to.include({ code: "not_found" });
      await rig.set(0, true);
      expect(await edges.until(1)).to.deep.equal([true]);
    });

    it("inverts the levels of an activeLow line, including the initial one", async () => {
      const { line, edges } = await watchLine(driver, request(0, { activeLow: true }));
      await rig.set(0, true);
      await edges.until(1);
      await rig.set(0, false);

      expect(line.initiallyActive).to.equal(true);
      expect(await edges.until(2)).to.deep.equal([false, true]);
    });

    it("reports initial level and edges consistently when an edge races the start", async () => {
      for (let round = 0; round < 10; round += 1) {
        const high = round % 2 === 0;
        const settingEarly = round % 4 < 2 ? rig.set(0, high) : null;
        const watching = watchLine(driver, request(0));
        await (settingEarly ?? rig.set(0, high));
        const { line, edges } = await watching;
        if (line.initiallyActive !== high) await edges.until(1);
        await rig.set(0, !high);
        await edges.until(line.initiallyActive === high ? 1 : 2);
        await line.close();

        const expected = line.initiallyActive === high ? [!high] : [high, !high];
        expect(edges.levels).to.deep.equal(expected);
        await rig.set(0, high);
      }
    });

    it("delivers a change between watch and listen as an edge", async () => {
      const edges = new Edges();
      const line = await driver.watch(request(0));
      await rig.set(0, true);
      line.listen(edges.onEdge, () => {});

      expect(line.initiallyActive).to.equal(false);
      expect(await edges.until(1)).to.deep.equal([true]);
    });

    itWith("debounce")("counts a level only when it holds for the debounce time", async () => {
      const { edges } = await watchLine(driver, request(0, { debounceMs: rig.debounceMs }));
      for (const high of [true, false, true, false, true]) await rig.set(0, high);
      rig.elapse(rig.debounceMs);
      await edges.until(1);
      for (const high of [false, true, false]) await rig.set(0, high);
      rig.elapse(rig.debounceMs);
      expect(await edges.until(2)).to.deep.equal([true, false]);
      const [rise, fall] = edges.seen.map((edge) => edge.sequence);
      expect(rise).to.be.within(1, 5);
      expect(fall).to.be.within(2, 8);
    });

    itWith("debounce")("ignores a pulse that is shorter than the debounce time", async () => {
      const { edges } = await watchLine(driver, request(0, { debounceMs: rig.debounceMs }));
      const { edges: other } = await watchLine(driver, request(1, { debounceMs: rig.debounceMs }));
      await rig.set(0, true);
      await rig.set(0, false);
      // The other line's debounce ends after this one's would have.
      await rig.set(1, true);
      rig.elapse(rig.debounceMs);
      await other.until(1);

      expect(edges.seen).to.deep.equal([]);
    });

    it("finds the same line by its name and by chip and offset", async () => {
      const { line, edges } = await watchLine(driver, request(0, { line: rig.lineName(3) }));
      expect(line.address).to.equal(`${rig.chip}:3`);
      const error = await rejection(watchLine(driver, request(3)));
      expect(error.code).to.equal("conflict");
      expect(error.message).to.contain("in use by 'flanco'");

      await rig.set(3, true);
      expect(await edges.until(1)).to.deep.equal([true]);
    });

    itWith("holder")("names the program that uses a line already", async () => {
      const giveBack = await rig.hold(2, "other-program");
      const error = await rejection(watchLine(driver, request(2)));
      giveBack();

      expect(error.code).to.equal("conflict");
      expect(error.message).to.equal(`${rig.lineName(2)} (${rig.chip}:2) is in use by 'other-program'.`);
    });

    it("lists the existing lines when asked for one that does not exist", async () => {
      for (const line of ["NO_SUCH_LINE", "nochip:0", `${rig.chip}:999`]) {
        const error = await rejection(watchLine(driver, request(0, { line })));
        expect(error.code, line).to.equal("not_found");
        expect(error.hint, line).to.contain(rig.lineName(0));
      }
      const error = await rejection(watchLine(driver, request(0, { line: " " })));
      expect(error.code).to.equal("invalid");
    });

    it("releases a line on close, which can be called twice, and delivers nothing after it", async () => {
      const { line: first, edges: before } = await watchLine(driver, request(0));
      await rig.set(0, true);
      await before.until(1);
      await first.close();
      await first.close();
      await rig.set(0, false);
      const giveBack = await rig.hold(0, "other-program");
      giveBack();

      const { line: second, edges: after } = await watchLine(driver, request(0));
      await rig.set(0, true);
      await after.until(1);
      expect(second.initiallyActive).to.equal(false);
      expect(before.levels).to.deep.equal([true]);
      expect(after.seen.map(({ active, sequence }) => ({ active, sequence }))).to.deep.equal([
        { active: true, sequence: 1 },
      ]);
    });

    it("opens and closes a second line without disturbing the first", async () => {
      const { edges: first } = await watchLine(driver, request(0));
      await rig.set(0, true);
      const { line, edges: second } = await watchLine(driver, request(1));
      await first.until(1);
      await rig.set(1, true);
      await second.until(1);
      await rig.set(0, false);
      await line.close();
      await first.until(2);
      await rig.set(0, true);
      expect(await first.until(3)).to.deep.equal([true, false, true]);
      expect(first.seen.map((edge) => edge.sequence)).to.deep.equal([1, 2, 3]);
      expect(second.levels).to.deep.equal([true]);
    });

    it("accepts the bias that it can set", async () => {
      const { edges } = await watchLine(driver, request(0, { bias: rig.bias }));
      await rig.set(0, true);
      expect(await edges.until(1)).to.deep.equal([true]);
    });

    it("releases every line when it is closed, and can be opened again", async () => {
      const { edges } = await watchLine(driver, request(0));
      const { edges: others } = await watchLine(driver, request(1));
      await driver.close();
      await rig.set(0, true);
      for (const offset of [0, 1]) (await rig.hold(offset, "other-program"))();
      await driver.open();
      await rig.settled();
      const { line } = await watchLine(driver, request(0));

      expect(line.initiallyActive).to.equal(true);
      expect([edges.seen, others.seen]).to.deep.equal([[], []]);
    });
  });
}

describeConformance("simulated", createSimulatedRig);
describeConformance("mqtt", createMqttRig, ["holder", "debounce"]);

const chip = KernelChip.fromEnvironment();
if (chip !== null) {
  describeConformance("chardev", () => chip.createRig("chardev"));
  describeConformance("sysfs", () => chip.createRig("sysfs"));
}
