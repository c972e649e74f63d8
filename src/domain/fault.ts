import type { ProvenBackup } from "./backup.ts";
import { MINUTE_MS } from "./clock.ts";

const MEGABYTE = 1_000_000;

/** How bad a fault is, the worst first. */
export const SEVERITIES = [
  /** Sales are lost or refused meanwhile: people are told of it at any hour. */
  "grave",
  "alarm",
  /** A clinic can go on working, and everything is recorded. */
  "warning",
  /** A warning for those alone who see the state of the gateway, and can see to it. */
  "note",
] as const;
export type Severity = (typeof SEVERITIES)[number];

interface FaultText {
  readonly severity: Severity;
  readonly when: string;
  /** The fault in one sentence for a technician, by its details. */
  what(details: FaultDetails): string;
  readonly hint: string;
  /** The details that tell how much was sold, or who sells. The text does without them. */
  readonly sales?: readonly string[];
}

/** The values in a fault's text, for translations. Times are in Unix milliseconds. */
export type FaultDetails = Readonly<Record<string, string | number>>;

/**
 * When a fault is one, its text, and what to do. Programs
 * and translations depend on these codes: they never change.
 */
export const FAULTS = {
  disk_full: {
    severity: "grave",
    when: "posts are refused, because the disk is full",
    what: () => "The disk is full: posted records are refused, and switchings wait to be recorded.",
    hint: "Free at least 8 MB on the disk of the data directory. Recording goes on by itself; do not delete the ledger's own files.",
  },
  disk_low: {
    severity: "warning",
    when: "free space is below 256 MiB (on a small disk: a twentieth), or below the ledger's size, which a backup needs",
    what: ({ freeBytes, totalBytes }: { freeBytes: number; totalBytes: number }) =>
      `The disk is nearly full: ${megabytes(freeBytes)} MB of ${megabytes(totalBytes)} MB are free.`,
    hint: "Remove what is not needed from the disk of the data directory, or move backups away; delete nothing of the ledger's own files.",
  },
  disk_slow: {
    severity: "note",
    when: "of the newest 100 syncs of the ledger two took 250 ms or more",
    what: ({ syncMs }: { syncMs: number }) =>
      `The disk is slow: one synced write in a hundred takes ${syncMs} ms or more.`,
    hint: "Replace the card by one for continuous recording (High Endurance).",
  },
  card_worn: {
    severity: "alarm",
    when: "the card reports that its life or its spare blocks are nearly used up",
    what: ({ device }: { device: string; lifeUsedPercent?: number; spareBlocks?: string }) =>
      `The card ${device} is nearly worn out and may soon lose what is written to it.`,
    hint: "Run flanco backup to another disk, then replace the card.",
  },
  file_system_errors: {
    severity: "alarm",
    when: "the ledger's file system (ext4) has met errors",
    what: ({ errors }: { errors: number }) =>
      `The ledger's file system has met ${counted(errors, "error")}: the card or disk may be failing.`,
    hint: "Run flanco backup to another disk, read the kernel's log (journalctl -k), and replace the card.",
  },
  voltage_low: {
    severity: "warning",
    when: "a Raspberry Pi reports that its supply's voltage is too low; Debian's kernels, as on the card images, cannot tell",
    what: () =>
      "The voltage of the gateway's power supply is too low: it may restart, and its card may be damaged.",
    hint: "Use the power supply that the gateway's maker sells, and a short cable.",
  },
  too_hot: {
    severity: "alarm",
    when: "the gateway has 80 °C or more",
    what: ({ temperature }: { temperature: number }) =>
      `The gateway has ${temperature} °C: it works more slowly and ages faster.`,
    hint: "Give it air: open the cabinet, keep it away from other warm devices, or add a fan.",
  },
  memory_low: {
    severity: "warning",
    when: "less than a twentieth of the memory is available",
    what: ({ availableBytes, totalBytes }: { availableBytes: number; totalBytes: number }) =>
      `The gateway's memory is nearly used up: ${megabytes(availableBytes)} MB of ${megabytes(totalBytes)} MB are available.`,
    hint: "See which program takes it (ps aux --sort=-rss | head): only flanco should run on this gateway.",
  },
  backup_failed: {
    severity: "alarm",
    when: "the last backup failed",
    what: ({ directory, reason }: { directory: string; reason: string }) =>
      `The backup to ${directory} has failed: ${reason}`,
    hint: "It is tried again every hour; earlier backups were kept. Run flanco backup to see it work.",
  },
  backup_missing: {
    severity: "warning",
    when: "the service has run for 25 hours without a backup",
    what: ({ hours }: { hours: number }) =>
      `There is no proven backup of the ledger, though the service has run for ${hours} hours.`,
    hint: "Run flanco backup: it says what keeps it from working.",
  },
  backup_old: {
    severity: "warning",
    when: "the newest proved backup is more than two days old",
    what: ({ days }: { madeTime: number; days: number }) =>
      `The newest proven backup of the ledger is ${days} days old.`,
    hint: "Run flanco backup: it says what keeps it from working.",
  },
  backup_disk_missing: {
    severity: "alarm",
    when: "no disk has been mounted at backup_disk_dir for an hour",
    what: ({ directory }: { directory: string }) =>
      `No disk is mounted at ${directory}: there is no backup there.`,
    hint: "Put the backup disk in, mount it as /etc/fstab says (mount -a), then run flanco backup.",
  },
  backup_foreign: {
    severity: "alarm",
    when: "the removable disk holds backups of another ledger",
    what: ({ directory, ledgers }: { directory: string; ledgers?: string }) =>
      `The backup disk ${directory} holds backups of another ledger${ledgers === undefined ? "" : `: ${ledgers}`}.`,
    sales: ["ledgers"],
    hint: "If the disk is another gateway's, give it back. If they are this gateway's, from before its card was replaced, keep them elsewhere and remove the folder.",
  },
  tail_failed: {
    severity: "warning",
    when: "the tail, which a rebuild needs beside the newest backup, cannot be written",
    what: ({ reason }: { reason: string }) =>
      `The copy of what the newest backup lacks cannot be written: ${reason}.`,
    hint: "Everything is recorded all the same. It goes on by itself once the disk takes it again, or with the next backup: look at the backup disk.",
  },
  copy_damaged: {
    severity: "alarm",
    when: "the weekly check found a damaged backup, or damage in the tail, until the next backup is proved",
    what: ({ what }: { what: string }) => `A copy of the ledger is damaged: ${what}`,
    hint: "The ledger itself is whole. Another backup is made by itself, within the hour. If this comes again, replace the card or the disk.",
  },
  ledger_damaged: {
    severity: "alarm",
    when: "the full check, or the one of a backup, has findings that are not acknowledged",
    what: ({ what }: { what?: string }) =>
      `The full check of the ledger has found a mistake${what === undefined ? "." : `: ${what}`}`,
    sales: ["what"],
    hint: "Run flanco verify to see all of it. Keep a copy of the data directory: the file may have been altered on purpose.",
  },
  ledger_unread: {
    severity: "warning",
    when: "the records, lines and gaps that the status tells of cannot be read",
    what: ({ reason }: { reason: string }) =>
      `Today's records, the lines and the gaps cannot be read from the ledger: ${reason}`,
    hint: "What else is told here is true. Run flanco verify: the file may be damaged.",
  },
  check_failed: {
    severity: "alarm",
    when: "the full check could not run",
    what: ({ reason }: { reason: string }) => `The full check of the ledger could not be made: ${reason}`,
    hint: "It is tried again every hour. Run flanco verify to see it work.",
  },
  records_lost: {
    severity: "alarm",
    when: "a damaged file was rebuilt, and some entries could not be recovered",
    what: ({ from, to, reason }: { from?: number; to?: number; reason: string }) => {
      const one = `The entry ${from} of the ledger was`;
      const several = `The entries ${from} to ${to} of the ledger were`;
      const entries = from === undefined ? "Entries of the ledger were" : from === to ? one : several;
      return `${entries} lost with a damaged file: ${reason}.`;
    },
    sales: ["from", "to"],
    hint: "Compare these hours with your own papers, and post what is missing.",
  },
  restore_dropped: {
    severity: "alarm",
    when: "a restored backup lacks sales of the ledger that it replaced, until an owner acknowledges it (flanco verify)",
    what: ({
      backup,
      sales,
      since,
      until,
    }: {
      backup: string;
      since: string;
      until: string;
      sales?: string | number;
    }) => {
      const records = typeof sales === "number" ? counted(sales, "record") : "records";
      const span = since === "" ? "" : `, from ${since} to ${until}`;
      return `The restored backup ${backup} lacks ${records} of the ledger that it replaced${span}.`;
    },
    sales: ["sales"],
    hint: "Bring them over from the replaced ledger, which is kept, or post them. Then an owner acknowledges it: flanco verify --acknowledge NAME.",
  },
  time_zone_changed: {
    severity: "alarm",
    when: "another time zone moved sales to other days, until an owner acknowledges it (flanco verify)",
    what: ({ from, to, sales }: { from: string; to: string; sales?: number }) =>
      `The time zone is ${to} and was ${from}: ${counted(sales, "sale")} changed the day, and the totals of days and months with it.`,
    sales: ["sales"],
    hint: "If that is wrong, set time_zone in flanco.toml and restart: the totals are as before then. An owner acknowledges it: flanco verify --acknowledge NAME.",
  },
  clock_untrusted: {
    severity: "warning",
    when: "the clock was not set within five minutes of boot",
    what: ({ waiting = 0 }: { waiting?: number }) => {
      const moved = waiting === 0 ? "" : ` ${counted(waiting, "record")} will be moved once it is.`;
      return `The clock was not set from the network since the gateway was started.${moved}`;
    },
    hint: "Connect the gateway to the network, and let it reach a time server (NTP).",
    sales: ["waiting"],
  },
  records_unplaced: {
    severity: "warning",
    when: "the time of some records will never be known; the fault ends when they are voided",
    what: ({ records }: { records?: number }) =>
      `The time of ${counted(records, "record")} will never be known: the gateway lost its power before its clock was set.`,
    hint: "Compare them with your own papers: void each with flanco void, and post it again with its right time.",
    sales: ["records"],
  },
  clock_off: {
    severity: "alarm",
    when: "the gateway's trusted clock and the company's database's are more than a minute apart",
    /** Positive seconds: the gateway is ahead. */
    what: ({ sink, seconds }: { sink: string; seconds: number }) =>
      `The gateway's clock is ${Math.abs(seconds)} s ${seconds > 0 ? "ahead of" : "behind"} the clock of the sink ${sink}.`,
    hint: "Compare both with a right clock: on the gateway timedatectl shows it and its time server; else tell the company.",
  },
  company_differs: {
    severity: "warning",
    when: "the company's database counts this gateway's sales in another zone or currency than the gateway",
    what: ({ here, there }: { sink: string; here: string; there: string }) =>
      `This gateway counts in ${here}, the company's database in ${there}: their sums differ.`,
    hint: "Set time_zone or currency in flanco.toml, or have the company set the zone: flanco central gateway zone.",
  },
  clock_wrong: {
    severity: "warning",
    when: "the clock was set to another time after it was trusted",
    what: ({ records, seconds }: { records?: number; seconds: number }) =>
      `The clock was set by ${seconds} seconds after it was first trusted: ${counted(records, "sale")} stand under a wrong time.`,
    hint: "Check that the clock is right, then see what would be moved with flanco clock correct, and move it with --apply.",
    sales: ["records"],
  },
  line_failed: {
    severity: "grave",
    when: "a wired line is not watched",
    what: ({ line, reason }: { line: string; reason: string }) =>
      `The line ${line} is not watched, and its sales are not recorded: ${reason}`,
    hint: "It is tried again every 5 seconds; flanco gpio detect shows all lines with the programs that use them.",
  },
  edges_refused: {
    severity: "grave",
    when: "edges wait for a reason other than a full disk, or the ledger refused one",
    what: ({ waiting }: { waiting?: number }) =>
      `The ledger refuses to record switchings: ${waiting ?? "they"} wait in memory, and one that it cannot take in becomes a gap.`,
    sales: ["waiting"],
    hint: "Read the service's log (journalctl -u flanco), which names the reason, and run flanco verify.",
  },
  edges_lost: {
    severity: "alarm",
    when: "edges came faster than they could be kept, in the last 24 hours",
    what: ({ edges, sales, lines }: { gaps: number; edges?: number; sales?: number; lines: string }) => {
      const among = sales === undefined ? "" : `, ${counted(sales, "sale")} among them`;
      return `In the last 24 hours ${counted(edges, "switching")} went by unrecorded (${lines})${among}.`;
    },
    sales: ["edges", "sales"],
    hint: "Look at the relay and its contacts (a fluttering one needs a longer debounce_ms), and at whether the disk keeps up; then post what is missing.",
  },
  edges_swallowed: {
    severity: "alarm",
    when: "the hardware or the kernel did not report three edges or more in the last 24 hours",
    what: ({ edges, lines }: { edges?: number; lines: string }) =>
      `In the last 24 hours the hardware or the kernel did not report ${counted(edges, "switching")} (${lines}): they were found up to two seconds late.`,
    sales: ["edges"],
    hint: "Debian's kernels for the Raspberry Pi 3, 4 and Zero 2 W lose edges where many lines change at once. Give every line its own 4.7 kΩ to 3.3 V and, against bounce, 100 nF to ground (docs/technician.md).",
  },
  line_outage: {
    severity: "alarm",
    when: "a line was not watched for a minute or more, in the last 24 hours",
    what: ({ from, to, lines }: { gaps: number; from: number; to: number; lines: string }) =>
      `${lines} went unwatched for a time between ${iso(from)} and ${iso(to)}: what was switched on then has no record.`,
    hint: "Compare this time with your own papers, and post what is missing.",
  },
  queue_filling: {
    severity: "warning",
    when: "1,000 edges or 3,072 writes wait for the disk",
    what: ({ queue, waiting, limit }: { queue: "edges" | "writes"; waiting?: number; limit: number }) =>
      `${waiting ?? "Many"} ${queue === "edges" ? "switchings" : "writes"} wait for the disk; there is room for ${limit}.`,
    sales: ["waiting"],
    hint: "The disk is slow, full or failing: look at its free room and at the kernel's log (dmesg). Nothing that waits is lost as long as the service runs.",
  },
  certificate_refused: {
    severity: "warning",
    when: "a certificate in certificates_dir is unusable; another one is served",
    what: ({ file, reason }: { file: string; reason: string }) =>
      `The certificate ${file} is refused: ${reason}.`,
    hint: "Mend it, or remove its files: they are looked at every 15 seconds. Until then the next good one is served, or the appliance's own.",
  },
  certificate_ending: {
    severity: "alarm",
    when: "the served certificate ends within 14 days and has no successor",
    what: ({ file, endsTime }: { file: string; endsTime: number; days: number }) =>
      `The certificate ${file} ends on ${iso(endsTime)}.`,
    hint: "Put the next one in its place. After that the appliance's own is served, and browsers that do not trust it show a warning.",
  },
  authority_replaced: {
    severity: "warning",
    when: "the appliance made a new authority, within the last week: the one that browsers trusted was damaged, had ended or did not fit the host's name",
    what: () => "Browsers do not trust this gateway any more: its authority had to be made anew.",
    hint: "Have each computer, tablet and phone trust it again: open http:// with the gateway's name and http_port there. flanco tls show has the fingerprint.",
  },
  sinks_unreadable: {
    severity: "warning",
    when: "the sinks that were set up on the page cannot be read since the service was started",
    what: () =>
      "Nothing is sent to the sinks that were set up on the page: what was set up cannot be read, and they are off.",
    hint: "Set them up again on the page, as an owner. What the database and the broker lack is sent then.",
  },
  sink_failing: {
    severity: "warning",
    when: "a configured sink has been behind for ten minutes, and its last try failed",
    what: ({ sink, reason }: { sink: string; reason: string }) => `The sink ${sink} gets nothing: ${reason}`,
    hint: "Mend what it says. What waits is kept and sent later by itself; flanco forward test tries at once.",
  },
} as const satisfies Readonly<Record<string, FaultText>>;
export type FaultCode = keyof typeof FAULTS;
export const FAULT_CODES = Object.keys(FAULTS) as readonly FaultCode[];

/** A problem that needs a person's attention, in plain words. */
export interface Fault {
  readonly code: FaultCode;
  readonly sinceMs: number;
  readonly message: string;
  readonly hint: string;
  readonly details: FaultDetails;
}

/** The details that a fault's text needs: none, or one object. */
export type DetailsOf<C extends FaultCode> = Parameters<(typeof FAULTS)[C]["what"]>;

export function fault<C extends FaultCode>(code: C, sinceMs: number, ...given: DetailsOf<C>): Fault {
  const [details = {}]: readonly FaultDetails[] = given;
  const { what, hint }: FaultText = FAULTS[code];
  return { code, sinceMs, message: what(details), hint, details };
}

/** A fault as a role sees it that sees no money: without the numbers of sales in its text and its details. */
export function withoutSales<F extends Pick<Fault, "code" | "message" | "details">>(fault: F): F {
  const { sales = [], what }: FaultText = FAULTS[fault.code];
  const told = Object.entries(fault.details).filter(([name]) => !sales.includes(name));
  const details = Object.fromEntries(
    told.map(([name, value]) => [name, typeof value === "string" ? withoutEntries(value) : value]),
  );
  return { ...fault, message: sales.length === 0 ? withoutEntries(fault.message) : what(details), details };
}

/** A text without the numbers of the ledger's entries, which grow with each sale: `From entry N on`. */
export function withoutEntries(text: string): string {
  return text.replaceAll(/\b(entry|entries) \d+(?: to \d+)?/g, "$1 N");
}

/** What stays the same of a fault while it lasts: its numbers may change at every look. */
export function faultName({ code, details }: Pick<Fault, "code" | "details">): string {
  const of = ["line", "queue", "directory", "sink", "to"].map((name) => details[name]);
  return `${code} ${of.find((value) => value !== undefined) ?? ""}`.trim();
}

export function severityOf(code: FaultCode): Severity {
  return FAULTS[code].severity;
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

/** The disk for second backups holds those of other ledgers too. They are neither used nor removed. */
export function foreignFault(directory: string, foreign: readonly ProvenBackup[], sinceMs: number): Fault {
  const ledgers = foreign.map(({ ledger, locations, madeMs }) => {
    const date = iso(madeMs).slice(0, 10);
    return `${locations.join(", ") || "no location"} (${date}, folder ${ledger})`;
  });
  return fault("backup_foreign", sinceMs, { directory, ledgers: ledgers.join("; ") });
}

/** Some, where their number is not to be told. */
function counted(count: number | undefined, noun: string): string {
  if (count === undefined) return `some ${noun}s`;
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

function megabytes(bytes: number): number {
  return Math.floor(bytes / MEGABYTE);
}

function iso(timeMs: number): string {
  return new Date(timeMs).toISOString();
}

/** How long a fault must last before people are told of it: many pass by themselves. */
const BEGUN_MS = 2 * MINUTE_MS;
/**
 * How long a fault must be away before it is over, so that one that comes
 * and goes is told of once. Longer than a restart takes to find it again.
 */
const OVER_MS = 15 * MINUTE_MS;

/** Faults that tell of something past. They end a day after it. */
const PAST: ReadonlySet<FaultCode> = new Set(["edges_lost", "edges_swallowed", "line_outage"]);

/** What people are to be told after a look. */
export interface FaultNews {
  readonly begun: readonly Fault[];
  /** Faults as they were told of. */
  readonly over: readonly Fault[];
}

/** Tells of each fault once when it begins and once when it is over. */
export class FaultWatch {
  /** The faults that were told of and are not over, by name. */
  readonly #known: Map<string, Fault>;
  /** Since when faults that were not told of yet are seen, in monotonic milliseconds. */
  readonly #seenSinceMs = new Map<string, number>();
  /** Since when known faults are not seen, in monotonic milliseconds. */
  readonly #awaySinceMs = new Map<string, number>();

  /** @param known faults that an earlier process has told of */
  constructor(known: readonly Fault[]) {
    this.#known = new Map(known.map((fault) => [faultName(fault), fault]));
  }

  /** The faults that were told of and are not over. */
  get known(): readonly Fault[] {
    return [...this.#known.values()];
  }

  /** Takes in the faults of this moment of monotonic time. */
  look(faults: readonly Fault[], monotonicMs: number): FaultNews {
    const present = new Map(faults.map((fault) => [faultName(fault), fault]));
    for (const name of this.#seenSinceMs.keys()) if (!present.has(name)) this.#seenSinceMs.delete(name);
    for (const name of this.#awaySinceMs.keys()) if (present.has(name)) this.#awaySinceMs.delete(name);
    const begun = [...present].flatMap(([name, fault]) => {
      if (this.#known.has(name)) return [];
      if (monotonicMs - since(this.#seenSinceMs, name, monotonicMs) < BEGUN_MS) return [];
      this.#seenSinceMs.delete(name);
      this.#known.set(name, fault);
      return [fault];
    });
    const over = [...this.#known].flatMap(([name, fault]) => {
      if (present.has(name)) return [];
      if (monotonicMs - since(this.#awaySinceMs, name, monotonicMs) < OVER_MS) return [];
      this.#awaySinceMs.delete(name);
      this.#known.delete(name);
      return PAST.has(fault.code) ? [] : [fault];
    });
    return { begun, over };
  }
}

/** Since when something is noted; from now on where it was not. */
function since(noted: Map<string, number>, name: string, nowMs: number): number {
  const before = noted.get(name);
  if (before === undefined) noted.set(name, nowMs);
  return before ?? nowMs;
}
