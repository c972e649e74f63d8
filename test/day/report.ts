/** A step of the technician's day, as the machine tells it. */
export interface DayStep {
  readonly step: string;
  /** In the machine's own time, from the end of the step before. */
  readonly seconds: number;
  readonly facts: Readonly<Record<string, unknown>>;
}

/** Contacts that are not as they should be, by their room. */
export const BOUNCING = ["102", "106"] as const;
export const INVERTED = "104";
export const SILENT = "108";
