/** How long and how much: the full form, or a quick one for a glance. */
export interface Plan {
  readonly short: boolean;
  readonly pairs: number;
  readonly warmUpSeconds: number;
  readonly windowSeconds: number;
  /** How long the writes of a gateway without sales are counted. */
  readonly quietMinutes: number;
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
        quietMinutes: 2,
        fewRecords: 1_000,
        manyRecords: 100_000,
      }
    : {
        short,
        directory,
        pairs: 5,
        warmUpSeconds: 3,
        windowSeconds: 3,
        quietMinutes: 10,
        fewRecords: 10_000,
        manyRecords: 1_000_000,
      };
}
