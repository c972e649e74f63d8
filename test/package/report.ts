import type { LedgerRow } from "../guest/report.ts";
import type { Absence } from "../guest-systemd/report.ts";

/** How a program in the guest ended, and what it wrote. */
export interface Said {
  readonly exitCode: number | null;
  readonly said: string;
}

/** How the service is, as far as systemd and dpkg know it. */
export interface Seen {
  /** The service's main process; 0 for none. */
  readonly pid: number;
  /** dpkg's word for the package: `installed`, `half-configured`. */
  readonly state: string;
}

/** How the service was after a step. */
export interface After extends Seen {
  /** Exit code of `flanco health`. */
  readonly health: number | null;
}

/** One step of the package's proof, by its name. */
export interface PackageReport extends Said {
  readonly step: string;
  readonly before?: Seen;
  readonly after?: After;
  /** Names in a folder afterwards. */
  readonly left?: readonly string[];
  readonly absence?: Absence;
  /** The ledger's rows since the step began, or all of them. */
  readonly rows?: readonly LedgerRow[];
}

/** A sale that was acknowledged, told the moment it was. */
export interface Acknowledged {
  /** Of the sale that was posted. */
  readonly acknowledgedMs: number;
}

/** When the host may cut the power. */
export const CUT_HERE = "cut here";
