import type { LastBackup } from "./backup.ts";
import type { Disk } from "./disk.ts";
import type { Fault } from "./fault.ts";
import type { GapCount } from "./gap-count.ts";
import type { Id } from "./id.ts";
import type { DriverName } from "./line.ts";
import type { LineFailure } from "./lines.ts";
import type { EdgeQueue, Queue } from "./queue.ts";
import type { Provisional } from "./record.ts";

/** How money is shown: the ledger itself counts in millionths of whatever it is. */
export interface Currency {
  /** ISO 4217: EUR. */
  readonly code: string;
  /** Places after the point, 0 to 6. */
  readonly decimals: number;
}

/** What the ledger tells of itself for a look at the appliance, of one user or of all. */
export interface LedgerStatus {
  readonly today: Today;
  /** Every wired line, by line. */
  readonly lastEdges: readonly LastEdge[];
  readonly gaps: GapCount;
  /** Without those that are void: nobody need place them any more. */
  readonly provisional: Provisional;
}

/** What was sold since midnight. */
export interface Today {
  /** The local day: 2026-11-21. */
  readonly day: string;
  /** Number of records. */
  readonly sales: number;
  /** A decimal text, because it may leave the safe integers. */
  readonly revenueMicros: string;
}

/** The level that a wired line came to last. */
export interface LastEdge {
  readonly line: string;
  readonly deviceId: Id;
  readonly dId: string;
  readonly deviceName: string;
  readonly room: string;
  /** Null before the first sight of the line. */
  readonly active: boolean | null;
  /** When it came to that level, in Unix milliseconds; null before the first sight. */
  readonly timeMs: number | null;
  /** Whether that time is not trusted. */
  readonly provisional: boolean;
}

export interface Queues {
  /** Writes that wait for their commit. */
  readonly writes: Queue;
  /** Levels of lines that the ledger has not taken in. */
  readonly edges: EdgeQueue;
}

export interface ClockStatus {
  /** What the gateway believes, in Unix milliseconds. */
  readonly nowMs: number;
  readonly trusted: boolean;
  /** Since when, as far as this process knows; null while it is not trusted. */
  readonly trustedSinceMs: number | null;
  readonly bootId: string;
}

/** The newest proven backup, and how old it is. */
export interface BackupStatus extends LastBackup {
  /** Null where a clock that was not trusted left no way to tell. */
  readonly ageMs: number | null;
}

/** What an appliance is, whether it runs or not. */
export interface ApplianceFacts {
  readonly version: string;
  readonly timeZone: string;
  readonly currency: Currency;
  readonly lastBackup: BackupStatus | null;
  /** Null as long as it could not be read. */
  readonly disk: Disk | null;
}

/** How a running appliance is, as one user sees it or as a whole. Crosses the control socket as it is. */
export interface Status extends ApplianceFacts, LedgerStatus {
  readonly driver: DriverName;
  readonly simulated: boolean;
  readonly startedMs: number;
  readonly uptimeMs: number;
  readonly clock: ClockStatus;
  readonly linesWired: number;
  readonly linesWatched: number;
  readonly lineFailures: readonly LineFailure[];
  readonly queues: Queues;
  /** What a person must see to. */
  readonly faults: readonly Fault[];
}

/** Whoever can tell how the appliance is. */
export interface StatusReader {
  /** Of one user, or of the whole appliance. Throws as the ledger's reads do. */
  status(userId?: Id): Status;
}
