import { closeSync, existsSync, fsyncSync, openSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import type { Log } from "../domain/log.ts";
import { syncPath } from "./sync.ts";

/**
 * A mark beside the ledger, for a file that was found damaged while it was in use: what is seen at once at a start
 * is only a part of it, so the next start checks it in full.
 */
function markOf(ledger: string): string {
  return `${ledger}.suspect`;
}

/** Never throws: whoever has found the damage goes on to end the service, on a disk that may be full or failing. */
export function markSuspect(ledger: string, log: Log): void {
  try {
    const descriptor = openSync(markOf(ledger), "w");
    fsyncSync(descriptor);
    closeSync(descriptor);
    syncPath(dirname(ledger));
  } catch (error) {
    log.error(
      { err: error },
      "the ledger could not be marked: the next start will look at a part of it alone",
    );
  }
}

export function isSuspect(ledger: string): boolean {
  return existsSync(markOf(ledger));
}

export function clearSuspect(ledger: string): void {
  rmSync(markOf(ledger), { force: true });
}
