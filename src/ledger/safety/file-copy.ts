import { createHash } from "node:crypto";
import { closeSync, fstatSync, fsyncSync, openSync, readSync, rmSync, statfsSync, writeSync } from "node:fs";
import { SECOND_MS } from "../../domain/clock.ts";
import { FlancoError } from "../../domain/error.ts";
import { OWNER_ONLY } from "../../platform/durable-file.ts";
import type { OnSteps } from "../../platform/work.ts";

const CHUNK_BYTES = 1024 * 1024;

/**
 * Copies a file, makes the copy durable, and gives the SHA-256
 * of what was copied, hexadecimal. Progress is in bytes.
 * @param from a path, or a descriptor at the file's begin, which stays open
 */
export function copyDurably(from: string | number, to: string, onProgress: OnSteps = () => {}): string {
  const target = openSync(to, "w", OWNER_ONLY);
  try {
    const sha256 = readThrough(
      from,
      (chunk) => {
        for (let written = 0; written < chunk.length; ) written += writeSync(target, chunk, written);
      },
      onProgress,
    );
    fsyncSync(target);
    return sha256;
  } finally {
    closeSync(target);
  }
}

/** SHA-256 of a file, hexadecimal. */
export function hashFile(file: string): string {
  return readThrough(file, () => {});
}

function readThrough(
  file: string | number,
  take: (chunk: Buffer) => void,
  onProgress: OnSteps = () => {},
): string {
  const source = typeof file === "number" ? file : openSync(file, "r");
  try {
    const hash = createHash("sha256");
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
    const { size } = fstatSync(source);
    let done = 0;
    for (let length = readSync(source, buffer); length > 0; length = readSync(source, buffer)) {
      const chunk = buffer.subarray(0, length);
      hash.update(chunk);
      take(chunk);
      done += length;
      onProgress(done, size);
    }
    return hash.digest("hex");
  } finally {
    if (source !== file) closeSync(source);
  }
}

/** Removes a database file and all that SQLite may have left beside it. */
export function removeDatabase(file: string): void {
  for (const suffix of ["", "-wal", "-shm", "-journal"]) rmSync(file + suffix, { force: true });
}

const MEBIBYTE = 1024 * 1024;

/** Bytes free on the disk of a directory. */
export function freeBytesOf(directory: string): number {
  const { blocks, bavail, bsize } = statfsSync(directory);
  // A file system in memory alone (ramfs) counts nothing.
  return blocks === 0 ? Number.POSITIVE_INFINITY : bavail * bsize;
}

/**
 * Call before a long copy. Throws `unavailable` where the disk of a directory has fewer bytes
 * free; the text says how many to free. `purpose` completes the sentence "There is no room to".
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

/** A moment as it stands in names, `20261121T120000Z`: the next second whose name is free. */
export function freeStamp(timeMs: number, isFree: (stamp: string) => boolean): string {
  const stamp = new Date(timeMs).toISOString().replace(/\.\d+/, "").replaceAll(/[-:]/g, "");
  return isFree(stamp) ? stamp : freeStamp(timeMs + SECOND_MS, isFree);
}
