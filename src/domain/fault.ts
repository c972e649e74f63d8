import type { Loss } from "./loss.ts";

/** Something that a person must see to, in plain words. */
export interface Fault {
  readonly code: "disk_full" | "backup_failed" | "ledger_damaged" | "records_lost";
  readonly sinceMs: number;
  readonly message: string;
  /** What to do. */
  readonly hint: string;
}

/** The ledger's disk has no room: posts are refused, edges are kept as long as there is room for them. */
export function diskFullFault(sinceMs: number): Fault {
  return {
    code: "disk_full",
    sinceMs,
    message: "The disk is full: posted records are refused, and switchings wait to be recorded.",
    hint: "Free at least 8 MB on the disk of the data directory. Recording goes on by itself; do not delete the ledger's own files.",
  };
}

/** The last try to make a backup has failed; earlier backups are there still. */
export function backupFailedFault(directory: string, reason: string, sinceMs: number): Fault {
  return {
    code: "backup_failed",
    sinceMs,
    message: `The backup to ${directory} has failed: ${reason}`,
    hint: "It is tried again every hour; earlier backups were kept. Run flanco backup to see it work.",
  };
}

/** The full check has found something. */
export function damagedFault(what: string, sinceMs: number): Fault {
  return {
    code: "ledger_damaged",
    sinceMs,
    message: `The full check of the ledger has found a mistake: ${what}`,
    hint: "Run flanco verify to see all of it. Keep a copy of the data directory: somebody may have altered the file.",
  };
}

/** A damaged file was replaced, and not all of it could be saved. */
export function lostFault({ notedMs, lostFrom, lostTo, reason }: Loss): Fault {
  const what =
    lostFrom === lostTo
      ? `The entry ${lostFrom} of the ledger was`
      : `The entries ${lostFrom} to ${lostTo} of the ledger were`;
  return {
    code: "records_lost",
    sinceMs: notedMs,
    message: `${what} lost with a damaged file: ${reason}.`,
    hint: "Compare these hours with your own papers, and post what is missing.",
  };
}
