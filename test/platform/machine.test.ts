import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { expect } from "chai";
import { UNKNOWN_MACHINE } from "../../src/domain/status.ts";
import { deviceNumber, readMachine } from "../../src/platform/machine.ts";
import { forEachTest } from "../rig/standing.ts";
import { TemporaryDirectory } from "../rig/temporary-directory.ts";

describe("The sensors of the machine", () => {
  const root = forEachTest(() => new TemporaryDirectory());

  function put(file: string, text: string): void {
    mkdirSync(root.file(dirname(file)), { recursive: true });
    writeFileSync(root.file(file), text);
  }

  it("are unknown where the kernel shows none", async () => {
    expect(await readMachine(root.path, root.path)).to.deep.equal(UNKNOWN_MACHINE);
  });

  it("include the voltage alarm of a Raspberry Pi, also among other sensors", async () => {
    put("sys/class/hwmon/hwmon0/name", "cpu_thermal\n");
    put("sys/class/hwmon/hwmon1/name", "rpi_volt\n");
    for (const [alarm, isVoltageLow] of [
      ["0\n", false],
      ["1\n", true],
    ] as const) {
      put("sys/class/hwmon/hwmon1/in0_lcrit_alarm", alarm);
      expect(await readMachine(root.path, root.path)).to.include({ isVoltageLow });
    }
  });

  it("include the hottest temperature, without sensors that have no reading", async () => {
    put("sys/class/thermal/thermal_zone0/temp", "48312\n");
    put("sys/class/thermal/thermal_zone1/temp", "61500\n");
    put("sys/class/thermal/thermal_zone2/temp", "\n");
    expect(await readMachine(root.path, root.path)).to.include({ temperature: 62 });
  });

  it("include the memory that is available to programs", async () => {
    put("proc/meminfo", "MemTotal:         100 kB\nMemFree:           10 kB\nMemAvailable:     40 kB\n");
    const { memory } = await readMachine(root.path, root.path);
    expect(memory).to.deep.equal({ availableBytes: 40 * 1_024, totalBytes: 100 * 1_024 });
  });

  it("include the errors of the directory's file system", async () => {
    const number = await deviceNumber(root.path);
    put("sys/devices/mmcblk0p2/size", "1");
    mkdirSync(root.file("sys/dev/block"), { recursive: true });
    symlinkSync(root.file("sys/devices/mmcblk0p2"), root.file("sys/dev/block", number));
    put("sys/fs/ext4/mmcblk0p2/errors_count", "3\n");
    expect(await readMachine(root.path, root.path)).to.include({ fileSystemErrors: 3 });
  });
});
