import { existsSync, rmSync } from "node:fs";
import type { Log } from "../../domain/log.ts";
import { writeDurably } from "../../durable-file.ts";

/**
 * A file beside a ledger that was found damaged while it was in use. The quick check of a start reads only a part of
 * the ledger; where this mark is, the start checks all of it.
 */
function markOf(ledger: string): string {
  return `${ledger}.suspect`;
}

/** Never throws: the caller goes on to end the service, on a disk that may be full or failing. */
export function markSuspect(ledger: string, log: Log): void {
  try {
    writeDurably(markOf(ledger), "");
  } catch (error) {
    log.error({ err: error }, "the ledger could not be marked: the next start checks only a part of it");
  }
}

export function isSuspect(ledger: string): boolean {
  return existsSync(markOf(ledger));
}

export function clearSuspect(ledger: string): void {
  rmSync(markOf(ledger), { force: true });
}
