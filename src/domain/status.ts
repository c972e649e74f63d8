import type { ProvenBackup } from "./backup.ts";
import type { Fault } from "./fault.ts";
import type { GapCount } from "./gap.ts";
import type { GatewayMark, OtherGateway } from "./gateway.ts";
import type { Id } from "./id.ts";
import type { DriverName, EdgeQueue, LineFailure, Queue } from "./line.ts";
import type { LineTest } from "./line-test.ts";
import type { Disk, Machine } from "./machine.ts";
import type { Provisional } from "./record.ts";
import type { SinkStatus } from "./sink-status.ts";

/** How money is shown. The ledger counts in millionths of the unit. */
export interface Currency {
  /** ISO 4217: EUR. */
  readonly code: string;
  /** Places after the point, 0 to 6. */
  readonly decimals: number;
}

/** The ledger's part of the status, of one user or of all. */
export interface LedgerStatus {
  readonly today: Today;
  /** Every wired line, by line. */
  readonly lastEdges: readonly LastEdge[];
  readonly gaps: GapCount;
  /** Without voided records: their time does not matter. */
  readonly provisional: Provisional;
  /** Sales that were recorded by a clock that was set to another time later; null without any. */
  readonly misplaced: { readonly records: number; readonly seconds: number } | null;
}

export interface Today {
  /** The local day: 2026-11-21. */
  readonly day: string;
  /** Number of records. */
  readonly sales: number;
  /** A decimal text, because it may leave the safe integers. */
  readonly revenueMicros: string;
}

/** The last level of a wired line. */
export interface LastEdge {
  readonly line: string;
  readonly deviceId: Id;
  readonly dId: string;
  readonly deviceName: string;
  readonly room: string;
  /** Null before the first sighting of the line. */
  readonly active: boolean | null;
  /** When it changed to that level, in Unix milliseconds; null before the first sighting. */
  readonly timeMs: number | null;
  /** Whether that time is not trusted. */
  readonly provisional: boolean;
}

export interface Queues {
  /** Writes that wait for their commit. */
  readonly writes: Queue;
  /** Levels of lines that wait for their commit. */
  readonly edges: EdgeQueue;
}

export interface ClockStatus {
  /** Unix milliseconds by the gateway's clock, trusted or not. */
  readonly nowMs: number;
  readonly trusted: boolean;
  /** Since when, as far as this process knows; null while it is not trusted. */
  readonly trustedSinceMs: number | null;
  readonly bootId: string;
}

/** The newest proven backup, and how old it is. */
export interface BackupStatus
  extends Pick<ProvenBackup, "madeMs" | "provedMs" | "records" | "position" | "head" | "clockTrusted"> {
  /** Null when the clock was not trusted, so that the age is unknown. */
  readonly ageMs: number | null;
}

/** A package of flanco that is newer than the running program. It is only named: nothing of it is checked. */
export interface NewerPackage {
  /** As Debian writes it: 0.2.0. */
  readonly version: string;
  /** The removable disk, or apt's lists. */
  readonly source: "disk" | "apt";
  /** The path of the file on the disk; null in apt's lists. */
  readonly file: string | null;
  /** What it brings, as it says itself, in each language; empty where it does not say. At most 2,000 characters. */
  readonly notes: { readonly es: string; readonly en: string };
  /** What installs it, for root's shell. */
  readonly command: string;
}

/** The part of the status that is known without a running service. */
export interface ApplianceFacts {
  readonly version: string;
  readonly timeZone: string;
  readonly currency: Currency;
  readonly lastBackup: BackupStatus | null;
  /** Null when it could not be read. */
  readonly disk: Disk | null;
}

/** The status of a running appliance, as one user sees it or as a whole. */
export interface Status extends ApplianceFacts, LedgerStatus {
  readonly driver: DriverName;
  readonly simulated: boolean;
  readonly startedMs: number;
  readonly uptimeMs: number;
  readonly clock: ClockStatus;
  readonly linesWired: number;
  readonly linesWatched: number;
  readonly lineFailures: readonly LineFailure[];
  /** Lines under test. */
  readonly tests: readonly LineTest[];
  readonly queues: Queues;
  readonly machine: Machine;
  readonly gateway: GatewayMark;
  /** Of the same local network; none where none are looked for. */
  readonly otherGateways: readonly OtherGateway[];
  /** The systems that are sent to, as they are configured. */
  readonly sinks: readonly SinkStatus[];
  /** Null where none is known. */
  readonly newerPackage: NewerPackage | null;
  /** What needs a person's attention. */
  readonly faults: readonly Fault[];
}

export interface StatusReader {
  /** The status of one user, or of the whole appliance. Rejects as the ledger's reads do. */
  status(userId?: Id): Promise<Status>;
}
