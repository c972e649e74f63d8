import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { TemporaryDirectory } from "../rig/temporary-directory.ts";

export interface SysfsFolderChip {
  /** The device that the chip hangs from, below `devices`: `platform/soc/fe200000.gpio`. */
  readonly device: string;
  /** The character device's name; null for a kernel that has none. */
  readonly charDevice: string | null;
  readonly base: number;
  readonly label: string;
  readonly lineCount: number;
}

/** A folder laid out as the kernel lays out its GPIO part of sysfs. The caller removes it. */
export class SysfsFolder extends TemporaryDirectory {
  constructor(chips: readonly SysfsFolderChip[]) {
    super();
    const classFolder = join(this.path, "class", "gpio");
    const busFolder = join(this.path, "bus", "gpio", "devices");
    mkdirSync(classFolder, { recursive: true });
    mkdirSync(busFolder, { recursive: true });
    for (const { device, charDevice, base, label, lineCount } of chips) {
      const parent = join(this.path, "devices", device);
      const numbered = join(parent, "gpio", `gpiochip${base}`);
      mkdirSync(numbered, { recursive: true });
      writeFileSync(join(numbered, "base"), `${base}\n`);
      writeFileSync(join(numbered, "label"), `${label}\n`);
      writeFileSync(join(numbered, "ngpio"), `${lineCount}\n`);
      symlinkSync(parent, join(numbered, "device"));
      symlinkSync(numbered, join(classFolder, `gpiochip${base}`));
      if (charDevice === null) continue;
      mkdirSync(join(parent, charDevice));
      symlinkSync(join(parent, charDevice), join(busFolder, charDevice));
    }
  }
}
