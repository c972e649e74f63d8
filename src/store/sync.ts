import { closeSync, fsyncSync, openSync } from "node:fs";

/** Makes a file's content, or a directory's names, durable. */
export function syncPath(path: string): void {
  const descriptor = openSync(path, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
