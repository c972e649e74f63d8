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
  /** The last level, activeLow applied; null for a line that is not watched. */
  readonly level: boolean | null;
  /** Why a wired line is not watched. */
  readonly problem: string | null;
}

export interface SurveyedChip extends Omit<ChipInfo, "lines"> {
  readonly lines: readonly SurveyedLine[];
}

/** The lines of a running service, as the rest of the program sees them. */
export interface Lines {
  status(): LinesStatus;
  /** True once the wiring was read and every wired line is watched. */
  healthy(): boolean;
  detect(): Promise<readonly ChipInfo[]>;
  /** Every line of this machine, wired or not. */
  survey(): Promise<readonly SurveyedChip[]>;
  /**
   * Reads the physical level of a free line that is not wired. Rejects with `not_found`, `conflict` for a line that is
   * in use or wired, `unavailable`.
   */
  read(line: string): Promise<boolean>;
  /**
   * Checks lines that are to be wired, stores the wiring by `save`, and watches them. `save` gets each line's name as it is
   * to be kept, which means the same line after every boot. Concurrent calls run one after another. Rejects, with nothing
   * saved, with `not_found`, `invalid`, or `conflict` when another program holds a line.
   */
  wire(lines: readonly string[], save: (names: readonly string[]) => Promise<void>): Promise<void>;
  /** The name by which a line is wired, for any of its names; a line that is not wired keeps the name given. */
  wiredName(line: string): Promise<string>;
  /** Applies the current wiring. Lines whose wiring did not change are not interrupted. */
  reconcile(): Promise<void>;
  /** Calls back with every level of the wired lines. Returns how to stop that. */
  listen(listener: (sighting: Sighting) => void): () => void;
}

/** A bounded queue on the way to the ledger. */
export interface Queue {
  readonly waiting: number;
  readonly limit: number;
}

/** The queue of the lines' levels. */
export interface EdgeQueue extends Queue {
  /** Whether the ledger refuses writes, or could not take in the last sighting of some line. */
  readonly refused: boolean;
}
