import { CLOCK_OFF_MS } from "./clinic.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "./clock.ts";
import { type Fault, fault } from "./fault.ts";
import type { LineFailure, Queue } from "./line.ts";
import type { BackupStatus, CardWear, Disk, Machine, Status } from "./status.ts";

/** The network usually sets the clock within minutes of the boot. */
const CLOCK_GRACE_MS = 5 * MINUTE_MS;
/** The first backup is made a minute after the start; a failed backup is tried again every hour. */
const FIRST_BACKUP_GRACE_MS = 25 * HOUR_MS;
/** A backup is made every day. */
const OLD_BACKUP_MS = 2 * DAY_MS;
/** Free space below which a disk is low; of small disks LITTLE_SHARE of their size. */
const LITTLE_BYTES = 256 * 1024 * 1024;
const LITTLE_SHARE = 0.05;
/** The card reports 90 to 100 % of its life as used. */
const WORN_PERCENT = 100;
/** Some filling is normal: the status may be read during a burst. */
const FILLING_EDGES_SHARE = 0.1;
const FILLING_WRITES_SHARE = 0.75;
const MEGABYTE = 1_000_000;
/** A Raspberry Pi slows its processor down from 80 degrees on. */
const HOT_CELSIUS = 80;
/** A client waits so long for each post, and edges wait behind it. */
const SLOW_SYNC_MS = 250;
const LITTLE_MEMORY_SHARE = 0.05;
/** A network is often away for some minutes. */
const FAILING_SINK_MS = 10 * MINUTE_MS;

/** A status before its faults are found. `lasting` are faults that other parts of the service report. */
export type Reading = Omit<Status, "faults"> & {
  readonly lasting: readonly Fault[];
  /** Kernel's monotonic time, in milliseconds: how long the machine has run. */
  readonly bootedForMs: number;
};

/**
 * All faults, the gravest first. Pure. A service that has just started has no backup, and a gateway that has just booted
 * no trusted time: neither is a fault yet. `since` returns when something was first seen, in Unix milliseconds.
 */
export function faultsIn(reading: Reading, since: (what: string) => number): readonly Fault[] {
  const { lasting, lineFailures } = reading;
  return [
    ...lasting,
    ...lineFailures.map((failure) => lineFault(failure, since(`line_failed ${failure.line}`))),
    ...queueFaults(reading, since),
    ...edgeFaults(reading),
    ...clockFaults(reading, since),
    ...diskFaults(reading.disk, lasting, since),
    ...machineFaults(reading.machine, since),
    ...backupFaults(reading.lastBackup, reading),
    ...sinkFaults(reading),
    ...apartFaults(reading, since),
  ];
}

/** A clock that is not trusted is a fault of its own. */
function apartFaults({ sinks, clock }: Reading, since: (what: string) => number): readonly Fault[] {
  return sinks.flatMap(({ name, clockOffMs }) => {
    if (!clock.trusted || clockOffMs === null || Math.abs(clockOffMs) <= CLOCK_OFF_MS) return [];
    const seconds = Math.round(Math.abs(clockOffMs) / SECOND_MS);
    const message = `The gateway's clock is ${seconds} s ${clockOffMs > 0 ? "ahead of" : "behind"} the clock of the sink ${name}.`;
    return [fault("clock_off", since(`clock_off ${name}`), message, { sink: name, seconds })];
  });
}

function sinkFaults({ sinks }: Pick<Reading, "sinks">): readonly Fault[] {
  return sinks.flatMap(({ name, behindMs, failure }) => {
    if (failure === null || behindMs < FAILING_SINK_MS) return [];
    const { message, hint, sinceMs } = failure;
    const details = { sink: name, reason: message };
    return [
      fault("sink_failing", sinceMs, `The sink ${name} gets nothing: ${message} ${hint}`.trim(), details),
    ];
  });
}

function lineFault({ line, message }: LineFailure, sinceMs: number): Fault {
  return fault(
    "line_failed",
    sinceMs,
    `The line ${line} is not watched, and its sales are not recorded: ${message}`,
    { line, reason: message },
  );
}

function queueFaults({ queues, lasting }: Reading, since: (what: string) => number): readonly Fault[] {
  const { edges, writes } = queues;
  const faults: Fault[] = [];
  // The fault of a full disk says already that switchings wait.
  if (edges.refused && !isFull(lasting)) {
    faults.push(
      fault(
        "edges_refused",
        since("edges_refused"),
        `The ledger refuses to record switchings: ${edges.waiting} wait in memory, and one that it cannot take in becomes a gap.`,
        { waiting: edges.waiting },
      ),
    );
  }
  const fill = (queue: "edges" | "writes", what: string, share: number, { waiting, limit }: Queue) => {
    if (waiting < limit * share) return;
    faults.push(
      fault(
        "queue_filling",
        since(`queue_filling ${queue}`),
        `${waiting} ${what} wait for the disk; there is room for ${limit}.`,
        { queue, waiting, limit },
      ),
    );
  };
  fill("edges", "switchings", FILLING_EDGES_SHARE, edges);
  fill("writes", "writes", FILLING_WRITES_SHARE, writes);
  return faults;
}

function edgeFaults({ gaps: { lostToday, unwatchedToday }, simulated }: Reading): readonly Fault[] {
  const faults: Fault[] = [];
  if (lostToday !== null) {
    const { gaps, edges, sales, toTimeMs } = lostToday;
    const lines = lostToday.lines.join(", ");
    faults.push(
      fault(
        "edges_lost",
        toTimeMs,
        `In the last 24 hours ${counted(edges, "switching")} went by unrecorded (${lines}), ${counted(sales, "sale")} among them.`,
        { gaps, edges, sales, lines },
      ),
    );
  }
  // Simulated lines miss nothing while the service does not run.
  if (unwatchedToday !== null && !simulated) {
    const { gaps, fromTimeMs, toTimeMs } = unwatchedToday;
    const lines = unwatchedToday.lines.join(", ");
    const [from, to] = [fromTimeMs, toTimeMs].map((timeMs) => new Date(timeMs).toISOString());
    faults.push(
      fault(
        "line_outage",
        toTimeMs,
        `${lines} went unwatched for a time between ${from} and ${to}: what was switched on then has no record.`,
        { gaps, from: fromTimeMs, to: toTimeMs, lines },
      ),
    );
  }
  return faults;
}

function clockFaults(reading: Reading, since: (what: string) => number): readonly Fault[] {
  const { clock, provisional, misplaced, bootedForMs } = reading;
  const { waiting, unplaced } = provisional;
  const faults: Fault[] = [];
  if (!clock.trusted && bootedForMs >= CLOCK_GRACE_MS) {
    const records = waiting === 0 ? "" : ` ${counted(waiting, "record")} will be moved once it is.`;
    faults.push(
      fault(
        "clock_untrusted",
        clock.nowMs - bootedForMs,
        `The clock was not set from the network since the gateway was started.${records}`,
        { waiting },
      ),
    );
  }
  if (unplaced > 0) {
    faults.push(
      fault(
        "records_unplaced",
        since("records_unplaced"),
        `The time of ${counted(unplaced, "record")} will never be known: the gateway lost its power before its clock was set.`,
        { records: unplaced },
      ),
    );
  }
  if (misplaced !== null) {
    const { records, seconds } = misplaced;
    faults.push(
      fault(
        "clock_wrong",
        since("clock_wrong"),
        `The clock was set by ${seconds} seconds after it was first trusted: ${counted(records, "sale")} stand under a wrong time.`,
        { records, seconds },
      ),
    );
  }
  return faults;
}

/** Also used while no service runs. */
export function diskFaults(
  disk: Disk | null,
  lasting: readonly Fault[],
  since: (what: string) => number,
): readonly Fault[] {
  if (disk === null) return [];
  const { freeBytes, totalBytes, card } = disk;
  const faults: Fault[] = [];
  if (!isFull(lasting) && isLow(disk)) {
    const [free, total] = [freeBytes, totalBytes].map((bytes) => Math.floor(bytes / MEGABYTE));
    faults.push(
      fault("disk_low", since("disk_low"), `The disk is nearly full: ${free} MB of ${total} MB are free.`, {
        freeBytes,
        totalBytes,
      }),
    );
  }
  if (card !== null && isWorn(card)) {
    const { device, lifeUsedPercent, spareBlocks } = card;
    faults.push(
      fault(
        "card_worn",
        since("card_worn"),
        `The card ${device} is nearly worn out and may soon lose what is written to it.`,
        {
          device,
          ...(lifeUsedPercent === null ? {} : { lifeUsedPercent }),
          ...(spareBlocks === null ? {} : { spareBlocks }),
        },
      ),
    );
  }
  return faults;
}

/** Also used while no service runs. */
export function machineFaults(machine: Machine, since: (what: string) => number): readonly Fault[] {
  const { isVoltageLow, temperature, memory, fileSystemErrors, syncMs } = machine;
  const faults: Fault[] = [];
  if (syncMs !== null && syncMs >= SLOW_SYNC_MS) {
    faults.push(
      fault(
        "disk_slow",
        since("disk_slow"),
        `The disk is slow: one synced write in a hundred takes ${syncMs} ms or more.`,
        { syncMs },
      ),
    );
  }
  if (fileSystemErrors !== null && fileSystemErrors > 0) {
    faults.push(
      fault(
        "file_system_errors",
        since("file_system_errors"),
        `The ledger's file system has met ${counted(fileSystemErrors, "error")}: the card or disk may be failing.`,
        { errors: fileSystemErrors },
      ),
    );
  }
  if (isVoltageLow === true) {
    faults.push(
      fault(
        "voltage_low",
        since("voltage_low"),
        "The voltage of the gateway's power supply is too low: it may restart, and its card may be damaged.",
      ),
    );
  }
  if (temperature !== null && temperature >= HOT_CELSIUS) {
    faults.push(
      fault(
        "too_hot",
        since("too_hot"),
        `The gateway has ${temperature} °C: it works more slowly and ages faster.`,
        { temperature },
      ),
    );
  }
  if (memory !== null && memory.availableBytes < memory.totalBytes * LITTLE_MEMORY_SHARE) {
    const [available, total] = [memory.availableBytes, memory.totalBytes].map((bytes) =>
      Math.floor(bytes / MEGABYTE),
    );
    faults.push(
      fault(
        "memory_low",
        since("memory_low"),
        `The gateway's memory is nearly used up: ${available} MB of ${total} MB are available.`,
        { availableBytes: memory.availableBytes, totalBytes: memory.totalBytes },
      ),
    );
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
    return [
      fault(
        "backup_missing",
        startedMs + FIRST_BACKUP_GRACE_MS,
        `There is no proven backup of the ledger, though the service has run for ${hours} hours.`,
        { hours },
      ),
    ];
  }
  // A backup of unknown age was there when this process began, so it is at least as old as the process.
  const ageMs = lastBackup.ageMs ?? uptimeMs;
  if (ageMs <= OLD_BACKUP_MS) return [];
  const days = Math.floor(ageMs / DAY_MS);
  return [
    fault(
      "backup_old",
      lastBackup.madeMs + OLD_BACKUP_MS,
      `The newest proven backup of the ledger is ${days} days old.`,
      { madeTime: lastBackup.madeMs, days },
    ),
  ];
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
