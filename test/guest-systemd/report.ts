import type { Drive, Gap, LedgerRow, Outage } from "../guest/report.ts";
import type { Said } from "../guest/told.ts";
import type { Confined, JournalEntry } from "./inside/unit.ts";

/** Where the machine has the bundled program. */
export const PROGRAM = "/usr/lib/flanco/program";

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
  /** What systemd shows of the service once it is up. */
  readonly shown: { readonly status: string; readonly stored: number };
  readonly killed: Absence;
  readonly restarted: Absence;
  readonly stopped: Absence;
  readonly control: Absence;
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
    readonly commands: readonly Confined[];
    /** A command that calls what is forbidden. */
    readonly control: Confined;
  };
  /** `flanco verify` on the finished ledger. */
  readonly verified: Said;
}
