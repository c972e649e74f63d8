import type { Absence, LedgerRow } from "../guest/report.ts";
import type { ProgramOutput } from "../guest/told.ts";

/** How the service is, as far as systemd and dpkg know it. */
export interface ServiceState {
  /** The service's main process; 0 for none. */
  readonly pid: number;
  /** dpkg's word for the package: `installed`, `half-configured`. */
  readonly state: string;
}

/** How the service was after a step. */
export interface StateAfterStep extends ServiceState {
  /** Exit code of `flanco health`. */
  readonly health: number | null;
}

/** What a step of the package's proof came to. */
export interface PackageReport extends ProgramOutput {
  readonly before?: ServiceState;
  readonly after?: StateAfterStep;
  /** Names in a folder afterwards. */
  readonly left?: readonly string[];
  readonly absence?: Absence;
  /** The ledger's rows since the step began, or all of them. */
  readonly rows?: readonly LedgerRow[];
  /** Of a posted sale, told the moment it was acknowledged. */
  readonly acknowledgedMs?: number;
}

/** By the steps' names. */
export type Reports = Readonly<Record<string, PackageReport>>;

/** Of a step that runs no program. */
export const NO_PROGRAM: ProgramOutput = { exitCode: 0, said: "" };
/** The step at which the host cuts the power. */
export const CUT_HERE = "cut here";
