import type { CardWear, Disk } from "./disk.ts";
import type { LostEdges, Unwatched } from "./gap-count.ts";
import type { LineFailure } from "./lines.ts";
import type { Loss } from "./loss.ts";
import type { Queue } from "./queue.ts";

/** Names of faults, which programs and translations hold on to: they never change. */
export const FAULT_CODES = [
  "disk_full",
  "disk_low",
  "card_worn",
  "backup_failed",
  "backup_missing",
  "backup_old",
  "archive_failed",
  "archive_altered",
  "ledger_damaged",
  "check_failed",
  "records_lost",
  "clock_untrusted",
  "records_unplaced",
  "line_failed",
  "edges_refused",
  "edges_lost",
  "line_outage",
  "queue_filling",
  "certificate_refused",
  "certificate_ending",
] as const;
export type FaultCode = (typeof FAULT_CODES)[number];

/** The values that a fault's text names, for who says it in other words: times in Unix milliseconds. */
export type FaultDetails = Readonly<Record<string, string | number>>;

/** Something that a person must see to, in plain words. */
export interface Fault {
  readonly code: FaultCode;
  readonly sinceMs: number;
  readonly message: string;
  /** What to do. */
  readonly hint: string;
  readonly details: FaultDetails;
}

const MEGABYTE = 1_000_000;

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

/** Little room is left: enough to record for a while, not for a backup and its proof. */
export function diskLowFault({ freeBytes, totalBytes }: Disk, sinceMs: number): Fault {
  return {
    code: "disk_low",
    sinceMs,
    message: `The disk is nearly full: ${Math.floor(freeBytes / MEGABYTE)} MB of ${Math.floor(totalBytes / MEGABYTE)} MB are free.`,
    hint: "Remove what is not needed from the disk of the data directory, or move backups away; delete nothing of the ledger's own files.",
    details: { freeBytes, totalBytes },
  };
}

/** The card has lived most of its life. */
export function cardWornFault({ device, lifeUsedPercent, spareBlocks }: CardWear, sinceMs: number): Fault {
  return {
    code: "card_worn",
    sinceMs,
    message: `The card ${device} is nearly worn out and may soon lose what is written to it.`,
    hint: "Run flanco backup to another disk, then replace the card.",
    details: {
      device,
      ...(lifeUsedPercent === null ? {} : { lifeUsedPercent }),
      ...(spareBlocks === null ? {} : { spareBlocks }),
    },
  };
}

/** The last try to make a backup has failed; earlier backups are there still. */
export function backupFailedFault(directory: string, reason: string, sinceMs: number): Fault {
  return {
    code: "backup_failed",
    sinceMs,
    message: `The backup to ${directory} has failed: ${reason}`,
    hint: "It is tried again every hour; earlier backups were kept. Run flanco backup to see it work.",
    details: { directory, reason },
  };
}

/** Nothing could be restored if the ledger were lost: no backup was ever proved. */
export function backupMissingFault(hours: number, sinceMs: number): Fault {
  return {
    code: "backup_missing",
    sinceMs,
    message: `There is no proven backup of the ledger, though the service has run for ${hours} hours.`,
    hint: "Run flanco backup: it says what keeps it from working.",
    details: { hours },
  };
}

/** The newest proven backup holds none of the last days' sales. */
export function backupOldFault(madeMs: number, days: number, sinceMs: number): Fault {
  return {
    code: "backup_old",
    sinceMs,
    message: `The newest proven backup of the ledger is ${days} days old.`,
    hint: "Run flanco backup: it says what keeps it from working.",
    details: { madeTime: madeMs, days },
  };
}

/** Old months could not be taken out of the ledger; nothing of them was removed. */
export function archiveFailedFault(reason: string, sinceMs: number): Fault {
  return {
    code: "archive_failed",
    sinceMs,
    message: `Old months could not be archived: ${reason}`,
    hint: "It is tried again every hour; nothing was removed from the ledger. Run flanco archive to see it work.",
    details: { reason },
  };
}

/** The ledger is right, and files of months that left it are not as they were made. */
export function archiveAlteredFault(files: readonly string[], directory: string, sinceMs: number): Fault {
  const named = files.join(", ");
  return {
    code: "archive_altered",
    sinceMs,
    message: `Archives of old months are not as they were made: ${named}.`,
    hint: `Put copies that are right into ${directory}, then run flanco verify. Their totals stay in the ledger.`,
    details: { files: named, directory },
  };
}

/** The full check has found something. */
export function damagedFault(what: string, sinceMs: number): Fault {
  return {
    code: "ledger_damaged",
    sinceMs,
    message: `The full check of the ledger has found a mistake: ${what}`,
    hint: "Run flanco verify to see all of it. Keep a copy of the data directory: somebody may have altered the file.",
    details: { what },
  };
}

/** The full check could not be made: it says nothing about the ledger. */
export function checkFailedFault(reason: string, sinceMs: number): Fault {
  return {
    code: "check_failed",
    sinceMs,
    message: `The full check of the ledger could not be made: ${reason}`,
    hint: "It is tried again every hour. Run flanco verify to see it work.",
    details: { reason },
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
    details: { from: lostFrom, to: lostTo, reason },
  };
}

/** Nobody has told the gateway the time since it was started. */
export function clockUntrustedFault(waiting: number, sinceMs: number): Fault {
  const records = waiting === 0 ? "" : ` ${counted(waiting, "record")} will be moved once it is.`;
  return {
    code: "clock_untrusted",
    sinceMs,
    message: `The clock was not set from the network since the gateway was started.${records}`,
    hint: "Connect the gateway to the network, and let it reach a time server (NTP).",
    details: { waiting },
  };
}

/** Records of a boot that ended before its clock was set. */
export function recordsUnplacedFault(records: number, sinceMs: number): Fault {
  return {
    code: "records_unplaced",
    sinceMs,
    message: `The time of ${counted(records, "record")} will never be known: the gateway lost its power before its clock was set.`,
    hint: "Compare them with your own papers: take each back with flanco void, and post it anew with its right time.",
    details: { records },
  };
}

/** A wired line whose relay nobody watches. */
export function lineFailedFault({ line, message }: LineFailure, sinceMs: number): Fault {
  return {
    code: "line_failed",
    sinceMs,
    message: `The line ${line} is not watched, and its sales are not recorded: ${message}`,
    hint: "It is tried again every 5 seconds; flanco gpio detect shows which lines there are, and who has them.",
    details: { line, reason: message },
  };
}

/** The ledger takes in no edges, or one of them not, though its disk is not full. */
export function edgesRefusedFault(waiting: number, sinceMs: number): Fault {
  return {
    code: "edges_refused",
    sinceMs,
    message: `The ledger refuses to record switchings: ${waiting} wait in memory, and one that it cannot take in becomes a gap.`,
    hint: "Read the service's log (journalctl -u flanco), which names the reason, and run flanco verify.",
    details: { waiting },
  };
}

/** Edges that came faster than they were read, or that found no room to wait in. */
export function edgesLostFault({ gaps, edges, sales, lines, toTimeMs }: LostEdges): Fault {
  const where = lines.join(", ");
  return {
    code: "edges_lost",
    sinceMs: toTimeMs,
    message: `In the last 24 hours ${counted(edges, "switching")} went by unrecorded (${where}), ${counted(sales, "sale")} among them.`,
    hint: "Look at the relay and its contacts (a fluttering one needs a longer debounce_ms), and at whether the disk keeps up; then post what is missing.",
    details: { gaps, edges, sales, lines: where },
  };
}

/** Nobody watched these lines for a while, and nothing kept their edges. */
export function lineOutageFault({ gaps, lines, fromTimeMs, toTimeMs }: Unwatched): Fault {
  const where = lines.join(", ");
  const from = new Date(fromTimeMs).toISOString();
  return {
    code: "line_outage",
    sinceMs: toTimeMs,
    message: `Nobody watched ${where} for a time between ${from} and ${new Date(toTimeMs).toISOString()}: what was switched on then has no record.`,
    hint: "Compare this time with your own papers, and post what is missing.",
    details: { gaps, from: fromTimeMs, to: toTimeMs, lines: where },
  };
}

/** The ledger takes in less than comes. */
export function queueFillingFault(
  queue: "edges" | "writes",
  { waiting, limit }: Queue,
  sinceMs: number,
): Fault {
  const what = queue === "edges" ? "switchings" : "writes";
  return {
    code: "queue_filling",
    sinceMs,
    message: `${waiting} ${what} wait for the disk; there is room for ${limit}.`,
    hint: "The disk is slow, full or failing: look at its free room and at the kernel's log (dmesg). Nothing that waits is lost as long as the service runs.",
    details: { queue, waiting, limit },
  };
}

/** A certificate that an administrator has put there cannot be served; another one is. */
export function certificateRefusedFault(file: string, reason: string, sinceMs: number): Fault {
  return {
    code: "certificate_refused",
    sinceMs,
    message: `The certificate ${file} is refused: ${reason}.`,
    hint: "Mend it, or remove its files: they are looked at every 15 seconds. Until then the next good one is served, or the appliance's own.",
    details: { file, reason },
  };
}

/** A certificate that an administrator has put there ends soon, and nobody has brought the next one. */
export function certificateEndingFault(file: string, endsMs: number, days: number, sinceMs: number): Fault {
  return {
    code: "certificate_ending",
    sinceMs,
    message: `The certificate ${file} ends on ${new Date(endsMs).toISOString()}.`,
    hint: "Put the next one in its place. From then on the appliance's own is served, about which browsers warn that were not told to trust it.",
    details: { file, endsTime: endsMs, days },
  };
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
