import { expect } from "chai";
import { FlancoError } from "../../src/domain/error.ts";
import { edge, RecorderRig, wiring } from "./recorder-rig.ts";

describe("the recorder, asked for lines,", () => {
  let rig: RecorderRig;

  beforeEach(() => {
    rig = new RecorderRig();
  });

  describe("surveys lines: it", () => {
    const survey = async () => (await rig.recorder.survey()).flatMap(({ lines }) => lines);

    it("shows every line with its room, and the level that was seen last of those that are watched", async () => {
      rig.wired = [wiring("gpiochip0:0"), wiring("B")];
      await rig.recorder.open();
      rig.driver.edges.get("B")?.(edge(1));
      const [a, b, c] = await survey();
      expect(a).to.include({ name: "A", watched: true, level: false, problem: null });
      expect(a?.wiring).to.include({ line: "gpiochip0:0" });
      expect(b).to.include({ name: "B", watched: true, level: true });
      expect(c).to.include({ name: "C", wiring: null, watched: false, level: null, problem: null });
      rig.driver.edges.get("B")?.(edge(2));
      expect((await survey())[1]).to.include({ level: false });
      await rig.recorder.close();
    });

    it("shows why a wired line is not watched, and no level of it", async () => {
      rig.driver.held.add("A");
      await rig.recorder.open();
      const [a] = await survey();
      expect(a).to.deep.include({ holder: "other-program", watched: false, level: null });
      expect(a?.problem).to.include("other-program");
      await rig.recorder.close();
    });

    it("shows no level of a line that was lost", async () => {
      await rig.recorder.open();
      rig.driver.edges.get("A")?.(edge(1));
      rig.driver.failure = new FlancoError("unavailable", "gone");
      rig.driver.losses.get("A")?.(new FlancoError("unavailable", "gone"));
      expect((await survey())[0]).to.include({ watched: false, level: null });
      await rig.recorder.close();
    });
  });

  describe("looks at a line: it", () => {
    beforeEach(async () => {
      rig.wired = [wiring("gpiochip0:0")];
      rig.driver.held.add("B");
      await rig.recorder.open();
    });
    afterEach(() => rig.recorder.close());

    it("reads one that is free", async () => {
      expect(await rig.recorder.read("C")).to.equal(true);
      expect(rig.driver.asked.at(-1)).to.equal("read gpiochip0:2");
    });

    for (const [what, line, code] of [
      ["one that is wired, by whichever name", "A", "conflict"],
      ["one that somebody holds", "B", "conflict"],
      ["one that is not there", "gpiochip0:9", "not_found"],
    ] as const) {
      it(`does not touch ${what}`, async () => {
        const error = await rig.recorder.read(line).then(
          () => undefined,
          (thrown: unknown) => thrown,
        );
        expect(error).to.include({ code });
        expect(rig.driver.asked.filter((asked) => asked.startsWith("read"))).to.deep.equal([]);
      });
    }

    it("goes in turn with wiring: a line that is being wired is wired by then", async () => {
      const saved = rig.recorder.wire(["C"], async () => {
        rig.wired = [...rig.wired, wiring("C")];
      });
      const read = rig.recorder.read("C").then(
        () => "read",
        (error: FlancoError) => error.code,
      );
      await saved;
      expect(await read).to.equal("conflict");
    });
  });

  async function refusal(...lines: string[]): Promise<string> {
    let saved = false;
    const message = await rig.recorder
      .wire(lines, async () => {
        saved = true;
      })
      .then(
        () => "",
        (error: Error) => error.message,
      );
    expect(saved, "saved").to.equal(message === "");
    return message;
  }

  it("refuses to wire a line that another program holds, and names it", async () => {
    await rig.recorder.open();
    rig.driver.held.add("C");
    expect(await refusal("C")).to.equal('The line C is in use by "other-program".');
    await rig.recorder.close();
  });

  describe("of a line that its keeper is still letting go of,", () => {
    let looks: number;

    beforeEach(async () => {
      await rig.recorder.open();
      looks = 0;
      rig.driver.held.add("C");
      rig.driver.holder = "flanco";
      rig.driver.beforeDetect = () => {
        looks += 1;
        if (looks === 3) rig.driver.held.clear();
      };
    });
    afterEach(() => rig.recorder.close());

    it("wires it once it is free", async () => {
      expect(await refusal("C")).to.equal("");
    });

    it("looks at it once it is free", async () => {
      expect(await rig.recorder.read("C")).to.equal(true);
    });

    it("waits for none that is wired", async () => {
      rig.driver.held.clear();
      rig.driver.held.add("A");
      expect(await refusal("A")).to.equal("");
      expect(looks).to.equal(1);
    });
  });

  it("refuses to wire a line that another flanco holds to the end", async () => {
    await rig.recorder.open();
    rig.driver.held.add("C");
    rig.driver.holder = "flanco";
    expect(await refusal("C")).to.equal('The line C is in use by "flanco".');
    await rig.recorder.close();
  });

  it("refuses to wire the same line by another name, also while it is not watched", async () => {
    rig.driver.held.add("A");
    await rig.recorder.open();
    rig.driver.held.clear();
    expect(await refusal("gpiochip0:0")).to.equal("The line gpiochip0:0 is wired already, under the name A.");
    expect(await refusal("A")).to.equal("");
    await rig.recorder.close();
  });

  it("refuses one line under two names among those that are wired together", async () => {
    await rig.recorder.open();
    expect(await refusal("C", "gpiochip0:2")).to.equal(
      "The line gpiochip0:2 is wired already, under the name C.",
    );
    await rig.recorder.close();
  });

  it("refuses one line under two names that are wired at the same time", async () => {
    await rig.recorder.open();
    const wire = (line: string) =>
      rig.recorder.wire([line], async () => {
        await new Promise((resolve) => setImmediate(resolve));
        rig.wired = [...rig.wired, wiring(line)];
      });
    const ended = await Promise.allSettled([wire("C"), wire("gpiochip0:2")]);
    expect(ended.map(({ status }) => status)).to.deep.equal(["fulfilled", "rejected"]);
    expect(rig.recorder.status().watched).to.deep.equal(["A", "B", "C"]);
    expect(rig.recorder.healthy()).to.equal(true);
    await rig.recorder.close();
  });
});
