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
