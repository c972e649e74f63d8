import type { ProvenBackup } from "./backup.ts";
import type { LineTest } from "./commission.ts";
import type { ToldFault } from "./fault.ts";
import type { GapCount, LostEdges, SwallowedEdges, UnwatchedTime } from "./gap.ts";
import type { GatewayMark, OtherGateway } from "./gateway.ts";
import type { Id } from "./id.ts";
import type { LocationLimit } from "./limit.ts";
import type { DriverName, EdgeQueue, LineFailure, Queue } from "./line.ts";
import type { ProvisionalCounts } from "./record.ts";
import type { SettingDifference, SinkName } from "./sink.ts";

/** How money is shown. The ledger counts in millionths of the unit. */
export interface Currency {
  /** ISO 4217: EUR. */
  readonly code: string;
  /** Places after the point, 0 to 6. */
  readonly decimals: number;
}

/** The ledger's part of the status, of one user or of all. */
export interface LedgerStatus {
  /** Null for a role without money, and where the ledger could not be read: then the rest is empty. */
  readonly today: Today | null;
  /** Every wired line, by line. */
  readonly lastEdges: readonly LastEdge[];
  readonly gaps: GapCount;
  /** Without voided records: their time does not matter. */
  readonly provisional: ProvisionalCounts;
}

/** What the ledger tells of faults; each null without any. */
export interface LedgerTroubles {
  /** Edges that were lost in the last 24 hours. */
  readonly lost: LostEdges | null;
  /** Outages of a minute or more in the last 24 hours. */
  readonly unwatched: UnwatchedTime | null;
  /** Edges that were swallowed in the last 24 hours. */
  readonly swallowed: SwallowedEdges | null;
  /** Sales that were recorded by a clock that was set to another time later. */
  readonly misplaced: { readonly records: number; readonly seconds: number } | null;
}

/** What is known of a ledger that cannot be read. */
export const UNREAD_LEDGER: LedgerStatus & { readonly troubles: LedgerTroubles } = {
  today: null,
  lastEdges: [],
  gaps: { all: 0, last30Days: 0, swallowedLastDay: 0 },
  provisional: { waiting: 0, unplaced: 0 },
  troubles: { lost: null, unwatched: null, swallowed: null, misplaced: null },
};

export interface Today {
  /** The local day: 2026-11-21. */
  readonly day: string;
  readonly sales: number;
  /** In units of the currency. */
  readonly revenue: number;
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
  /** Since when the network has set it, as far as this process knows; null where it has not. */
  readonly trustedSinceMs: number | null;
  readonly bootId: string;
}

/** The newest proven backup, and how old it is. */
export interface BackupStatus
  extends Pick<ProvenBackup, "madeMs" | "provedMs" | "records" | "position" | "head" | "clockTrusted"> {
  /** Null when the clock was not trusted, so that the age is unknown. */
  readonly ageMs: number | null;
}

/** The part of a proven backup that the status tells. */
export function backupStatus(backup: ProvenBackup, ageMs: number | null): BackupStatus {
  const { madeMs, provedMs, records, position, head, clockTrusted } = backup;
  return { madeMs, provedMs, records, position, head, clockTrusted, ageMs };
}

/** A package of flanco that is newer than the running program. It is only named: nothing of it is checked. */
export interface NewerPackage {
  /** As Debian writes it: 0.2.0. */
  readonly version: string;
  /** The removable disk, or apt's lists. */
  readonly source: "disk" | "apt";
  /** The path of the file on the disk; null in apt's lists. */
  readonly file: string | null;
  /** What it brings, in its own words in each language; empty where it has none. At most 2,000 characters. */
  readonly notes: { readonly es: string; readonly en: string };
  /** What installs it, for root's shell. */
  readonly command: string;
}

/** Why the updates of a night failed: a power cut, a source, too little room, a package, or flanco's new version. */
export const UPDATE_FAILURES = ["interrupted", "source", "space", "package", "version"] as const;
export type UpdateFailure = (typeof UPDATE_FAILURES)[number];

/** How updates that come by themselves fare: Debian's security fixes, and flanco's own versions. */
export interface UpdatesStatus {
  /** When they come, in local time: `04:00-06:00`; empty: never. */
  readonly hours: string;
  /** When they were last looked for, and last came through, in Unix milliseconds; null: never. */
  readonly ranMs: number | null;
  readonly succeededMs: number | null;
  /** Why they failed last; null where they did not. */
  readonly failure: {
    readonly reason: UpdateFailure;
    /** When the first of the nights that failed one after the other was. */
    readonly sinceMs: number;
    /** The version of flanco that did not work; empty for other reasons. */
    readonly version: string;
    /** What a program said of it, for technicians; may be empty. */
    readonly message: string;
  } | null;
}

/** The part of the status that is known without a running service. */
export interface ApplianceFacts {
  readonly version: string;
  readonly timeZone: string;
  readonly currency: Currency;
  readonly lastBackup: BackupStatus | null;
  /** Null when it could not be read. */
  readonly disk: Disk | null;
  readonly machine: Machine;
  readonly faults: readonly ToldFault[];
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
  readonly tests: readonly LineUnderTest[];
  readonly queues: Queues;
  readonly gateway: GatewayMark;
  /** Of the same local network; none where none are looked for. */
  readonly otherGateways: readonly OtherGateway[];
  /** The systems that are sent to, as they are configured. */
  readonly sinks: readonly SinkStatus[];
  readonly newerPackage: NewerPackage | null;
  /** Null unless an administrator has let updates come by themselves. */
  readonly updates: UpdatesStatus | null;
}

/** A line whose edges are no sale for now. */
export interface LineUnderTest extends Omit<LineTest, "remainingMs"> {
  /** When the test ends by itself, in Unix milliseconds. */
  readonly untilMs: number;
}

export interface StatusReader {
  /**
   * The status of one user, within a member's limit, or of the
   * whole appliance. Rejects as the ledger's reads do.
   */
  status(userId?: Id, limit?: LocationLimit | null): Promise<Status>;
}

/** The state of the gateway's own hardware. Null: there is no sensor, or it could not be read. */
export interface Machine {
  /** Whether the supply's voltage is too low at this moment. Only a Raspberry Pi reports it. */
  readonly isVoltageLow: boolean | null;
  /** The hottest sensor, in degrees Celsius. */
  readonly temperature: number | null;
  readonly memory: Memory | null;
  /** Errors that the ledger's file system has met since its last complete check (ext4). */
  readonly fileSystemErrors: number | null;
  /** The name by which avahi announces it on the local network (mDNS), in lower case. */
  readonly announcedName: string | null;
  /** Of the ledger's newest 100 syncs, what 99 took at most, in milliseconds; null before there were as many. */
  readonly syncMs: number | null;
}

export interface Memory {
  readonly availableBytes: number;
  readonly totalBytes: number;
}

/** A gateway without sensors. */
export const UNKNOWN_MACHINE: Machine = {
  isVoltageLow: null,
  temperature: null,
  memory: null,
  fileSystemErrors: null,
  announcedName: null,
  syncMs: null,
};

/** The disk that the data directory lies on. */
export interface Disk {
  /** Bytes that the service may still write. */
  readonly freeBytes: number;
  readonly totalBytes: number;
  /** The ledger's file, and its log (WAL). */
  readonly ledgerBytes: number;
  readonly logBytes: number;
  /** Null for a disk that does not report its wear. */
  readonly card: CardWear | null;
}

/** The wear that an eMMC chip reports (JEDEC JESD84-B51, DEVICE_LIFE_TIME_EST and PRE_EOL_INFO), or a disk by SMART. */
export interface CardWear {
  /** The kernel's name of it: mmcblk0, sda. */
  readonly device: string;
  /** Upper bound of its used life, an eMMC's in steps of 10; more than 100 means beyond its life. Null where not reported. */
  readonly lifeUsedPercent: number | null;
  /** The state of its spare blocks: from `warning` on, 80 % of them are used. */
  readonly spareBlocks: SpareBlocks | null;
}

export type SpareBlocks = "normal" | "warning" | "urgent";

/** How a sink fares. */
export interface SinkStatus {
  readonly name: SinkName;
  /** Entries or messages that wait to be delivered. */
  readonly waiting: number;
  /** For how long it has been behind, in monotonic milliseconds of this process; 0 while nothing waits. */
  readonly behindMs: number;
  /** When a batch was delivered last, in Unix milliseconds; null where none was. */
  readonly deliveredMs: number | null;
  /** Batches that were delivered, and tries that failed, since the process began. */
  readonly delivered: number;
  readonly failed: number;
  /** Notices ever given up because the other side refused each of them for good. Entries never are. */
  readonly givenUp: number;
  /** By how much this machine's clock is ahead of the other side's; null where the sink does not know. */
  readonly clockOffMs: number | null;
  /** As `Sink.differences`. */
  readonly differences?: readonly SettingDifference[] | undefined;
  /** Of the sink that backups go to: the newest one there; null before the first. */
  readonly backup?: RemoteBackupStatus | null | undefined;
  /** Why the last try failed; null once one succeeded, and before the first. */
  readonly failure: SinkFailure | null;
}

/** What is known of the backups outside of the house. */
export interface RemoteBackupStatus extends Pick<BackupStatus, "madeMs" | "ageMs"> {
  /** Files that somebody else has removed there, and when that was seen, in Unix milliseconds; null where there are none. */
  readonly removed: { readonly count: number; readonly seenMs: number } | null;
}

export interface SinkFailure {
  readonly message: string;
  /** What to do; empty where that is not known. */
  readonly hint: string;
  /** When the first of the tries that failed one after the other was made, in Unix milliseconds. */
  readonly sinceMs: number;
  readonly tries: number;
}
