/** How long and how much: the full form, or a quick one for a glance. */
export interface Plan {
  readonly short: boolean;
  readonly connections: number;
  readonly pairs: number;
  readonly warmUpMs: number;
  readonly rampMs: number;
  readonly windowMs: number;
  readonly fewRecords: number;
  readonly manyRecords: number;
  /** Folder for the data of this run, on a real disk. */
  readonly directory: string;
}

export function planFor(short: boolean, directory: string): Plan {
  const common = { short, connections: 64, directory };
  return short
    ? {
        ...common,
        pairs: 3,
        warmUpMs: 1_500,
        rampMs: 200,
        windowMs: 1_000,
        fewRecords: 1_000,
        manyRecords: 100_000,
      }
    : {
        ...common,
        pairs: 5,
        warmUpMs: 4_000,
        rampMs: 300,
        windowMs: 4_000,
        fewRecords: 10_000,
        manyRecords: 1_000_000,
      };
}
