import type { Fault } from "./fault.ts";
import type { FaultDetails } from "./faults/entry.ts";
import type { Status } from "./status.ts";
import { shownText } from "./text.ts";

/** The most faults of a report, and the most characters of a text in one. */
export const MAX_REPORTED = 32;
export const MAX_DETAIL = 200;

/** What a gateway tells its company of itself. Times are Unix milliseconds of the gateway's clock. */
export interface GatewayReport {
  readonly version: string;
  readonly clockTrusted: boolean;
  /** The end of the certificate that HTTPS has; null before the ports are open. */
  readonly certificateEndsMs: number | null;
  /** The ledger's disk; null where it could not be read. `lifeUsedPercent` as `CardWear` has it. */
  readonly disk: {
    readonly freeBytes: number;
    readonly totalBytes: number;
    readonly lifeUsedPercent: number | null;
  } | null;
  /** Of when the newest proved backup is, and the newest one outside of the house; null without one. */
  readonly backupMs: number | null;
  readonly remoteBackupMs: number | null;
  /** Each code once, the worst first. */
  readonly faults: readonly ReportedFault[];
}

export interface ReportedFault {
  /** One of `FAULT_CODES`, or of those of a newer version. */
  readonly code: string;
  /** How many faults of this code there are. `details` and `sinceMs` are those of the first. */
  readonly count: number;
  readonly sinceMs: number;
  readonly details: FaultDetails;
}

export function reportOf(
  { version, clock, disk, lastBackup, sinks, faults }: Status,
  certificateEndsMs: number | null,
): GatewayReport {
  const codes = [...new Set(faults.map(({ code }) => code))].slice(0, MAX_REPORTED);
  return {
    version,
    clockTrusted: clock.trusted,
    certificateEndsMs,
    disk: disk && {
      freeBytes: disk.freeBytes,
      totalBytes: disk.totalBytes,
      lifeUsedPercent: disk.card?.lifeUsedPercent ?? null,
    },
    backupMs: lastBackup?.madeMs ?? null,
    remoteBackupMs: sinks.find(({ name }) => name === "remote")?.backup?.madeMs ?? null,
    faults: codes.flatMap((code) => reported(faults.filter((fault) => fault.code === code))),
  };
}

function reported(faults: readonly Fault[]): readonly ReportedFault[] {
  const [first] = faults;
  if (first === undefined) return [];
  const { code, sinceMs, details } = first;
  // PostgreSQL takes neither NUL nor halves of surrogate pairs.
  const shown = (value: string | number) =>
    typeof value === "number" ? value : shownText(value).slice(0, MAX_DETAIL).toWellFormed();
  const sent = Object.fromEntries(Object.entries(details).map(([name, value]) => [name, shown(value)]));
  return [{ code, count: faults.length, sinceMs: Math.round(sinceMs), details: sent }];
}
