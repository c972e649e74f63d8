import { expect } from "chai";
import { FlancoError } from "../../src/domain/error.ts";
import { rejection } from "../rig/rejection.ts";
import { forEachTest } from "../rig/standing.ts";
import { Turns } from "../rig/turns.ts";
import { edge, RecorderRig, wiring } from "./recorder-rig.ts";

describe("The recorder and lines that are not wired", () => {
  const rig = forEachTest(() => new RecorderRig());

  describe("survey", () => {
    const survey = async () => (await rig.recorder.survey()).flatMap(({ lines }) => lines);

    it("shows every line with its room, and the last level of each watched line", async () => {
      rig.wired = [wiring("hand:0"), wiring("B")];
      await rig.recorder.open();
      rig.driver.edges.get("B")?.(edge(1));
      const [a, b, c] = await survey();
      expect(a).to.include({ name: "A", watched: true, level: false, problem: null });
      expect(a?.wiring).to.include({ line: "hand:0" });
      expect(b).to.include({ name: "B", watched: true, level: true });
      expect(c).to.include({ name: "C", wiring: null, watched: false, level: null, problem: null });
      rig.driver.edges.get("B")?.(edge(2));
      expect((await survey())[1]).to.include({ level: false });
    });

    it("shows why a wired line is not watched, without a level", async () => {
      rig.driver.held.add("A");
      await rig.recorder.open();
      const [a] = await survey();
      expect(a).to.deep.include({ holder: "other-program", watched: false, level: null });
      expect(a?.problem).to.include("other-program");
    });

    it("shows no level of a line that was lost", async () => {
      await rig.recorder.open();
      rig.driver.edges.get("A")?.(edge(1));
      rig.driver.failure = new FlancoError("unavailable", "gone");
      rig.driver.losses.get("A")?.(new FlancoError("unavailable", "gone"));
      expect((await survey())[0]).to.include({ watched: false, level: null });
    });
  });

  describe("readFree", () => {
    beforeEach(async () => {
      rig.wired = [wiring("hand:0")];
      rig.driver.held.add("B");
      await rig.recorder.open();
    });

    it("reads the free ones of many lines, by one look at all lines and one at what is wired", async () => {
      const [looksBefore, wiringReadsBefore] = [rig.driver.looks, rig.wiringReads];
      const levels = await rig.recorder.readFree(["A", "B", "C", "gpiochip0:2", "nowhere"]);
      expect([...levels]).to.deep.equal([
        ["C", true],
        ["gpiochip0:2", true],
      ]);
      const reads = rig.driver.asked.filter((asked) => asked.startsWith("read"));
      expect(reads, "wired lines and those in use are not touched").to.deep.equal([
        "read gpiochip0:2",
        "read gpiochip0:2",
      ]);
      expect([rig.driver.looks - looksBefore, rig.wiringReads - wiringReadsBefore]).to.deep.equal([1, 1]);
    });

    it("waits for a wiring that is under way", async () => {
      const saved = rig.recorder.wire(["C"], async () => {
        rig.wired = [...rig.wired, wiring("C")];
      });
      const read = rig.recorder.readFree(["C"]);
      await saved;
      expect([...(await read)]).to.deep.equal([]);
    });
  });

  async function refusal(...lines: string[]): Promise<string> {
    const save = () => Promise.reject(new Error("The wiring was saved."));
    return (await rejection(rig.recorder.wire(lines, save))).message;
  }

  it("refuses to wire a line that another program uses, and names the program", async () => {
    await rig.recorder.open();
    rig.driver.held.add("C");
    expect(await refusal("C")).to.equal('The line C is in use by "other-program".');
  });

  it("wires a line by the name that lasts, whichever name is given", async () => {
    await rig.recorder.open();
    const saved: string[] = [];
    const save = async (names: readonly string[]) => void saved.push(...names);
    await rig.recorder.wire(["gpiochip0:2", "hand:2", "A", "gpiochip0:0"], save);
    expect(saved).to.deep.equal(["C", "C", "A", "A"]);
  });

  it("finds wired lines by each of their names, also while they are not watched, by one look at all lines", async () => {
    rig.driver.held.add("A");
    await rig.recorder.open();
    const looksBefore = rig.driver.looks;
    const names = ["A", "gpiochip0:0", "hand:0", "hand:2", ...Array<string>(1_000).fill("nowhere")];
    const [first, second, third, ...others] = await rig.recorder.wiredNames(names);
    expect([first, second, third]).to.deep.equal(["A", "A", "A"]);
    expect(others).to.deep.equal(names.slice(3));
    expect(rig.driver.looks - looksBefore).to.equal(1);
  });

  it("does not watch a line that is kept by its chip's number, and says why", async () => {
    rig.wired = [wiring("gpiochip0:0")];
    await rig.recorder.open();
    expect(rig.recorder.status()).to.deep.include({ watched: [] });
    expect(rig.recorder.status().failures[0]?.message).to.include("may change from boot to boot");
  });

  it("lets other work have its turn while it asks for a thousand lines that are all away, each read once", async () => {
    const names = Array.from({ length: 1_000 }, (_, index) => `box/${index}`);
    rig.wired = names.map((name) => wiring(name));
    rig.driver.failure = new FlancoError("unavailable", "The broker does not answer.");
    const turns = new Turns();
    const askedAt: number[] = [];
    rig.driver.beforeWatch = () => void askedAt.push(turns.count);
    await rig.recorder.open();
    turns.end();
    const inOne = Map.groupBy(askedAt, (turn) => turn);
    expect(rig.recorder.status().failures).to.have.length(names.length);
    expect(Math.max(...[...inOne.values()].map(({ length }) => length))).to.be.at.most(50);
    expect(rig.lastReads).to.equal(names.length);
  });

  it("wires one line once in two requests at the same time", async () => {
    await rig.recorder.open();
    const wire = (line: string) =>
      rig.recorder.wire([line], async ([name = ""]) => {
        await new Promise((resolve) => setImmediate(resolve));
        if (!rig.wired.some((wired) => wired.line === name)) rig.wired = [...rig.wired, wiring(name)];
      });
    await Promise.all([wire("C"), wire("gpiochip0:2")]);
    expect(rig.recorder.status().watched).to.deep.equal(["A", "B", "C"]);
    expect(rig.recorder.healthy()).to.equal(true);
  });
});
