import { DAY_MS, HOUR_MS, MINUTE_MS } from "./clock.ts";
import type { Fault } from "./fault.ts";
import type { LineFailure, Queue } from "./line.ts";
import type { CardWear, Disk, Machine } from "./machine.ts";
import type { BackupStatus, Status } from "./status.ts";

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
  ];
}

function lineFault({ line, message }: LineFailure, sinceMs: number): Fault {
  return {
    code: "line_failed",
    sinceMs,
    message: `The line ${line} is not watched, and its sales are not recorded: ${message}`,
    hint: "It is tried again every 5 seconds; flanco gpio detect shows all lines with the programs that use them.",
    details: { line, reason: message },
  };
}

function queueFaults({ queues, lasting }: Reading, since: (what: string) => number): readonly Fault[] {
  const { edges, writes } = queues;
  const faults: Fault[] = [];
  // The fault of a full disk says already that switchings wait.
  if (edges.refused && !isFull(lasting)) {
    faults.push({
      code: "edges_refused",
      sinceMs: since("edges_refused"),
      message: `The ledger refuses to record switchings: ${edges.waiting} wait in memory, and one that it cannot take in becomes a gap.`,
      hint: "Read the service's log (journalctl -u flanco), which names the reason, and run flanco verify.",
      details: { waiting: edges.waiting },
    });
  }
  const fill = (queue: "edges" | "writes", what: string, share: number, { waiting, limit }: Queue) => {
    if (waiting < limit * share) return;
    faults.push({
      code: "queue_filling",
      sinceMs: since(`queue_filling ${queue}`),
      message: `${waiting} ${what} wait for the disk; there is room for ${limit}.`,
      hint: "The disk is slow, full or failing: look at its free room and at the kernel's log (dmesg). Nothing that waits is lost as long as the service runs.",
      details: { queue, waiting, limit },
    });
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
    faults.push({
      code: "edges_lost",
      sinceMs: toTimeMs,
      message: `In the last 24 hours ${counted(edges, "switching")} went by unrecorded (${lines}), ${counted(sales, "sale")} among them.`,
      hint: "Look at the relay and its contacts (a fluttering one needs a longer debounce_ms), and at whether the disk keeps up; then post what is missing.",
      details: { gaps, edges, sales, lines },
    });
  }
  // Simulated lines miss nothing while the service does not run.
  if (unwatchedToday !== null && !simulated) {
    const { gaps, fromTimeMs, toTimeMs } = unwatchedToday;
    const lines = unwatchedToday.lines.join(", ");
    const [from, to] = [fromTimeMs, toTimeMs].map((timeMs) => new Date(timeMs).toISOString());
    faults.push({
      code: "line_outage",
      sinceMs: toTimeMs,
      message: `${lines} went unwatched for a time between ${from} and ${to}: what was switched on then has no record.`,
      hint: "Compare this time with your own papers, and post what is missing.",
      details: { gaps, from: fromTimeMs, to: toTimeMs, lines },
    });
  }
  return faults;
}

function clockFaults(reading: Reading, since: (what: string) => number): readonly Fault[] {
  const { clock, provisional, misplaced, bootedForMs } = reading;
  const { waiting, unplaced } = provisional;
  const faults: Fault[] = [];
  if (!clock.trusted && bootedForMs >= CLOCK_GRACE_MS) {
    const records = waiting === 0 ? "" : ` ${counted(waiting, "record")} will be moved once it is.`;
    faults.push({
      code: "clock_untrusted",
      sinceMs: clock.nowMs - bootedForMs,
      message: `The clock was not set from the network since the gateway was started.${records}`,
      hint: "Connect the gateway to the network, and let it reach a time server (NTP).",
      details: { waiting },
    });
  }
  if (unplaced > 0) {
    faults.push({
      code: "records_unplaced",
      sinceMs: since("records_unplaced"),
      message: `The time of ${counted(unplaced, "record")} will never be known: the gateway lost its power before its clock was set.`,
      hint: "Compare them with your own papers: void each with flanco void, and post it again with its right time.",
      details: { records: unplaced },
    });
  }
  if (misplaced !== null) {
    const { records, seconds } = misplaced;
    faults.push({
      code: "clock_wrong",
      sinceMs: since("clock_wrong"),
      message: `The clock was set by ${seconds} seconds after it was first trusted: ${counted(records, "sale")} stand under a wrong time.`,
      hint: "Check that the clock is right, then see what would be moved with flanco clock correct, and move it with --apply.",
      details: { records, seconds },
    });
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
    faults.push({
      code: "disk_low",
      sinceMs: since("disk_low"),
      message: `The disk is nearly full: ${free} MB of ${total} MB are free.`,
      hint: "Remove what is not needed from the disk of the data directory, or move backups away; delete nothing of the ledger's own files.",
      details: { freeBytes, totalBytes },
    });
  }
  if (card !== null && isWorn(card)) {
    const { device, lifeUsedPercent, spareBlocks } = card;
    faults.push({
      code: "card_worn",
      sinceMs: since("card_worn"),
      message: `The card ${device} is nearly worn out and may soon lose what is written to it.`,
      hint: "Run flanco backup to another disk, then replace the card.",
      details: {
        device,
        ...(lifeUsedPercent === null ? {} : { lifeUsedPercent }),
        ...(spareBlocks === null ? {} : { spareBlocks }),
      },
    });
  }
  return faults;
}

/** Also used while no service runs. */
export function machineFaults(machine: Machine, since: (what: string) => number): readonly Fault[] {
  const { isVoltageLow, temperature, memory, fileSystemErrors, syncMs } = machine;
  const faults: Fault[] = [];
  if (syncMs !== null && syncMs >= SLOW_SYNC_MS) {
    faults.push({
      code: "disk_slow",
      sinceMs: since("disk_slow"),
      message: `The disk is slow: one synced write in a hundred takes ${syncMs} ms or more.`,
      hint: "Replace the card by one for continuous recording (High Endurance).",
      details: { syncMs },
    });
  }
  if (fileSystemErrors !== null && fileSystemErrors > 0) {
    faults.push({
      code: "file_system_errors",
      sinceMs: since("file_system_errors"),
      message: `The ledger's file system has met ${counted(fileSystemErrors, "error")}: the card or disk may be failing.`,
      hint: "Run flanco backup to another disk, read the kernel's log (journalctl -k), and replace the card.",
      details: { errors: fileSystemErrors },
    });
  }
  if (isVoltageLow === true) {
    faults.push({
      code: "voltage_low",
      sinceMs: since("voltage_low"),
      message:
        "The voltage of the gateway's power supply is too low: it may restart, and its card may be damaged.",
      hint: "Use the power supply that the gateway's maker sells, and a short cable.",
      details: {},
    });
  }
  if (temperature !== null && temperature >= HOT_CELSIUS) {
    faults.push({
      code: "too_hot",
      sinceMs: since("too_hot"),
      message: `The gateway has ${temperature} °C: it works more slowly and ages faster.`,
      hint: "Give it air: open the cabinet, keep it away from other warm devices, or add a fan.",
      details: { temperature },
    });
  }
  if (memory !== null && memory.availableBytes < memory.totalBytes * LITTLE_MEMORY_SHARE) {
    const [available, total] = [memory.availableBytes, memory.totalBytes].map((bytes) =>
      Math.floor(bytes / MEGABYTE),
    );
    faults.push({
      code: "memory_low",
      sinceMs: since("memory_low"),
      message: `The gateway's memory is nearly used up: ${available} MB of ${total} MB are available.`,
      hint: "See which program takes it (ps aux --sort=-rss | head): only flanco should run on this gateway.",
      details: { availableBytes: memory.availableBytes, totalBytes: memory.totalBytes },
    });
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
      {
        code: "backup_missing",
        sinceMs: startedMs + FIRST_BACKUP_GRACE_MS,
        message: `There is no proven backup of the ledger, though the service has run for ${hours} hours.`,
        hint: "Run flanco backup: it says what keeps it from working.",
        details: { hours },
      },
    ];
  }
  // A backup of unknown age was there when this process began, so it is at least as old as the process.
  const ageMs = lastBackup.ageMs ?? uptimeMs;
  if (ageMs <= OLD_BACKUP_MS) return [];
  const days = Math.floor(ageMs / DAY_MS);
  return [
    {
      code: "backup_old",
      sinceMs: lastBackup.madeMs + OLD_BACKUP_MS,
      message: `The newest proven backup of the ledger is ${days} days old.`,
      hint: "Run flanco backup: it says what keeps it from working.",
      details: { madeTime: lastBackup.madeMs, days },
    },
  ];
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
