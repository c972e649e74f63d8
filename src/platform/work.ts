/** Work on a ledger before it can be used, as it is shown to people. It may take an hour. */
export type WorkKind = "check" | "rebuild" | "upgrade" | "sums";

/** How far one kind of work is. `done` of `total`, in a unit of its own. */
export interface Progress {
  readonly kind: WorkKind;
  readonly done: number;
  readonly total: number;
}

/** Called now and then while work goes on, at its beginning with 0. */
export type OnProgress = (progress: Progress) => void;

/** Called now and then while one kind of work goes on: `done` of `total`, in a unit of its own. */
export type OnSteps = (done: number, total: number) => void;

/** The work under way, as it is shown while others wait for it. */
export interface Work {
  readonly kind: WorkKind;
  /** From 0 to 99. */
  readonly percent: number;
  /** When all of it began, in Unix milliseconds. */
  readonly sinceMs: number;
}
