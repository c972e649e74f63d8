/** The two periods of the contract's summary. */
export type Period = "semanal" | "anual";

export interface ChartEntry {
  /** Name of the day or month, in the contract's spelling. */
  readonly name: string;
  readonly totalMicros: bigint;
}

export interface Summary {
  readonly totalMicros: bigint;
  /** Number of records. */
  readonly count: number;
  /** Distinct location names among the period's records. */
  readonly locations: number;
  /** Distinct device ids among the period's records. */
  readonly devices: number;
  /** 7 days, oldest first, or 12 months, January first; 0 where nothing was sold. */
  readonly chart: readonly ChartEntry[];
}
