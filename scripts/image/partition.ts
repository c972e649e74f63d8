import { hash } from "node:crypto";
import { closeSync, ftruncateSync, openSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { runCommand } from "../command.ts";

export const MIB = 1024 * 1024;
/** The table's number, by which packaging/card/etc/fstab names its partitions: "flan". */
const DISK_ID = "0x666c616e";
const SECTOR_BYTES = 512;
/** Cards erase in pieces of this size: no partition shares one with another. */
const ALIGNMENT_MIB = 4;
const BOOT_MIB = 320;
/** Room of the root for upgrades: a second kernel beside the first, and larger libraries. */
const ROOT_ROOM_MIB = 384;
const ROOT_GROWTH = 1.15;
/** Room of the data partition until it has grown. */
const DATA_ROOM_MIB = 96;
const JOURNAL_MIB = 32;

/** One partition, made in a file of its own. */
export interface Partition {
  readonly file: string;
  readonly mebibytes: number;
  /** Its type in the table. */
  readonly type: string;
}

/** Makes the firmware's partition: FAT, with all that is in `folder`. */
export function makeBoot(file: string, folder: string, identity: string): Partition {
  allocate(file, BOOT_MIB);
  const volume = hash("sha256", identity).slice(0, 8);
  runCommand(["mkfs.vfat", "-F", "32", "-n", "FLANCO", "-i", volume, "--invariant", file]);
  const entries = readdirSync(folder).map((name) => join(folder, name));
  runCommand(["mcopy", "-i", file, "-s", "-m", "-Q", ...entries, "::"], {
    environment: { MTOOLS_SKIP_CHECK: "1" },
  });
  return { file, mebibytes: BOOT_MIB, type: "c" };
}

export interface Ext4Options {
  readonly label: string;
  readonly epochSeconds: number;
}

/** Makes the root's file system, with all that is in `tree` and room for upgrades. */
export function makeRoot(file: string, tree: string, options: Ext4Options): Partition {
  return makeExt4(file, tree, Math.ceil(sizeMib(tree) * ROOT_GROWTH) + ROOT_ROOM_MIB, options);
}

/** Makes the data's file system, no larger than it must be: it grows to the card's end. */
export function makeData(file: string, tree: string, options: Ext4Options): Partition {
  return makeExt4(file, tree, Math.ceil(sizeMib(tree) * ROOT_GROWTH) + JOURNAL_MIB + DATA_ROOM_MIB, options);
}

/** Puts partitions one behind the other into one image, with a table that every Pi's firmware reads. */
export function joinPartitions(target: string, partitions: readonly Partition[]): void {
  let startMib = ALIGNMENT_MIB;
  const rows: string[] = [];
  const starts: number[] = [];
  for (const { mebibytes, type } of partitions) {
    const sectors = (mebibytes * MIB) / SECTOR_BYTES;
    rows.push(`start=${(startMib * MIB) / SECTOR_BYTES}, size=${sectors}, type=${type}`);
    starts.push(startMib);
    startMib += mebibytes;
  }
  allocate(target, startMib);
  const table = ["label: dos", `label-id: ${DISK_ID}`, "unit: sectors", "", ...rows, ""].join("\n");
  runCommand(["sfdisk", "--quiet", target], { input: table });
  partitions.forEach(({ file }, index) => {
    const seek = `seek=${starts[index]}`;
    runCommand(["dd", `if=${file}`, `of=${target}`, "bs=1M", seek, "conv=notrunc,sparse", "status=none"]);
  });
}

function makeExt4(file: string, tree: string, mebibytes: number, options: Ext4Options): Partition {
  const rounded = Math.ceil(mebibytes / ALIGNMENT_MIB) * ALIGNMENT_MIB;
  allocate(file, rounded);
  const uuid = uuidOf(options.label, options.epochSeconds);
  runCommand(
    [
      ...["mke2fs", "-q", "-F", "-t", "ext4", "-b", "4096", "-i", "16384", "-I", "256", "-m", "1"],
      ...["-L", options.label, "-U", uuid, "-J", `size=${JOURNAL_MIB}`],
      ...["-E", `hash_seed=${uuid},lazy_itable_init=0,lazy_journal_init=0,nodiscard`],
      ...["-d", tree, file],
    ],
    { environment: { E2FSPROGS_FAKE_TIME: String(options.epochSeconds) } },
  );
  return { file, mebibytes: rounded, type: "83" };
}

function uuidOf(...parts: readonly (string | number)[]): string {
  const digits = hash("sha256", parts.join("\n"));
  const at = (from: number, to: number) => digits.slice(from, to);
  return `${at(0, 8)}-${at(8, 12)}-4${at(13, 16)}-8${at(17, 20)}-${at(20, 32)}`;
}

function sizeMib(tree: string): number {
  return Number(runCommand(["du", "--summarize", "--block-size=1M", tree]).split("\t")[0]);
}

/** An empty file of that size that takes no room yet. */
function allocate(file: string, mebibytes: number): void {
  rmSync(file, { force: true });
  const descriptor = openSync(file, "w");
  ftruncateSync(descriptor, mebibytes * MIB);
  closeSync(descriptor);
}
