import { existsSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { ChipInfo } from "../domain/line.ts";

/** A chip as /sys/class/gpio shows it: its lines' global numbers run from `base`. */
interface SysfsChip {
  readonly base: number;
  readonly label: string;
  readonly lineCount: number;
  /** The real path of the device that it hangs from. */
  readonly device: string;
}

/** A chip and the global number of its line 0. */
export interface NumberedChip {
  readonly chip: ChipInfo;
  readonly base: number;
}

/**
 * The chips of sysfs (`<sysfs>/class/gpio/gpiochip*`) under the names that the character devices have
 * (`<sysfs>/bus/gpio/devices/gpiochip*`), matched by device and label. `known` are the character devices'
 * chips, where they can be read: they bring line names and holders. A chip that has no character device
 * goes by its sysfs name. In order of base.
 */
export function numberedChips(sysfs: string, known: readonly ChipInfo[]): NumberedChip[] {
  const devices = charDevices(sysfs);
  return sysfsChips(sysfs)
    .map(({ base, label, lineCount, device }) => {
      const candidates = devices.filter((one) => one.parent === device || one.path === device);
      const named = known.find(
        (chip) => chip.label === label && candidates.some((one) => one.name === chip.name),
      );
      // Without the character device's label, only a chip that is alone on its device can be named.
      const [only, ...others] = candidates;
      const name = only !== undefined && others.length === 0 ? only.name : `gpiochip${base}`;
      return { base, chip: named ?? namelessChip(name, label, basename(device), lineCount) };
    })
    .sort((a, b) => a.base - b.base);
}

function namelessChip(name: string, label: string, place: string, lineCount: number): ChipInfo {
  const lines = Array.from({ length: lineCount }, (_, offset) => ({
    chip: name,
    offset,
    name: null,
    holder: null,
  }));
  return { name, label, place, lines };
}

function sysfsChips(sysfs: string): SysfsChip[] {
  const folder = join(sysfs, "class", "gpio");
  return chipEntries(folder).map((entry) => {
    const path = join(folder, entry);
    return {
      base: Number(readText(join(path, "base"))),
      label: readText(join(path, "label")),
      lineCount: Number(readText(join(path, "ngpio"))),
      device: realpathSync(join(path, "device")),
    };
  });
}

interface CharDevice {
  readonly name: string;
  readonly path: string;
  readonly parent: string;
}

function charDevices(sysfs: string): CharDevice[] {
  const folder = join(sysfs, "bus", "gpio", "devices");
  return chipEntries(folder).map((entry) => {
    const path = realpathSync(join(folder, entry));
    return { name: basename(path), path, parent: dirname(path) };
  });
}

function chipEntries(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder).filter((entry) => /^gpiochip\d+$/.test(entry));
}

function readText(path: string): string {
  return readFileSync(path, "utf8").trim();
}
