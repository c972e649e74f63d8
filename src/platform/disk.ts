import { access, readFile, realpath, stat, statfs } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { systemCode } from "../domain/error.ts";
import type { CardWear, Disk, SpareBlocks } from "../domain/status.ts";

/** Where the kernel shows its block devices, by number (sysfs(5)). */
const BLOCK_DEVICES = "/sys/dev/block";
/** Values of PRE_EOL_INFO, from 1; 0 is "not defined". */
const SPARE_BLOCKS: readonly SpareBlocks[] = ["normal", "warning", "urgent"];
/** Each step of DEVICE_LIFE_TIME_EST is so much of the chip's life; 0 is "not defined", 0x0b is beyond it. */
const LIFE_STEP_PERCENT = 10;
const LAST_LIFE_VALUE = 0x0b;

/**
 * The wear that the card or chip of a directory reports. Null for other disks, and
 * for a card that reports none, as most SD cards. `devices` is replaced in tests.
 */
export async function readCardWear(directory: string, devices = BLOCK_DEVICES): Promise<CardWear | null> {
  const disk = await diskOf(join(devices, await deviceNumber(directory)));
  if (disk === undefined) return null;
  const [life, eol] = await Promise.all(
    ["life_time", "pre_eol_info"].map((name) => readWords(join(disk, "device", name))),
  );
  const used = Math.max(0, ...(life ?? []).filter((value) => value <= LAST_LIFE_VALUE));
  const lifeUsedPercent = used === 0 ? null : used * LIFE_STEP_PERCENT;
  const spareBlocks = SPARE_BLOCKS[(eol?.[0] ?? 0) - 1] ?? null;
  if (lifeUsedPercent === null && spareBlocks === null) return null;
  return { device: basename(disk), lifeUsedPercent, spareBlocks };
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
