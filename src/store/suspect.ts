import { closeSync, existsSync, fsyncSync, openSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { syncPath } from "./sync.ts";

/**
 * A mark beside the ledger, for a file that was found damaged while it was in use: what is seen at once at a start
 * is only a part of it, so the next start checks it in full.
 */
function markOf(ledger: string): string {
  return `${ledger}.suspect`;
}

export function markSuspect(ledger: string): void {
  const descriptor = openSync(markOf(ledger), "w");
  fsyncSync(descriptor);
  closeSync(descriptor);
  syncPath(dirname(ledger));
}

export function isSuspect(ledger: string): boolean {
  return existsSync(markOf(ledger));
}

export function clearSuspect(ledger: string): void {
  rmSync(markOf(ledger), { force: true });
}
