import { FAULT_CODES, FAULTS, type Fault, faultName, makeFault } from "./fault.ts";
import { type FaultEntry, SEVERITIES } from "./faults/entry.ts";
import { type LedgerTroubles, type Status, UNKNOWN_MACHINE, UNREAD_LEDGER } from "./status.ts";

/** What faults are found in. */
export interface FaultReading
  extends Pick<
    Status,
    | "clock"
    | "disk"
    | "lastBackup"
    | "lineFailures"
    | "machine"
    | "provisional"
    | "queues"
    | "simulated"
    | "sinks"
    | "startedMs"
    | "uptimeMs"
  > {
  /** Faults that other parts of the service report. */
  readonly lasting: readonly { readonly code: string }[];
  readonly troubles: LedgerTroubles;
  /** Why the ledger's part could not be read; null where it could. */
  readonly unread: string | null;
  /** Kernel's monotonic time, in milliseconds: how long the machine has run. */
  readonly bootedForMs: number;
}

/** A reading with the faults that it holds already. */
export interface WholeReading extends FaultReading {
  readonly lasting: readonly Fault[];
}

/** A status before its faults are found. */
export type Reading = Omit<Status, "faults"> & WholeReading;

/** A reading without a fault, of which parts can be replaced. */
export const SOUND: WholeReading = {
  clock: { nowMs: 0, trusted: true, trustedSinceMs: null, bootId: "" },
  disk: null,
  lastBackup: null,
  lineFailures: [],
  machine: UNKNOWN_MACHINE,
  provisional: UNREAD_LEDGER.provisional,
  queues: { writes: { waiting: 0, limit: 1 }, edges: { waiting: 0, limit: 1, refused: false } },
  simulated: false,
  sinks: [],
  startedMs: 0,
  uptimeMs: 0,
  lasting: [],
  troubles: UNREAD_LEDGER.troubles,
  unread: null,
  bootedForMs: 0,
};

/**
 * All faults, the worst first. Pure. A service that has just started has no backup,
 * and a gateway that has just booted no trusted time: neither is a fault yet.
 * @param since when something was first seen, in Unix milliseconds, by the name of its fault
 */
export function faultsIn(reading: WholeReading, since: (name: string) => number): readonly Fault[] {
  const found = FAULT_CODES.flatMap((code) => {
    const entry: FaultEntry = FAULTS[code];
    return [entry.find?.(reading) ?? []].flat().map((details) => {
      const fault = makeFault(code, 0, details);
      return { ...fault, sinceMs: entry.beganMs?.(reading, details) ?? since(faultName(fault)) };
    });
  });
  const rank = ({ code }: Fault) => SEVERITIES.indexOf(FAULTS[code].severity);
  return [...reading.lasting, ...found].sort((one, other) => rank(one) - rank(other));
}
