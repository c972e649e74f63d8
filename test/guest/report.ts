import type { ConfinedCommand, JournalEntry } from "./inside/unit.ts";
import type { ProgramOutput } from "./told.ts";

/** A record's row, as the ledger's file holds it. Times in the units of their names. */
export interface LedgerRow {
  readonly room: string;
  readonly valorMicros: number;
  readonly origin: "posted" | "edge" | "found_at_start";
  readonly createdMs: number;
  readonly endedMs: number | null;
  readonly boot: number | null;
  readonly line: string | null;
  readonly request: number | null;
  readonly sequence: number | null;
  readonly monotonicNs: number | null;
}

/** `missed` is null for an outage. */
export interface Gap {
  readonly line: string;
  readonly missed: number | null;
  readonly reason: string;
}

/** When a line was not watched, in wall time. */
export interface Outage {
  readonly line: string;
  readonly fromMs: number;
  readonly toMs: number;
}

/** One level set by hand, with the guest's clocks just before and just after. */
export interface Drive {
  readonly room: string;
  readonly high: boolean;
  readonly beforeNs: number;
  readonly afterNs: number;
  readonly beforeMs: number;
  readonly afterMs: number;
}

/** Relays driven from before the process's end until after its return, and what the ledger made of it. */
export interface Absence {
  readonly drives: readonly Drive[];
  /** Monotonic time at which the process was told to end, or stopped. */
  readonly awayFromNs: number;
  /** Monotonic time at which systemd heard READY of the next one. */
  readonly awayToNs: number;
  readonly rows: readonly LedgerRow[];
  readonly gaps: readonly Gap[];
  /** Those of the gaps that are outages. */
  readonly outages: readonly Outage[];
  /** What the service's journal says meanwhile, one message each, systemd's own among them. */
  readonly journal: readonly JournalEntry[];
}

/** What each step of the proof came to. */
export interface Reports {
  /** The drivers' conformance suite. */
  readonly conformance: ProgramOutput;
  /** What systemd shows of the service once it is up. */
  readonly shown: { readonly status: string; readonly stored: number };
  readonly killed: Absence;
  readonly restarted: Absence;
  readonly stopped: Absence;
  readonly control: Absence;
  /** More edges on one line than the kernel's buffer holds, while the process was stopped. */
  readonly burst: {
    readonly driven: number;
    readonly interrupts: number;
    readonly rows: readonly LedgerRow[];
    readonly gaps: readonly Gap[];
  };
  /** One line unwired and, as the step waits for it, free again: what systemd keeps before and after. */
  readonly unwired: { readonly storedBefore: number; readonly storedAfter: number };
  /** The process told to end by a signal that systemd knows nothing of: when systemd took it for stopping. */
  readonly ended: {
    /** Monotonic time at which the unit ceased to be active. */
    readonly inactiveNs: number;
    readonly journal: readonly JournalEntry[];
  };
  /** The service and the program's commands under the unit's confinement, in which a forbidden call kills. */
  readonly confined: {
    /** Of /proc/PID/status and /proc/PID/limits: 2 is a filter. */
    readonly seccomp: number;
    readonly coreBytes: string;
    readonly openFiles: string;
    /** Which of the things that the service does by itself, or is told to, were seen in its journal. */
    readonly seen: readonly string[];
    readonly commands: readonly ConfinedCommand[];
    /** A command that calls what is forbidden. */
    readonly control: ConfinedCommand;
  };
  /** `flanco verify` on the finished ledger. */
  readonly verified: ProgramOutput;
}

/** Where the machine has the bundled program. */
export const PROGRAM = "/usr/lib/flanco/program";

/** Rooms of the eight lines, by the line's offset. */
export const ROOMS = ["101", "102", "103", "104", "105", "106", "107", "108"] as const;

/** Price of a sale in the room of a line, in units: each room has its own. */
export function valorOf(offset: number): number {
  return 10.25 + offset;
}

/** The name by which a line is kept. */
export function lineName(offset: number): string {
  return `RELAY${offset}`;
}

/** How a line is named when it is wired: by name and by chip and offset in turn, as technicians do. */
export function typedName(offset: number): string {
  return offset % 2 === 0 ? lineName(offset) : `gpiochip0:${offset}`;
}
