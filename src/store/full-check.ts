import type { ArchiveState } from "../domain/archive.ts";
import { inspectArchives } from "./archive-state.ts";
import { faultsOf, type Verification, verifyLedger } from "./verify.ts";

/** What a check of the ledger and of every archive has found. */
export interface FullCheck {
  readonly verification: Verification;
  /** The archives that the ledger tells of; none of a ledger that is wrong, which is nothing to go by. */
  readonly archives: readonly ArchiveState[];
}

/**
 * Checks the ledger as `verifyLedger` does, and then each archive in `directory` against what the ledger tells of it.
 * Throws as that does. Takes seconds for a million records.
 */
export function checkAll(
  ledger: string,
  directory: string,
  onProgress: (done: number, total: number) => void,
): FullCheck {
  const verification = verifyLedger(ledger, onProgress);
  const right = faultsOf(verification).length === 0;
  return { verification, archives: right ? inspectArchives(ledger, directory) : [] };
}

/** Names of the archives that are not as they were made. */
export function alteredArchives(archives: readonly ArchiveState[]): readonly string[] {
  return archives.filter(({ state }) => state === "altered").map(({ file }) => file);
}
