import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, resolve } from "node:path";

/** The mode of a file that its owner alone may read. */
export const OWNER_ONLY = 0o600;
/** The mode of a directory that its owner alone may enter. */
export const OWNER_ONLY_DIRECTORY = 0o700;

/**
 * Replaces a file, readable by its owner alone. A reader finds the old content or the new one, and so
 * does the next process after a crash or a power cut. The new content is on the disk when this returns.
 */
export function writeDurably(file: string, content: string | Uint8Array): void {
  const draft = `${file}.new`;
  // Removed first, because an existing draft would keep its own mode.
  rmSync(draft, { force: true });
  writeFileSync(draft, content, { mode: OWNER_ONLY, flag: "wx", flush: true });
  renameSync(draft, file);
  syncPath(dirname(file));
}

/**
 * Makes a directory, and those above it, durably and for the owner alone.
 * An existing directory stays as it is. `sync` is replaced in tests.
 *
 * Node's own way to make those above never ends where a file system refuses
 * every new name as one that is missing: /proc, and an automounter's directory.
 */
export function makeDirectory(directory: string, sync = syncPath): void {
  const path = resolve(directory);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
  const above = dirname(path);
  makeDirectory(above, sync);
  try {
    mkdirSync(path, OWNER_ONLY_DIRECTORY);
  } catch (error) {
    // Another process has made it meanwhile.
    if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
  sync(above);
}

/** Makes a file's content, or a directory's names, durable. */
export function syncPath(path: string): void {
  const descriptor = openSync(path, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
