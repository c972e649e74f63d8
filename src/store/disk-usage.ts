import { stat, statfs } from "node:fs/promises";
import { dirname } from "node:path";
import type { Disk } from "../domain/disk.ts";
import { readCardWear } from "./card-wear.ts";

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
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return 0;
    throw error;
  }
}
