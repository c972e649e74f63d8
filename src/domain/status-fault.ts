import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "./clock.ts";
import { withHint } from "./error.ts";
import { type DetailsOf, FAULTS, type Fault, type FaultCode, fault, faultName } from "./fault.ts";
import { SEVERITIES } from "./faults/entry.ts";
import { CLOCK_OFF_MS } from "./gateway.ts";
import type { Queue } from "./line.ts";
import type { BackupStatus, CardWear, Disk, LedgerTroubles, Machine, Status } from "./status.ts";

/** The network usually sets the clock within minutes of the boot. */
const CLOCK_GRACE_MS = 5 * MINUTE_MS;
/** The first backup is made a minute after the start; a failed backup is tried again every hour. */
const FIRST_BACKUP_GRACE_MS = 25 * HOUR_MS;
/** A backup is made every day. */
const OLD_BACKUP_MS = 2 * DAY_MS;
/** Free space below which a disk is low; of small disks LITTLE_SHARE of their size. */
const LITTLE_BYTES = 256 * 1024 * 1024;
const LITTLE_SHARE = 0.05;
const FREE_STEP_BYTES = 1_000_000;
/** The card reports 90 to 100 % of its life as used. */
const WORN_PERCENT = 100;
/**
 * A queue of edges that is filled beyond this share is a fault.
 * Some filling is normal: the status may be read during a burst.
 */
/** Edges that hardware swallowed in a day. One may be a disturbance, three are a trait of the gateway. */
const MANY_SWALLOWED = 3;
const FILLING_EDGES_SHARE = 0.1;
const FILLING_WRITES_SHARE = 0.75;
/** A Raspberry Pi slows its processor down from 80 degrees on. */
const HOT_CELSIUS = 80;
/** A sync that takes this long is slow: each post waits for one, and edges wait behind it. */
const SLOW_SYNC_MS = 250;
const LITTLE_MEMORY_SHARE = 0.05;
/** A network is often away for some minutes. */
const FAILING_SINK_MS = 10 * MINUTE_MS;

/** A status before its faults are found. `lasting` are faults that other parts of the service report. */
export type Reading = Omit<Status, "faults"> & {
  readonly lasting: readonly Fault[];
  readonly troubles: LedgerTroubles;
  /** Why the ledger's part could not be read; null where it could. */
  readonly unread: string | null;
  /** Kernel's monotonic time, in milliseconds: how long the machine has run. */
  readonly bootedForMs: number;
};

/** When something was first seen, in Unix milliseconds, by the name of its fault. */
type Since = (name: string) => number;

/** A fault that has been there since it was first seen. */
function seen<C extends FaultCode>(since: Since, code: C, ...details: DetailsOf<C>): Fault {
  const found = fault(code, 0, ...details);
  return { ...found, sinceMs: since(faultName(found)) };
}

/**
 * All faults, the worst first. Pure. A service that has just started has no backup,
 * and a gateway that has just booted no trusted time: neither is a fault yet.
 */
export function faultsIn(reading: Reading, since: Since): readonly Fault[] {
  const { lasting, lineFailures, unread } = reading;
  return inSeverity([
    ...lasting,
    ...(unread === null ? [] : [seen(since, "ledger_unread", { reason: unread })]),
    ...lineFailures.map(({ line, message }) => seen(since, "line_failed", { line, reason: message })),
    ...queueFaults(reading, since),
    ...edgeFaults(reading),
    ...clockFaults(reading, since),
    ...diskFaults(reading.disk, lasting, since),
    ...machineFaults(reading.machine, since),
    ...backupFaults(reading.lastBackup, reading),
    ...sinkFaults(reading),
    ...apartFaults(reading, since),
    ...differenceFaults(reading, since),
  ]);
}

/** The worst first, and those of one severity as they were found. */
function inSeverity(faults: readonly Fault[]): readonly Fault[] {
  const rank = ({ code }: Fault) => SEVERITIES.indexOf(FAULTS[code].severity);
  return [...faults].sort((one, other) => rank(one) - rank(other));
}

function differenceFaults({ sinks }: Pick<Reading, "sinks">, since: Since): readonly Fault[] {
  return sinks.flatMap(({ name, differences = [] }) =>
    differences.map(({ here, there }) => seen(since, "company_differs", { sink: name, here, there })),
  );
}

/** A clock that is not trusted is a fault of its own. */
function apartFaults({ sinks, clock }: Reading, since: Since): readonly Fault[] {
  return sinks.flatMap(({ name, clockOffMs }) => {
    if (!clock.trusted || clockOffMs === null || Math.abs(clockOffMs) <= CLOCK_OFF_MS) return [];
    const seconds = Math.round(clockOffMs / SECOND_MS);
    const found = seen(since, "clock_off", { sink: name, seconds });
    return [{ ...found, details: { sink: name, seconds: Math.abs(seconds) } }];
  });
}

function sinkFaults({ sinks }: Pick<Reading, "sinks">): readonly Fault[] {
  return sinks.flatMap(({ name, behindMs, failure }) => {
    if (failure === null || behindMs < FAILING_SINK_MS) return [];
    const found = fault("sink_failing", failure.sinceMs, { sink: name, reason: failure.message });
    return [{ ...found, message: withHint({ message: found.message, hint: failure.hint }) }];
  });
}

function queueFaults({ queues, lasting }: Reading, since: Since): readonly Fault[] {
  const { edges, writes } = queues;
  const faults: Fault[] = [];
  // The fault of a full disk says already that switchings wait.
  if (edges.refused && !isFull(lasting)) {
    faults.push(seen(since, "edges_refused", { waiting: edges.waiting }));
  }
  const fill = (queue: "edges" | "writes", { waiting, limit }: Queue, share: number) => {
    if (waiting >= limit * share) faults.push(seen(since, "queue_filling", { queue, waiting, limit }));
  };
  fill("edges", edges, FILLING_EDGES_SHARE);
  fill("writes", writes, FILLING_WRITES_SHARE);
  return faults;
}

function edgeFaults({ troubles: { lost, unwatched, swallowed }, simulated }: Reading): readonly Fault[] {
  const faults: Fault[] = [];
  if (lost !== null) {
    const { gaps, edges, sales, lines, toTimeMs } = lost;
    // Of a line with debounce it is not known how many of its lost edges are switchings.
    const counts = edges === 0 ? {} : { edges, sales };
    faults.push(fault("edges_lost", toTimeMs, { gaps, ...counts, lines: lines.join(", ") }));
  }
  if (swallowed !== null && swallowed.gaps >= MANY_SWALLOWED) {
    const { gaps, lines, toTimeMs } = swallowed;
    faults.push(fault("edges_swallowed", toTimeMs, { edges: gaps, lines: lines.join(", ") }));
  }
  // Simulated lines miss nothing while the service does not run.
  if (unwatched !== null && !simulated) {
    const { gaps, fromTimeMs: from, toTimeMs: to, lines } = unwatched;
    faults.push(fault("line_outage", to, { gaps, from, to, lines: lines.join(", ") }));
  }
  return faults;
}

function clockFaults(reading: Reading, since: Since): readonly Fault[] {
  const { clock, provisional, bootedForMs } = reading;
  const { misplaced } = reading.troubles;
  const { waiting, unplaced } = provisional;
  const faults: Fault[] = [];
  if (!clock.trusted && bootedForMs >= CLOCK_GRACE_MS) {
    faults.push(fault("clock_untrusted", clock.nowMs - bootedForMs, { waiting }));
  }
  if (unplaced > 0) faults.push(seen(since, "records_unplaced", { records: unplaced }));
  if (misplaced !== null) faults.push(seen(since, "clock_wrong", misplaced));
  return faults;
}

/** Also used while no service runs. */
export function diskFaults(disk: Disk | null, lasting: readonly Fault[], since: Since): readonly Fault[] {
  if (disk === null) return [];
  const { freeBytes, totalBytes, card } = disk;
  const faults: Fault[] = [];
  // In whole steps, because each record takes some bytes.
  const shownBytes = Math.floor(freeBytes / FREE_STEP_BYTES) * FREE_STEP_BYTES;
  if (!isFull(lasting) && isLow(disk)) {
    faults.push(seen(since, "disk_low", { freeBytes: shownBytes, totalBytes }));
  }
  if (card !== null && isWorn(card)) {
    const { device, lifeUsedPercent, spareBlocks } = card;
    const wear = {
      ...(lifeUsedPercent !== null && { lifeUsedPercent }),
      ...(spareBlocks !== null && { spareBlocks }),
    };
    faults.push(seen(since, "card_worn", { device, ...wear }));
  }
  return faults;
}

/** Also used while no service runs. */
export function machineFaults(machine: Machine, since: Since): readonly Fault[] {
  const { isVoltageLow, temperature, memory, fileSystemErrors: errors, syncMs } = machine;
  const faults: Fault[] = [];
  if (syncMs !== null && syncMs >= SLOW_SYNC_MS) faults.push(seen(since, "disk_slow", { syncMs }));
  if (errors !== null && errors > 0) faults.push(seen(since, "file_system_errors", { errors }));
  if (isVoltageLow === true) faults.push(seen(since, "voltage_low"));
  if (temperature !== null && temperature >= HOT_CELSIUS) {
    faults.push(seen(since, "too_hot", { temperature }));
  }
  if (memory !== null && memory.availableBytes < memory.totalBytes * LITTLE_MEMORY_SHARE) {
    faults.push(seen(since, "memory_low", memory));
  }
  return faults;
}

function isFull(lasting: readonly Fault[]): boolean {
  return lasting.some(({ code }) => code === "disk_full");
}

/** A file system in memory reports a size of 0. */
function isLow({ freeBytes, totalBytes, ledgerBytes }: Disk): boolean {
  if (totalBytes === 0) return false;
  const little = Math.min(LITTLE_BYTES, totalBytes * LITTLE_SHARE);
  return freeBytes < Math.max(little, ledgerBytes);
}

function isWorn({ lifeUsedPercent, spareBlocks }: CardWear): boolean {
  return (lifeUsedPercent ?? 0) >= WORN_PERCENT || spareBlocks === "warning" || spareBlocks === "urgent";
}

/** Also used while no service runs, with an uptime of 0. */
export function backupFaults(
  lastBackup: BackupStatus | null,
  { uptimeMs, startedMs }: Pick<Status, "uptimeMs" | "startedMs">,
): readonly Fault[] {
  if (lastBackup === null) {
    if (uptimeMs < FIRST_BACKUP_GRACE_MS) return [];
    const hours = Math.floor(uptimeMs / HOUR_MS);
    return [fault("backup_missing", startedMs + FIRST_BACKUP_GRACE_MS, { hours })];
  }
  // A backup of unknown age was there when this process began, so it is at least as old as the process.
  const ageMs = lastBackup.ageMs ?? uptimeMs;
  if (ageMs <= OLD_BACKUP_MS) return [];
  const { madeMs } = lastBackup;
  return [
    fault("backup_old", madeMs + OLD_BACKUP_MS, { madeTime: madeMs, days: Math.floor(ageMs / DAY_MS) }),
  ];
}
