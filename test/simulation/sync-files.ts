import { closeSync, fstatSync, ftruncateSync, openSync, writeSync } from "node:fs";

/** Called after each write. */
export const written = { notice: () => {} };

/** What the ledger's tail uses of node:fs/promises, done at once: the order of a history's events is its own. */
export async function open(path: string, flags: string, mode?: number) {
  const descriptor = openSync(path, flags, mode);
  return {
    stat: async () => fstatSync(descriptor),
    truncate: async (bytes: number) => ftruncateSync(descriptor, bytes),
    writeFile: async (bytes: Uint8Array) => {
      for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at);
      written.notice();
    },
    datasync: async () => {},
    sync: async () => {},
    [Symbol.asyncDispose]: async () => closeSync(descriptor),
  };
}

/** What the driver uses of node:timers/promises, by the timers of the history. */
export function setTimeout(ms: number): Promise<void> {
  return new Promise((resolve) => void globalThis.setTimeout(resolve, ms));
}
