import { existsSync, readFileSync } from "node:fs";
import { readdir, readFile, realpath } from "node:fs/promises";
import { hostname } from "node:os";
import { basename, join } from "node:path";
import type { Clock, Timers } from "../domain/clock.ts";
import type { Machine, Memory } from "../domain/status.ts";
import { deviceNumber } from "./disk.ts";

/** The kernel's driver of a Raspberry Pi's voltage sensor (raspberrypi-hwmon). */
const PI_VOLTAGE = "rpi_volt";
/** Where the mDNS service listens; Debian's package avahi-daemon makes it. */
const AVAHI_SOCKET = "run/avahi-daemon/socket";
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

/** Reads the sensors of the machine, and of the disk that `directory` lies on. `root` stands for `/` in tests. */
export async function readMachine(directory: string, root = "/"): Promise<Machine> {
  const [isVoltageLow, temperature, memory, fileSystemErrors] = await Promise.all([
    readVoltageAlarm(join(root, "sys/class/hwmon")),
    readTemperature(join(root, "sys/class/thermal")),
    readMemory(join(root, "proc/meminfo")),
    readFileSystemErrors(directory, join(root, "sys")),
  ]);
  const announcedName = existsSync(join(root, AVAHI_SOCKET)) ? `${hostname()}.local` : null;
  return { isVoltageLow, temperature, memory, fileSystemErrors, announcedName, syncMs: null };
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
