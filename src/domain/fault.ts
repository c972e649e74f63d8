import type { ProvenBackup } from "./backup.ts";
import { MINUTE_MS } from "./clock.ts";
import type { Loss } from "./gap.ts";

/** When a fault is one, and what to do. Programs and translations depend on these codes: they never change. */
export const FAULTS = {
  disk_full: {
    when: "posts are refused, because the disk is full",
    hint: "Free at least 8 MB on the disk of the data directory. Recording goes on by itself; do not delete the ledger's own files.",
  },
  disk_low: {
    when: "free space is below 256 MiB (on a small disk: a twentieth), or below the ledger's size, which a backup needs",
    hint: "Remove what is not needed from the disk of the data directory, or move backups away; delete nothing of the ledger's own files.",
  },
  disk_slow: {
    when: "of the newest 100 syncs of the ledger two took 250 ms or more",
    hint: "Replace the card by one for continuous recording (High Endurance).",
  },
  card_worn: {
    when: "the card reports that its life or its spare blocks are nearly used up",
    hint: "Run flanco backup to another disk, then replace the card.",
  },
  file_system_errors: {
    when: "the ledger's file system (ext4) has met errors",
    hint: "Run flanco backup to another disk, read the kernel's log (journalctl -k), and replace the card.",
  },
  voltage_low: {
    when: "a Raspberry Pi reports that its supply's voltage is too low",
    hint: "Use the power supply that the gateway's maker sells, and a short cable.",
  },
  too_hot: {
    when: "the gateway has 80 °C or more",
    hint: "Give it air: open the cabinet, keep it away from other warm devices, or add a fan.",
  },
  memory_low: {
    when: "less than a twentieth of the memory is available",
    hint: "See which program takes it (ps aux --sort=-rss | head): only flanco should run on this gateway.",
  },
  backup_failed: {
    when: "the last backup failed",
    hint: "It is tried again every hour; earlier backups were kept. Run flanco backup to see it work.",
  },
  backup_missing: {
    when: "the service has run for 25 hours without a backup",
    hint: "Run flanco backup: it says what keeps it from working.",
  },
  backup_old: {
    when: "the newest proved backup is more than two days old",
    hint: "Run flanco backup: it says what keeps it from working.",
  },
  backup_foreign: {
    when: "the removable disk holds backups of another ledger",
    hint: "If the disk is another gateway's, give it back. If they are this gateway's, from before its card was replaced, keep them elsewhere and remove the folder.",
  },
  tail_failed: {
    when: "the tail, which a rebuild needs beside the newest backup, cannot be written",
    hint: "Everything is recorded all the same. It goes on by itself once the disk takes it again, or with the next backup: look at the backup disk.",
  },
  ledger_damaged: {
    when: "the full check, or the one of a backup, has findings that are not acknowledged",
    hint: "Run flanco verify to see all of it. Keep a copy of the data directory: the file may have been altered on purpose.",
  },
  check_failed: {
    when: "the full check could not run",
    hint: "It is tried again every hour. Run flanco verify to see it work.",
  },
  records_lost: {
    when: "a damaged file was rebuilt, and some entries could not be recovered",
    hint: "Compare these hours with your own papers, and post what is missing.",
  },
  clock_untrusted: {
    when: "the clock was not set within five minutes of boot",
    hint: "Connect the gateway to the network, and let it reach a time server (NTP).",
  },
  records_unplaced: {
    when: "the time of some records will never be known; the fault ends when they are voided",
    hint: "Compare them with your own papers: void each with flanco void, and post it again with its right time.",
  },
  clock_off: {
    when: "the gateway's trusted clock and the company's database's are more than a minute apart",
    hint: "Compare both with a right clock: on the gateway timedatectl shows it and its time server; else tell the company.",
  },
  clock_wrong: {
    when: "the clock was set to another time after it was trusted",
    hint: "Check that the clock is right, then see what would be moved with flanco clock correct, and move it with --apply.",
  },
  line_failed: {
    when: "a wired line is not watched",
    hint: "It is tried again every 5 seconds; flanco gpio detect shows all lines with the programs that use them.",
  },
  edges_refused: {
    when: "edges wait for a reason other than a full disk, or the ledger refused one",
    hint: "Read the service's log (journalctl -u flanco), which names the reason, and run flanco verify.",
  },
  edges_lost: {
    when: "edges came faster than they could be kept, in the last 24 hours",
    hint: "Look at the relay and its contacts (a fluttering one needs a longer debounce_ms), and at whether the disk keeps up; then post what is missing.",
  },
  line_outage: {
    when: "a line was not watched for a minute or more, in the last 24 hours",
    hint: "Compare this time with your own papers, and post what is missing.",
  },
  queue_filling: {
    when: "1,000 edges or 3,072 writes wait for the disk",
    hint: "The disk is slow, full or failing: look at its free room and at the kernel's log (dmesg). Nothing that waits is lost as long as the service runs.",
  },
  certificate_refused: {
    when: "a certificate in certificates_dir is unusable; another one is served",
    hint: "Mend it, or remove its files: they are looked at every 15 seconds. Until then the next good one is served, or the appliance's own.",
  },
  certificate_ending: {
    when: "the served certificate ends within 14 days and has no successor",
    hint: "Put the next one in its place. After that the appliance's own is served, and browsers that do not trust it show a warning.",
  },
  clinic_moved: {
    when: "another gateway took the clinic over, within the last week",
    hint: "Wire the relays to the other gateway, then switch this one off for good: systemctl disable --now flanco. If the clinic stays here, ignore this.",
  },
  sink_failing: {
    when: "a configured sink has been behind for ten minutes, and its last try failed",
    hint: "Mend what it says. What waits is kept and sent later by itself; flanco forward test tries at once.",
  },
} as const satisfies Readonly<Record<string, { readonly when: string; readonly hint: string }>>;
export type FaultCode = keyof typeof FAULTS;
export const FAULT_CODES = Object.keys(FAULTS) as readonly FaultCode[];

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

export function fault(code: FaultCode, sinceMs: number, message: string, details: FaultDetails = {}): Fault {
  return { code, sinceMs, message, hint: FAULTS[code].hint, details };
}

/** What stays the same of a fault while it lasts: its numbers may change at every look. */
export function faultName({ code, details }: Pick<Fault, "code" | "details">): string {
  const of = ["line", "queue", "directory", "sink", "to"].map((name) => details[name]);
  return `${code} ${of.find((value) => value !== undefined) ?? ""}`.trim();
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
  return fault(
    "disk_full",
    sinceMs,
    "The disk is full: posted records are refused, and switchings wait to be recorded.",
  );
}

/** The last backup has failed; earlier backups are still there. */
export function backupFailedFault(directory: string, reason: string, sinceMs: number): Fault {
  return fault("backup_failed", sinceMs, `The backup to ${directory} has failed: ${reason}`, {
    directory,
    reason,
  });
}

/** What the newest backup lacks is not copied beside the ledger. */
export function tailFailedFault(reason: string, sinceMs: number): Fault {
  return fault(
    "tail_failed",
    sinceMs,
    `The copy of what the newest backup lacks cannot be written: ${reason}.`,
    { reason },
  );
}

/** The disk for second backups holds those of other ledgers too. They are neither used nor removed. */
export function foreignFault(directory: string, foreign: readonly ProvenBackup[], sinceMs: number): Fault {
  const ledgers = foreign
    .map(({ ledger, locations, records, madeMs }) => {
      const date = new Date(madeMs).toISOString().slice(0, 10);
      return `${locations.join(", ") || "no location"} (${records} records, ${date}, folder ${ledger})`;
    })
    .join("; ");
  return fault(
    "backup_foreign",
    sinceMs,
    `The backup disk ${directory} holds backups of another ledger: ${ledgers}.`,
    { directory, ledgers },
  );
}

/** Another gateway has taken the clinic over, and this one goes on recording. */
export function movedFault(address: string, sinceMs: number): Fault {
  return fault(
    "clinic_moved",
    sinceMs,
    `Another gateway (${address}) took this clinic over; this one goes on recording, and what it records since then is not there.`,
    { address },
  );
}

export function damagedFault(what: string, sinceMs: number): Fault {
  return fault("ledger_damaged", sinceMs, `The full check of the ledger has found a mistake: ${what}`, {
    what,
  });
}

/** The full check could not run, so nothing is known of the ledger. */
export function checkFailedFault(reason: string, sinceMs: number): Fault {
  return fault("check_failed", sinceMs, `The full check of the ledger could not be made: ${reason}`, {
    reason,
  });
}

/** A damaged ledger file was replaced, and some of its entries could not be recovered. */
export function lostFault({ notedMs, lostFrom, lostTo, reason }: Loss): Fault {
  const what =
    lostFrom === lostTo
      ? `The entry ${lostFrom} of the ledger was`
      : `The entries ${lostFrom} to ${lostTo} of the ledger were`;
  return fault("records_lost", notedMs, `${what} lost with a damaged file: ${reason}.`, {
    from: lostFrom,
    to: lostTo,
    reason,
  });
}

/** The administrator's certificate cannot be served; another one is. */
export function certificateRefusedFault(file: string, reason: string, sinceMs: number): Fault {
  return fault("certificate_refused", sinceMs, `The certificate ${file} is refused: ${reason}.`, {
    file,
    reason,
  });
}

/** The administrator's certificate ends soon. */
export function certificateEndingFault(file: string, endsMs: number, days: number, sinceMs: number): Fault {
  return fault(
    "certificate_ending",
    sinceMs,
    `The certificate ${file} ends on ${new Date(endsMs).toISOString()}.`,
    { file, endsTime: endsMs, days },
  );
}

/** How long a fault must last before people are told: many pass by themselves. */
const BEGUN_MS = 2 * MINUTE_MS;
/** How long it must be away before it is over: a fault that comes and goes is one. Longer than a restart takes to find it again. */
const OVER_MS = 15 * MINUTE_MS;

/** They tell of something that has happened, and end a day later. */
const PAST: ReadonlySet<FaultCode> = new Set(["edges_lost", "line_outage"]);

/** What people are to be told after a look. */
export interface FaultNews {
  readonly begun: readonly Fault[];
  /** Faults as they were told of. */
  readonly over: readonly Fault[];
}

/** Tells of each fault once when it begins and once when it is over. */
export class FaultWatch {
  /** Those that were told of and are not over, by name. */
  readonly #known: Map<string, Fault>;
  /** Since when others are seen, in monotonic time. */
  readonly #seenSinceMs = new Map<string, number>();
  /** Since when known ones are not seen. */
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
