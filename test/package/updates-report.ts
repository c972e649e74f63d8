import type { AuditDetails } from "../../src/domain/audit.ts";
import type { UpdatesStatus } from "../../src/domain/status.ts";
import type { ProgramOutput } from "../guest/told.ts";

/** How the gateway was after a night. */
export interface NightReport extends ProgramOutput {
  readonly isWell: boolean;
  /** dpkg's word for the package. */
  readonly state: string;
  readonly updates: UpdatesStatus | null;
  /** The version that works: what dpkg has, or what it was before one that did not work. */
  readonly version: string;
  /** When the night began, and when the newest backup was made, in Unix milliseconds. */
  readonly beganMs: number;
  readonly backupMs: number;
  /** Codes of the faults that are there. */
  readonly faults: readonly string[];
  /** The audit entries of updates, newest first. */
  readonly audit: readonly { readonly kind: string; readonly details: AuditDetails }[];
  /** Whether the root is read-only, as on a card. */
  readonly isRootClosed: boolean;
}

/** By the steps' names. */
export type Reports = Readonly<Record<string, NightReport>>;
