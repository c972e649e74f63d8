import { readFileSync } from "node:fs";
import { access, readdir, readFile, realpath, stat, statfs } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { z } from "zod";
import type { Clock, Timers } from "../domain/clock.ts";
import { systemCode } from "../domain/error.ts";
import type { CardWear, Disk, Machine, Memory, SpareBlocks } from "../domain/status.ts";
import { parseJson } from "../domain/text.ts";

/** The kernel's driver of a Raspberry Pi's voltage sensor (raspberrypi-hwmon). */
const PI_VOLTAGE = "rpi_volt";
const MILLIDEGREES = 1_000;
const BYTES_PER_KIB = 1_024;

/** The machine's own clocks. `process.hrtime` is CLOCK_MONOTONIC on Linux, as the kernel stamps edges. */
export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicNs: () => process.hrtime.bigint(),
};

/** The timers of the process. A pending one keeps the process alive. */
export const systemTimers: Timers = {
  after(delayMs, callback) {
    const timer = setTimeout(callback, delayMs);
    return () => clearTimeout(timer);
  },
};

/** The kernel's id of this boot. */
export function readBootId(): string {
  return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
}

/** Reads the sensors of the machine, and of the disk that `directory` lies on, without what others measure. `root` stands for `/` in tests. */
export async function readMachine(directory: string, root = "/"): Promise<Machine> {
  const [isVoltageLow, temperature, memory, fileSystemErrors] = await Promise.all([
    readVoltageAlarm(join(root, "sys/class/hwmon")),
    readTemperature(join(root, "sys/class/thermal")),
    readMemory(join(root, "proc/meminfo")),
    readFileSystemErrors(directory, join(root, "sys")),
  ]);
  return { isVoltageLow, temperature, memory, fileSystemErrors, announcedName: null, syncMs: null };
}

async function readVoltageAlarm(folder: string): Promise<boolean | null> {
  for (const sensor of await entries(folder)) {
    if ((await readText(join(folder, sensor, "name"))) !== PI_VOLTAGE) continue;
    const alarm = await readNumber(join(folder, sensor, "in0_lcrit_alarm"));
    return alarm === null ? null : alarm !== 0;
  }
  return null;
}

async function readTemperature(folder: string): Promise<number | null> {
  const zones = (await entries(folder)).filter((name) => name.startsWith("thermal_zone"));
  const read = await Promise.all(zones.map((zone) => readNumber(join(folder, zone, "temp"))));
  const known = read.filter((value) => value !== null);
  return known.length === 0 ? null : Math.round(Math.max(...known) / MILLIDEGREES);
}

async function readMemory(file: string): Promise<Memory | null> {
  const text = (await readText(file)) ?? "";
  const [available, total] = ["MemAvailable", "MemTotal"].map(
    (name) => new RegExp(`^${name}: +(\\d+) kB$`, "m").exec(text)?.[1],
  );
  if (available === undefined || total === undefined) return null;
  return { availableBytes: Number(available) * BYTES_PER_KIB, totalBytes: Number(total) * BYTES_PER_KIB };
}

async function readFileSystemErrors(directory: string, sys: string): Promise<number | null> {
  try {
    const device = await realpath(join(sys, "dev/block", await deviceNumber(directory)));
    return await readNumber(join(sys, "fs/ext4", basename(device), "errors_count"));
  } catch {
    // A file system without a block device of its own.
    return null;
  }
}

async function entries(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => []);
}

async function readNumber(file: string): Promise<number | null> {
  const text = await readText(file);
  return text !== null && /^-?\d+$/.test(text) ? Number(text) : null;
}

/** Null where the sensor is missing, or gives an error because it has no reading. */
async function readText(file: string): Promise<string | null> {
  return readFile(file, "utf8").then(
    (text) => text.trim(),
    () => null,
  );
}

/** Where the kernel shows its block devices, by number (sysfs(5)). */
const BLOCK_DEVICES = "/sys/dev/block";
/** Values of PRE_EOL_INFO, from 1; 0 is "not defined". */
const SPARE_BLOCKS: readonly SpareBlocks[] = ["normal", "warning", "urgent"];
/** Each step of DEVICE_LIFE_TIME_EST is so much of the chip's life; 0 is "not defined", 0x0b is beyond it. */
const LIFE_STEP_PERCENT = 10;
const LAST_LIFE_VALUE = 0x0b;

/** Where `flanco-disk-wear.service` leaves what smartctl says of a disk. */
const SMART_REPORTS = "/run/flanco-disk-wear";
/** Of smartctl's own output (`--json`), from version 7.4 on the first for all kinds of disks; the second is NVMe's. */
const SMART_REPORT = z.object({
  endurance_used: z.object({ current_percent: z.int() }).optional(),
  nvme_smart_health_information_log: z.object({ percentage_used: z.int() }).optional(),
  smart_status: z.object({ passed: z.boolean() }).optional(),
});

/**
 * The wear that the card, chip or disk of a directory reports. Null for one that
 * reports none, as most SD cards. `devices` and `reports` are replaced in tests.
 */
export async function readCardWear(
  directory: string,
  devices = BLOCK_DEVICES,
  reports = SMART_REPORTS,
): Promise<CardWear | null> {
  const disk = await diskOf(join(devices, await deviceNumber(directory)));
  if (disk === undefined) return null;
  return (await wearByKernel(disk)) ?? (await wearBySmart(basename(disk), reports));
}

async function wearByKernel(disk: string): Promise<CardWear | null> {
  const [life, eol] = await Promise.all(
    ["life_time", "pre_eol_info"].map((name) => readWords(join(disk, "device", name))),
  );
  const used = Math.max(0, ...(life ?? []).filter((value) => value <= LAST_LIFE_VALUE));
  const lifeUsedPercent = used === 0 ? null : used * LIFE_STEP_PERCENT;
  const spareBlocks = SPARE_BLOCKS[(eol?.[0] ?? 0) - 1] ?? null;
  if (lifeUsedPercent === null && spareBlocks === null) return null;
  return { device: basename(disk), lifeUsedPercent, spareBlocks };
}

/** A disk that judges itself to be failing has no spare blocks to rely on. */
async function wearBySmart(device: string, reports: string): Promise<CardWear | null> {
  // None was written yet, or smartctl has another form.
  const report = parseJson(SMART_REPORT, (await readText(join(reports, `${device}.json`))) ?? "");
  const lifeUsedPercent =
    report?.endurance_used?.current_percent ??
    report?.nvme_smart_health_information_log?.percentage_used ??
    null;
  const passed = report?.smart_status?.passed;
  if (lifeUsedPercent === null && passed === undefined) return null;
  return { device, lifeUsedPercent, spareBlocks: passed === undefined ? null : passed ? "normal" : "urgent" };
}

/** The directory of a partition's whole disk, in which the partition's own directory lies. */
async function diskOf(link: string): Promise<string | undefined> {
  try {
    const place = await realpath(link);
    return await access(join(place, "partition")).then(
      () => dirname(place),
      () => place,
    );
  } catch {
    // A file system without a block device of its own: in memory, or spread over several.
    return undefined;
  }
}

/** The block device that a directory lies on, as the kernel names it: 179:2. */
export async function deviceNumber(directory: string): Promise<string> {
  const { dev } = await stat(directory, { bigint: true });
  // Both numbers are split over the value (makedev(3)).
  const major = ((dev >> 8n) & 0xfffn) | ((dev >> 32n) & ~0xfffn);
  const minor = (dev & 0xffn) | ((dev >> 12n) & ~0xffn & 0xffff_ffffn);
  return `${major}:${minor}`;
}

/** Hexadecimal words of a file ("0x01 0x02"); none where it is not there. */
async function readWords(file: string): Promise<number[]> {
  try {
    const words = (await readFile(file, "latin1")).trim().split(/\s+/);
    return words.filter((word) => /^0x[0-9a-f]{1,2}$/i.test(word)).map(Number);
  } catch {
    // Only an eMMC has it.
    return [];
  }
}

/** Looks at the disk of a ledger, off the loop. Rejects with what the file system says. */
export async function readDisk(ledger: string): Promise<Disk> {
  const directory = dirname(ledger);
  const [{ bavail, blocks, bsize }, ledgerBytes, logBytes, card] = await Promise.all([
    statfs(directory),
    sizeOf(ledger),
    sizeOf(`${ledger}-wal`),
    readCardWear(directory),
  ]);
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize, ledgerBytes, logBytes, card };
}

/** 0 where there is no such file: a log goes when its ledger is closed. */
async function sizeOf(file: string): Promise<number> {
  try {
    return (await stat(file)).size;
  } catch (error) {
    if (systemCode(error) === "ENOENT") return 0;
    throw error;
  }
}
