import { statfsSync } from "node:fs";
import { FlancoError } from "../domain/error.ts";

const MEBIBYTE = 1024 * 1024;

/** Bytes free on the disk of a directory. */
export function freeBytesOf(directory: string): number {
  const { blocks, bavail, bsize } = statfsSync(directory);
  // A file system in memory alone (ramfs) counts nothing.
  return blocks === 0 ? Number.POSITIVE_INFINITY : bavail * bsize;
}

/**
 * Look before a long copy. Throws `unavailable` where the disk of a directory has not so many bytes free; the text says how
 * many to free. `purpose` ends "There is no room to".
 */
export function requireRoom(
  directory: string,
  neededBytes: number,
  purpose: string,
  freeBytes = freeBytesOf(directory),
): void {
  if (freeBytes >= neededBytes) return;
  const [needed, free, missing] = [neededBytes, freeBytes, neededBytes - freeBytes].map(
    (bytes) => `${Math.ceil(bytes / MEBIBYTE)} MiB`,
  );
  throw new FlancoError(
    "unavailable",
    `There is no room to ${purpose}: it takes ${needed}, and the disk of ${directory} has ${free}.`,
    { hint: `Free ${missing} there.` },
  );
}
