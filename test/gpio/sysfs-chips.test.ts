import { expect } from "chai";
import type { ChipInfo } from "../../src/domain/line.ts";
import { numberedChips } from "../../src/gpio/sysfs.ts";
import { SysfsFolder, type SysfsFolderChip } from "./sysfs-folder.ts";

const BANK: SysfsFolderChip = {
  device: "platform/soc/fe200000.gpio",
  charDevice: "gpiochip0",
  base: 512,
  label: "pinctrl-bcm2711",
  lineCount: 3,
};
const EXPANDER: SysfsFolderChip = {
  device: "platform/soc/firmware",
  charDevice: "gpiochip1",
  base: 570,
  label: "raspberrypi-exp-gpio",
  lineCount: 1,
};

function known(name: string, label: string, lineNames: readonly string[]): ChipInfo {
  return {
    name,
    label,
    lines: lineNames.map((lineName, offset) => ({ chip: name, offset, name: lineName, holder: null })),
  };
}

describe("The numbers that sysfs gives to lines", () => {
  let folder: SysfsFolder | null = null;

  function lay(chips: readonly SysfsFolderChip[]): string {
    folder = new SysfsFolder(chips);
    return folder.path;
  }

  afterEach(() => {
    folder?.remove();
    folder = null;
  });

  it("start at the chip's base, with the character device's names", () => {
    const chips = [known("gpiochip0", "pinctrl-bcm2711", ["ID_SDA", "ID_SCL", "GPIO2"])];
    expect(numberedChips(lay([EXPANDER, BANK]), chips)).to.deep.equal([
      { base: 512, chip: chips[0] },
      {
        base: 570,
        chip: {
          name: "gpiochip1",
          label: "raspberrypi-exp-gpio",
          place: "firmware",
          lines: [{ chip: "gpiochip1", offset: 0, name: null, holder: null }],
        },
      },
    ]);
  });

  it("are distinguished by label where one device has two chips", () => {
    const twins = ["left", "right"].map((label, index) => ({
      ...BANK,
      label,
      charDevice: `gpiochip${index}`,
      base: 512 + 3 * (1 - index),
    }));
    const chips = [
      known("gpiochip0", "left", ["L0", "L1", "L2"]),
      known("gpiochip1", "right", ["R0", "R1", "R2"]),
    ];
    const path = lay(twins);
    expect(
      numberedChips(path, chips).map(({ base, chip }) => [base, chip.name, chip.lines[0]?.name]),
    ).to.deep.equal([
      [512, "gpiochip1", "R0"],
      [515, "gpiochip0", "L0"],
    ]);
    expect(numberedChips(path, []).map(({ chip }) => chip.name)).to.deep.equal([
      "gpiochip512",
      "gpiochip515",
    ]);
  });

  it("do not confuse chips of the same label on two devices", () => {
    const path = lay([BANK, { ...EXPANDER, label: BANK.label }]);
    const chips = [known("gpiochip0", BANK.label, ["A", "B", "C"])];
    expect(
      numberedChips(path, chips).map(({ base, chip }) => [base, chip.name, chip.lines[0]?.name]),
    ).to.deep.equal([
      [512, "gpiochip0", "A"],
      [570, "gpiochip1", null],
    ]);
  });

  it("have sysfs's own chip name on a kernel without character devices", () => {
    const [only] = numberedChips(lay([{ ...BANK, charDevice: null }]), []);
    expect(only?.chip.name).to.equal("gpiochip512");
    expect(only?.chip.lines.map((line) => line.chip)).to.deep.equal([
      "gpiochip512",
      "gpiochip512",
      "gpiochip512",
    ]);
  });

  it("do not exist where the kernel has no GPIO sysfs", () => {
    expect(numberedChips("/nonexistent", [])).to.deep.equal([]);
  });
});
