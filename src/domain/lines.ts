import type { ChipInfo, DriverName } from "./line.ts";
import type { Sighting } from "./sale.ts";

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

/** The wired lines of a running service, as the rest of the program sees them. */
export interface Lines {
  status(): LinesStatus;
  /** True once every wired line is watched. */
  healthy(): boolean;
  detect(): Promise<readonly ChipInfo[]>;
  /**
   * Throws when a line cannot be wired: `not_found`, or `conflict` when another program holds it or
   * the same line is wired by another name.
   */
  probe(line: string): Promise<void>;
  /** Brings what is watched in line with the wiring. Lines that stay as they are see nothing of it. */
  reconcile(): Promise<void>;
  /** Hears every level of the wired lines. Returns the way to stop. */
  listen(listener: (sighting: Sighting) => void): () => void;
}
