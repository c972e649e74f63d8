import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

const OWNER_ONLY_FILE = 0o600;

/**
 * Puts a file in its place whole, readable by its owner alone: whoever reads it, and whatever crashes when, finds the
 * old one or the new one. It is on the disk when this returns.
 */
export function writeWhole(file: string, text: string): void {
  const draft = `${file}.new`;
  // One that a crash has left may be half, or open to others.
  rmSync(draft, { force: true });
  writeFileSync(draft, text, { mode: OWNER_ONLY_FILE, flag: "wx", flush: true });
  renameSync(draft, file);
  syncDirectory(dirname(file));
}

/** A new name in a directory is only on the disk once the directory is. */
function syncDirectory(directory: string): void {
  const descriptor = openSync(directory, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
