import * as files from "node:fs";

/** Called after each write. */
export const written = { notice: () => {} };

/** What the ledger's tail uses of node:fs/promises, done at once: the order of a history's events is its own. */
export async function open(path: string, flags: number | string, mode?: number) {
  const descriptor = files.openSync(path, flags, mode);
  return {
    stat: async () => files.fstatSync(descriptor),
    truncate: async (bytes: number) => files.ftruncateSync(descriptor, bytes),
    write: async (bytes: Uint8Array, from: number, length: number, at: number) => {
      const bytesWritten = files.writeSync(descriptor, bytes, from, length, at);
      written.notice();
      return { bytesWritten };
    },
    datasync: async () => {},
    sync: async () => {},
    [Symbol.asyncDispose]: async () => files.closeSync(descriptor),
  };
}

/** Descriptors of the ledger's log. A history kills a process in the middle, and the kernel closes what it had open. */
const ofLog = new Set<number>();

/** What the ledger's log uses of node:fs. Here a sync costs nothing. */
export const { readSync, statSync, truncateSync } = files;

export function openSync(path: string, flags: string): number {
  const descriptor = files.openSync(path, flags);
  ofLog.add(descriptor);
  return descriptor;
}

export function closeSync(descriptor: number): void {
  ofLog.delete(descriptor);
  files.closeSync(descriptor);
}

export function fdatasyncSync(): void {}

/** Closes the log's descriptors as a kill does. */
export function closeLog(): void {
  for (const descriptor of ofLog) closeSync(descriptor);
}

/** What the driver uses of node:timers/promises, by the timers of the history. */
export function setTimeout(ms: number): Promise<void> {
  return new Promise((resolve) => void globalThis.setTimeout(resolve, ms));
}
