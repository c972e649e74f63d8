import { expect } from "chai";
import type { ChipInfo } from "../../src/domain/line.ts";
import {
  lastingName,
  namesToWire,
  placeOf,
  requireLasting,
  resolveLine,
  surveyChips,
} from "../../src/gpio/address.ts";
import { thrown } from "../rig/rejection.ts";
import { wiring } from "./recorder-rig.ts";

function chip(name: string, lines: readonly (readonly [string | null, string | null])[]): ChipInfo {
  return {
    name,
    label: `label of ${name}`,
    lines: lines.map(([lineName, holder], offset) => ({ chip: name, offset, name: lineName, holder })),
  };
}

const CHIPS = [
  chip("gpiochip0", [
    ["GPIO0", null],
    ["GPIO1", "door-bell"],
    [null, null],
    ["SHARED", null],
  ]),
  chip("gpiochip1", [
    ["SHARED", null],
    ["gpiochip0:0", null],
  ]),
];

describe("A line's address", () => {
  it("is a name unless it is chip and offset", () => {
    for (const name of ["GPIO17", "gpiochip0:", ":17", "gpiochip0:1x", "a:b"]) {
      expect(thrown(() => resolveLine(name, CHIPS)).message).to.equal(`No line is called ${name}.`);
    }
  });

  it("prefers a line that is called like a chip and an offset", () => {
    expect(resolveLine("gpiochip0:0", CHIPS)).to.deep.include({ chip: "gpiochip1", offset: 1 });
  });

  it("is also its chip's label with the offset", () => {
    expect(resolveLine("label of gpiochip0:2", CHIPS)).to.deep.include({ chip: "gpiochip0", offset: 2 });
  });

  it("is refused when several lines have the name, with the list of them", () => {
    const error = thrown(() => resolveLine("SHARED", CHIPS));
    expect(error.code).to.equal("invalid");
    expect(error.message).to.equal("2 lines are called SHARED: gpiochip0:3, gpiochip1:0.");
  });

  it("is refused when it is unknown, with the reason and the free lines", () => {
    const byName = thrown(() => resolveLine("GPIO99", CHIPS));
    expect(byName).to.include({ code: "not_found", message: "No line is called GPIO99." });
    expect(byName.hint).to.equal(
      "Free lines: GPIO0, gpiochip0:2, SHARED, SHARED, gpiochip0:0. `flanco gpio detect` lists all.",
    );
    expect(thrown(() => resolveLine("gpiochip7:0", CHIPS)).message).to.equal("There is no chip gpiochip7.");
    expect(thrown(() => resolveLine("gpiochip0:4", CHIPS)).message).to.equal(
      "gpiochip0 has no line 4: its 4 lines count from 0.",
    );
  });

  describe("that lasts over boots", () => {
    const twins = (one?: string, other?: string): ChipInfo[] =>
      [one, other].map((place, number) => ({
        ...chip(`gpiochip${number}`, [[null, null]]),
        label: "mcp23017",
        ...(place === undefined ? {} : { place }),
      }));
    const lasting = (chips: readonly ChipInfo[], text: string) =>
      lastingName(resolveLine(text, chips), chips);

    it("is the line's own name, else its chip's label and the offset", () => {
      expect(lasting(CHIPS, "gpiochip0:1")).to.equal("GPIO1");
      expect(lasting(CHIPS, "gpiochip0:2")).to.equal("label of gpiochip0:2");
      expect(lasting(CHIPS, "gpiochip0:3")).to.equal("label of gpiochip0:3");
    });

    it("means the same line when the chips are found in another order", () => {
      const before = twins("1-0020", "1-0021");
      expect(lasting(before, "gpiochip1:0")).to.equal("mcp23017@1-0021:0");
      const after = twins("1-0021", "1-0020");
      expect(resolveLine("mcp23017@1-0021:0", after).chip).to.equal("gpiochip0");
    });

    it("has a device of the chip's that is no running number", () => {
      const soc = "/sys/devices/platform/soc";
      const port = "/sys/devices/platform/scb/fd500000.pcie/pci0000:00/0000:01:00.0/usb1/1-1/1-1.2/1-1.2:1.0";
      for (const [device, place] of [
        [`${soc}/fe804000.i2c/i2c-1/1-0020`, "1-0020"],
        [`${soc}/fe200000.gpio`, "fe200000.gpio"],
        [port, "1-1.2:1.0"],
        [`${port}/0003:10C4:EA90.000A`, "1-1.2:1.0"],
        [`${port}/dln2-gpio.3.auto`, "1-1.2:1.0"],
        ["/sys/devices/platform/gpio-sim.1", "platform"],
      ] as const)
        expect(placeOf(device)).to.equal(place);
    });

    it("is refused when two chips differ by a running number alone", () => {
      const [one, other] = [0, 1].map((number) => placeOf(`/sys/devices/platform/gpio-sim.${number}`));
      expect(thrown(() => lasting(twins(one, other), "gpiochip1:0")).code).to.equal("invalid");
    });

    it("is refused when two chips have no difference", () => {
      for (const chips of [twins(), twins("1-0020", "1-0020"), twins("1-0020").slice(0, 2)]) {
        expect(thrown(() => lasting(chips, "gpiochip1:0")).code).to.equal("invalid");
      }
    });

    it("is no chip's number", () => {
      expect(thrown(() => requireLasting("gpiochip0:2")).code).to.equal("invalid");
      for (const name of ["GPIO17", "mcp23017@1-0021:0", "gpiochip0"]) requireLasting(name);
    });
  });

  it("keeps the list of choices short", () => {
    const many = chip(
      "gpiochip0",
      Array.from({ length: 54 }, (_, offset) => [`GPIO${offset}`, null] as const),
    );
    const { hint } = thrown(() => resolveLine("X", [many]));
    expect(hint).to.match(/^Free lines: GPIO0, .*, GPIO11 and 42 more\./);
    expect(thrown(() => resolveLine("X", [])).hint).to.equal("This machine has no GPIO chip.");
    const taken = chip("gpiochip0", [["GPIO0", "other"]]);
    expect(thrown(() => resolveLine("X", [taken])).hint).to.contain("Every line is in use");
  });

  it("is read a few times, however many lines are wired: boxes have a thousand", async () => {
    const names = Array.from({ length: 1_000 }, (_, index) => `box/${index}`);
    let reads = 0;
    const lines = names.map((name, offset) => ({
      chip: "box",
      offset,
      holder: null,
      get name() {
        reads += 1;
        return name;
      },
    }));
    const chips = [{ name: "box", label: "relay box", lines }];
    const wirings = names.map((name) => wiring(name));
    const unknown = wirings.map(({ line }) => wiring(`gone ${line}`));
    const [chip] = surveyChips(chips, [...wirings, ...unknown], () => ({
      watched: true,
      level: true,
      problem: null,
    }));
    expect(chip?.lines.filter((line) => line.watched)).to.have.length(names.length);
    expect(await namesToWire({ detect: async () => chips }, wirings, names)).to.deep.equal(names);
    expect(await namesToWire({ detect: async () => chips }, [], names)).to.deep.equal(names);
    expect(reads).to.be.below(20 * names.length);
  });
});
