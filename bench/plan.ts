/** How long and how much: the full form, or a quick one for a glance. */
export interface Plan {
  readonly short: boolean;
  readonly pairs: number;
  readonly warmUpSeconds: number;
  readonly windowSeconds: number;
  readonly fewRecords: number;
  readonly manyRecords: number;
  /** Folder for the data of this run, on a real disk. */
  readonly directory: string;
}

export function planFor(short: boolean, directory: string): Plan {
  return short
    ? {
        short,
        directory,
        pairs: 3,
        warmUpSeconds: 1,
        windowSeconds: 1,
        fewRecords: 1_000,
        manyRecords: 100_000,
      }
    : {
        short,
        directory,
        pairs: 5,
        warmUpSeconds: 3,
        windowSeconds: 3,
        fewRecords: 10_000,
        manyRecords: 1_000_000,
      };
}
