/** The state of the gateway's own hardware. Null: there is no sensor, or it could not be read. */
export interface Machine {
  /** Whether the supply's voltage is too low at this moment. Only a Raspberry Pi reports it. */
  readonly isVoltageLow: boolean | null;
  /** The hottest sensor, in degrees Celsius. */
  readonly temperature: number | null;
  readonly memory: Memory | null;
  /** Errors that the ledger's file system has met since its last complete check (ext4). */
  readonly fileSystemErrors: number | null;
  /** The name by which it announces itself on the local network (mDNS). */
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

/** The wear that a card or eMMC chip reports (JEDEC JESD84-B51, DEVICE_LIFE_TIME_EST and PRE_EOL_INFO). */
export interface CardWear {
  /** The kernel's name of it: mmcblk0. */
  readonly device: string;
  /** Upper bound of the used share of its life, in steps of 10; 110 means beyond its life. Null where not reported. */
  readonly lifeUsedPercent: number | null;
  /** The state of its spare blocks: from `warning` on, 80 % of them are used. */
  readonly spareBlocks: SpareBlocks | null;
}

export type SpareBlocks = "normal" | "warning" | "urgent";
