import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { open, rename } from "node:fs/promises";
import { dirname } from "node:path";

const OWNER_ONLY = 0o600;

/**
 * Replaces a file, readable by its owner alone. A reader finds the old content or the new one, and so does the next
 * process after a crash or a power cut. The new content is on the disk when this returns.
 */
export function writeDurably(file: string, content: string | Uint8Array): void {
  const draft = draftOf(file);
  // A draft that a crash has left would keep its own mode.
  rmSync(draft, { force: true });
  writeFileSync(draft, content, { mode: OWNER_ONLY, flag: "wx", flush: true });
  renameSync(draft, file);
  syncPath(dirname(file));
}

/** As `writeDurably`, off the event loop. One call at a time for each file. */
export async function writeDurablyInBackground(file: string, content: string): Promise<void> {
  const draft = draftOf(file);
  const target = await open(draft, "w", OWNER_ONLY);
  try {
    await target.writeFile(content);
    await target.sync();
  } finally {
    await target.close();
  }
  await rename(draft, file);
  const directory = await open(dirname(file), "r");
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
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

function draftOf(file: string): string {
  return `${file}.new`;
}
