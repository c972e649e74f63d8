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
  /** True once the wiring was read and every wired line is watched. */
  healthy(): boolean;
  detect(): Promise<readonly ChipInfo[]>;
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
