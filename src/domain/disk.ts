/** The disk that the data directory lies on. */
export interface Disk {
  /** Bytes that the service may still write. */
  readonly freeBytes: number;
  readonly totalBytes: number;
  /** The ledger's file, and its log (WAL). */
  readonly ledgerBytes: number;
  readonly logBytes: number;
  /** Null for anything but a card or chip that tells how worn it is. */
  readonly card: CardWear | null;
}

/** How worn a card or eMMC chip says it is (JEDEC JESD84-B51, DEVICE_LIFE_TIME_EST and PRE_EOL_INFO). */
export interface CardWear {
  /** The kernel's name of it: mmcblk0. */
  readonly device: string;
  /** Share of its life that is used at most, in steps of 10; 110: it is beyond it. Null where it does not say. */
  readonly lifeUsedPercent: number | null;
  /** The blocks that it keeps for those that wear out: from `warning` on 80 % of them are used. */
  readonly spareBlocks: SpareBlocks | null;
}

export type SpareBlocks = "normal" | "warning" | "urgent";
