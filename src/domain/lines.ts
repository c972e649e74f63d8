import type { ChipInfo, DriverName, LineInfo } from "./line.ts";
import type { Sighting } from "./sale.ts";
import type { Wiring } from "./wiring.ts";

/** A wired line that is not being watched, and why. */
export interface LineFailure {
  readonly line: string;
  readonly message: string;
}

export interface LinesStatus {
  readonly driver: DriverName;
  readonly simulated: boolean;
  readonly wired: readonly string[];
  readonly watched: readonly string[];
  readonly failures: readonly LineFailure[];
}

/** A line of this machine with what the service does with it. */
export interface SurveyedLine extends LineInfo {
  /** Which room it is; null for one that is not wired. */
  readonly wiring: Wiring | null;
  readonly watched: boolean;
  /** The last level that was seen, activeLow applied; null for a line that is not watched. */
  readonly level: boolean | null;
  /** Why a wired line is not watched. */
  readonly problem: string | null;
}

export interface SurveyedChip extends Omit<ChipInfo, "lines"> {
  readonly lines: readonly SurveyedLine[];
}

/** The wired lines of a running service, as the rest of the program sees them. */
export interface Lines {
  status(): LinesStatus;
  /** True once the wiring was read and every wired line is watched. */
  healthy(): boolean;
  detect(): Promise<readonly ChipInfo[]>;
  /** Every line there is, wired or not. */
  survey(): Promise<readonly SurveyedChip[]>;
  /**
   * The physical level of a line that is not wired and that nobody holds, by one look. Rejects with `not_found`,
   * with `conflict` for one that is in use, `unavailable`.
   */
  read(line: string): Promise<boolean>;
  /**
   * Looks at lines that are to be wired, lets `save` store that, and watches them. One at a time. Rejects,
   * with nothing saved, with `not_found`, `invalid`, or `conflict` when another program holds a line or the
   * same line is wired by another name.
   */
  wire(lines: readonly string[], save: () => Promise<void>): Promise<void>;
  /** Brings what is watched in line with the wiring. Lines that stay as they are see nothing of it. */
  reconcile(): Promise<void>;
  /** Hears every level of the wired lines. Returns the way to stop. */
  listen(listener: (sighting: Sighting) => void): () => void;
}
