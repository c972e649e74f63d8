import type { ProvenBackup } from "./backup.ts";
import type { Loss } from "./gap.ts";

/** Programs and translations depend on these codes: they never change. */
export const FAULT_CODES = [
  "disk_full",
  "disk_low",
  "disk_slow",
  "card_worn",
  "file_system_errors",
  "voltage_low",
  "too_hot",
  "memory_low",
  "backup_failed",
  "backup_missing",
  "backup_old",
  "backup_foreign",
  "tail_failed",
  "ledger_damaged",
  "check_failed",
  "records_lost",
  "clock_untrusted",
  "records_unplaced",
  "clock_wrong",
  "line_failed",
  "edges_refused",
  "edges_lost",
  "line_outage",
  "queue_filling",
  "certificate_refused",
  "certificate_ending",
] as const;
export type FaultCode = (typeof FAULT_CODES)[number];

/** The values in a fault's text, for translations. Times are in Unix milliseconds. */
export type FaultDetails = Readonly<Record<string, string | number>>;

/** A problem that needs a person's attention, in plain words. */
export interface Fault {
  readonly code: FaultCode;
  readonly sinceMs: number;
  readonly message: string;
  /** What to do. */
  readonly hint: string;
  readonly details: FaultDetails;
}

/** How a part of the appliance is. */
export const LEVELS = ["good", "warning", "fault"] as const;
export type Level = (typeof LEVELS)[number];

/** The verdict on each part follows from its faults, so that every threshold stands once. */
export function levelsOf(
  faults: readonly Fault[],
): Readonly<Record<"disk" | "card" | "edges" | "writes", Level>> {
  const codes = new Set(
    faults.map(({ code, details }) => (code === "queue_filling" ? details["queue"] : code)),
  );
  const warning = (code: string): Level => (codes.has(code) ? "warning" : "good");
  return {
    disk: codes.has("disk_full") ? "fault" : warning("disk_low"),
    card: warning("card_worn"),
    edges: codes.has("edges_refused") ? "fault" : warning("edges"),
    writes: warning("writes"),
  };
}

/** The ledger's disk has no room: posts are refused, edges are kept as long as there is room for them. */
export function diskFullFault(sinceMs: number): Fault {
  return {
    code: "disk_full",
    sinceMs,
    message: "The disk is full: posted records are refused, and switchings wait to be recorded.",
    hint: "Free at least 8 MB on the disk of the data directory. Recording goes on by itself; do not delete the ledger's own files.",
    details: {},
  };
}

/** The last backup has failed; earlier backups are still there. */
export function backupFailedFault(directory: string, reason: string, sinceMs: number): Fault {
  return {
    code: "backup_failed",
    sinceMs,
    message: `The backup to ${directory} has failed: ${reason}`,
    hint: "It is tried again every hour; earlier backups were kept. Run flanco backup to see it work.",
    details: { directory, reason },
  };
}

/** What the newest backup lacks is not copied beside the ledger. */
export function tailFailedFault(reason: string, sinceMs: number): Fault {
  return {
    code: "tail_failed",
    sinceMs,
    message: `The copy of what the newest backup lacks cannot be written: ${reason}.`,
    hint: "Everything is recorded all the same. It goes on by itself once the disk takes it again, or with the next backup: look at the backup disk.",
    details: { reason },
  };
}

/** The disk for second backups holds those of other ledgers too. They are neither used nor removed. */
export function foreignFault(directory: string, foreign: readonly ProvenBackup[], sinceMs: number): Fault {
  const ledgers = foreign
    .map(({ ledger, locations, records, madeMs }) => {
      const date = new Date(madeMs).toISOString().slice(0, 10);
      return `${locations.join(", ") || "no location"} (${records} records, ${date}, folder ${ledger})`;
    })
    .join("; ");
  return {
    code: "backup_foreign",
    sinceMs,
    message: `The backup disk ${directory} holds backups of another ledger: ${ledgers}.`,
    hint: "If the disk is another gateway's, give it back. If they are this gateway's, from before its card was replaced, keep them elsewhere and remove the folder.",
    details: { directory, ledgers },
  };
}

export function damagedFault(what: string, sinceMs: number): Fault {
  return {
    code: "ledger_damaged",
    sinceMs,
    message: `The full check of the ledger has found a mistake: ${what}`,
    hint: "Run flanco verify to see all of it. Keep a copy of the data directory: the file may have been altered on purpose.",
    details: { what },
  };
}

/** The full check could not run, so nothing is known of the ledger. */
export function checkFailedFault(reason: string, sinceMs: number): Fault {
  return {
    code: "check_failed",
    sinceMs,
    message: `The full check of the ledger could not be made: ${reason}`,
    hint: "It is tried again every hour. Run flanco verify to see it work.",
    details: { reason },
  };
}

/** A damaged ledger file was replaced, and some of its entries could not be recovered. */
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
    details: { from: lostFrom, to: lostTo, reason },
  };
}

/** The administrator's certificate cannot be served; another one is. */
export function certificateRefusedFault(file: string, reason: string, sinceMs: number): Fault {
  return {
    code: "certificate_refused",
    sinceMs,
    message: `The certificate ${file} is refused: ${reason}.`,
    hint: "Mend it, or remove its files: they are looked at every 15 seconds. Until then the next good one is served, or the appliance's own.",
    details: { file, reason },
  };
}

/** The administrator's certificate ends soon. */
export function certificateEndingFault(file: string, endsMs: number, days: number, sinceMs: number): Fault {
  return {
    code: "certificate_ending",
    sinceMs,
    message: `The certificate ${file} ends on ${new Date(endsMs).toISOString()}.`,
    hint: "Put the next one in its place. After that the appliance's own is served, and browsers that do not trust it show a warning.",
    details: { file, endsTime: endsMs, days },
  };
}
