import { mkdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { readCardWear } from "../../src/platform/machine.ts";
import { TemporaryDirectory } from "../rig/temporary-directory.ts";

/** A directory laid out as the kernel lays out /sys/dev/block, for the device that the directory itself lies on. */
class Devices extends TemporaryDirectory {
  readonly disk: string;

  constructor(
    files: Readonly<Record<string, string>>,
    partition: string | null = "mmcblk0p2",
    disk = "mmcblk0",
  ) {
    super();
    this.disk = this.file(disk);
    mkdirSync(join(this.disk, "device"), { recursive: true });
    for (const [name, text] of Object.entries(files)) writeFileSync(join(this.disk, "device", name), text);
    const place = partition === null ? this.disk : join(this.disk, partition);
    if (partition !== null) {
      mkdirSync(place);
      writeFileSync(join(place, "partition"), "2\n");
    }
    symlinkSync(place, this.file(this.number()));
  }

  /** The kernel's number of the device, by Linux's own layout of 32 bits: 12 of major, 20 of minor. */
  number(): string {
    const { dev } = statSync(this.path);
    return `${(dev >> 8) & 0xfff}:${(dev & 0xff) | ((dev >> 12) & 0xfff00)}`;
  }

  read() {
    return readCardWear(this.path, this.path, this.path);
  }
}

describe("The wear of a card", () => {
  for (const [what, files, wear] of [
    [
      "the worse of its two kinds of memory",
      { life_time: "0x01 0x03\n", pre_eol_info: "0x01\n" },
      { device: "mmcblk0", lifeUsedPercent: 30, spareBlocks: "normal" },
    ],
    [
      "that it is beyond its life, and that its spare blocks have run out",
      { life_time: "0x0b 0x02\n", pre_eol_info: "0x03\n" },
      { device: "mmcblk0", lifeUsedPercent: 110, spareBlocks: "urgent" },
    ],
    [
      "its spare blocks alone, where its life is not defined",
      { life_time: "0x00 0x00\n", pre_eol_info: "0x02\n" },
      { device: "mmcblk0", lifeUsedPercent: null, spareBlocks: "warning" },
    ],
    ["nothing, where it does not tell", { life_time: "0x00 0x00\n", pre_eol_info: "0x00\n" }, null],
    ["nothing, where the kernel shows nothing", {}, null],
    ["null, where the kernel shows unknown values", { life_time: "soon\n", pre_eol_info: "0xff\n" }, null],
  ] as const) {
    it(`is told as the kernel has it: ${what}`, async () => {
      const devices = new Devices(files);
      try {
        expect(await devices.read()).to.deep.equal(wear);
      } finally {
        devices.remove();
      }
    });
  }

  for (const [what, report, wear] of [
    [
      "of any kind, by a smartctl from 7.4 on",
      { endurance_used: { current_percent: 37 }, smart_status: { passed: true } },
      { device: "sda", lifeUsedPercent: 37, spareBlocks: "normal" },
    ],
    [
      "of NVMe, by an older one",
      { nvme_smart_health_information_log: { percentage_used: 101, available_spare: 3 } },
      { device: "sda", lifeUsedPercent: 101, spareBlocks: null },
    ],
    [
      "that is failing",
      { smart_status: { passed: false } },
      { device: "sda", lifeUsedPercent: null, spareBlocks: "urgent" },
    ],
    ["that smartctl cannot ask", { smartctl: { exit_status: 2 } }, null],
  ] as const) {
    it(`is told as smartctl has it: of a disk ${what}`, async () => {
      const devices = new Devices({}, "sda2", "sda");
      try {
        writeFileSync(devices.file("sda.json"), JSON.stringify(report));
        expect(await devices.read()).to.deep.equal(wear);
        writeFileSync(devices.file("sda.json"), "{");
        expect(await devices.read()).to.equal(null);
      } finally {
        devices.remove();
      }
    });
  }

  it("is found for a file system on the whole card too", async () => {
    const devices = new Devices({ life_time: "0x05 0x05\n" }, null);
    try {
      expect((await devices.read())?.lifeUsedPercent).to.equal(50);
    } finally {
      devices.remove();
    }
  });

  it("is unknown for a file system without a device of its own", async () => {
    expect(await readCardWear("/proc")).to.equal(null);
  });
});
