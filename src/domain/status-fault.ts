import type { CardWear, Disk } from "./disk.ts";
import {
  backupMissingFault,
  backupOldFault,
  cardWornFault,
  clockUntrustedFault,
  diskLowFault,
  edgesLostFault,
  edgesRefusedFault,
  type Fault,
  lineFailedFault,
  lineOutageFault,
  queueFillingFault,
  recordsUnplacedFault,
} from "./fault.ts";
import type { BackupStatus, Status } from "./status.ts";

const MINUTE_MS = 60 * 1_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** The network sets a clock within minutes of the start, or not for a while. */
const CLOCK_GRACE_MS = 5 * MINUTE_MS;
/** The first backup comes a minute after the start; one that fails is tried again every hour. */
const FIRST_BACKUP_GRACE_MS = 25 * HOUR_MS;
/** There is one a day. */
const OLD_BACKUP_MS = 2 * DAY_MS;
/** A backup and its proof are two copies of the ledger. */
const COPIES_OF_A_BACKUP = 2;
/** Room that is always little, on disks that are large enough to have it. */
const LITTLE_BYTES = 256 * 1024 * 1024;
const LITTLE_SHARE = 0.05;
/** From here on a card is at its end: 90 to 100 % of its life. */
const WORN_PERCENT = 100;
/** A queue is looked at while it works: a burst fills some of it. */
const FILLING_EDGES_SHARE = 0.1;
const FILLING_WRITES_SHARE = 0.75;

/** A status before it is judged. `lasting` are the faults that somebody else keeps: they count as they are. */
export type Reading = Omit<Status, "faults"> & {
  readonly lasting: readonly Fault[];
  /** Kernel's monotonic time, in milliseconds: how long the machine has run. */
  readonly bootedForMs: number;
};

/**
 * Everything that a person must see to, the gravest first. Pure, and without alarm over what is only young: a
 * service that has just started has no backup, and a gateway that has just booted no time. `since` gives when
 * something was first seen, in Unix milliseconds.
 */
export function faultsIn(reading: Reading, since: (what: string) => number): readonly Fault[] {
  const { lasting, lineFailures } = reading;
  return [
    ...lasting,
    ...lineFailures.map((failure) => lineFailedFault(failure, since(`line_failed ${failure.line}`))),
    ...queueFaults(reading, since),
    ...edgeFaults(reading),
    ...clockFaults(reading, since),
    ...diskFaults(reading.disk, lasting, since),
    ...backupFaults(reading.lastBackup, reading),
  ];
}

function queueFaults({ queues, lasting }: Reading, since: (what: string) => number): readonly Fault[] {
  const { edges, writes } = queues;
  const full = lasting.some(({ code }) => code === "disk_full");
  return [
    // Who is told that the disk is full is told that switchings wait for it.
    ...(edges.refused && !full ? [edgesRefusedFault(edges.waiting, since("edges_refused"))] : []),
    ...(edges.waiting >= edges.limit * FILLING_EDGES_SHARE
      ? [queueFillingFault("edges", edges, since("queue_filling edges"))]
      : []),
    ...(writes.waiting >= writes.limit * FILLING_WRITES_SHARE
      ? [queueFillingFault("writes", writes, since("queue_filling writes"))]
      : []),
  ];
}

function edgeFaults({ gaps: { lostToday, unwatchedToday }, simulated }: Reading): readonly Fault[] {
  return [
    ...(lostToday === null ? [] : [edgesLostFault(lostToday)]),
    // A demonstration that was switched off has missed nothing.
    ...(unwatchedToday === null || simulated ? [] : [lineOutageFault(unwatchedToday)]),
  ];
}

function clockFaults(reading: Reading, since: (what: string) => number): readonly Fault[] {
  const { clock, provisional, bootedForMs } = reading;
  const late = !clock.trusted && bootedForMs >= CLOCK_GRACE_MS;
  return [
    ...(late ? [clockUntrustedFault(provisional.waiting, clock.nowMs - bootedForMs)] : []),
    ...(provisional.unplaced > 0
      ? [recordsUnplacedFault(provisional.unplaced, since("records_unplaced"))]
      : []),
  ];
}

/** Also for a disk whose service does not run. */
export function diskFaults(
  disk: Disk | null,
  lasting: readonly Fault[],
  since: (what: string) => number,
): readonly Fault[] {
  if (disk === null) return [];
  const full = lasting.some(({ code }) => code === "disk_full");
  return [
    ...(!full && isLow(disk) ? [diskLowFault(disk, since("disk_low"))] : []),
    ...(disk.card !== null && isWorn(disk.card) ? [cardWornFault(disk.card, since("card_worn"))] : []),
  ];
}

/** A file system in memory alone counts nothing. */
function isLow({ freeBytes, totalBytes, ledgerBytes }: Disk): boolean {
  if (totalBytes === 0) return false;
  const little = Math.min(LITTLE_BYTES, totalBytes * LITTLE_SHARE);
  return freeBytes < Math.max(little, ledgerBytes * COPIES_OF_A_BACKUP);
}

function isWorn({ lifeUsedPercent, spareBlocks }: CardWear): boolean {
  return (lifeUsedPercent ?? 0) >= WORN_PERCENT || spareBlocks === "warning" || spareBlocks === "urgent";
}

/** Also for a ledger whose service does not run: then it has run for no time. */
export function backupFaults(
  lastBackup: BackupStatus | null,
  { uptimeMs, startedMs }: Pick<Status, "uptimeMs" | "startedMs">,
): readonly Fault[] {
  if (lastBackup === null) {
    if (uptimeMs < FIRST_BACKUP_GRACE_MS) return [];
    return [backupMissingFault(Math.floor(uptimeMs / HOUR_MS), startedMs + FIRST_BACKUP_GRACE_MS)];
  }
  // Where no clock tells its age, it is as old as this process at least: it was there when that began.
  const ageMs = lastBackup.ageMs ?? uptimeMs;
  if (ageMs <= OLD_BACKUP_MS) return [];
  return [backupOldFault(lastBackup.madeMs, Math.floor(ageMs / DAY_MS), lastBackup.madeMs + OLD_BACKUP_MS)];
}
