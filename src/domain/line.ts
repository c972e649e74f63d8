/** GPIO lines as every driver shows them. Nothing here knows of a kernel interface. */

/** How the kernel holds a line that nobody drives. `as-is` leaves it as it was found. */
export type Bias = "as-is" | "disabled" | "pull-up" | "pull-down";
export const BIASES = ["as-is", "disabled", "pull-up", "pull-down"] as const satisfies readonly Bias[];

/** The ways to lines. `none` watches nothing: the API and the page alone. */
export type DriverName = "chardev" | "sysfs" | "simulated" | "none";
export const DRIVER_NAMES = [
  "chardev",
  "sysfs",
  "simulated",
  "none",
] as const satisfies readonly DriverName[];

export interface LineInfo {
  /** The chip's device name, as `gpioinfo` shows it: `gpiochip0`. */
  readonly chip: string;
  /** The line's number on that chip, from 0. */
  readonly offset: number;
  /** The line's own name (`GPIO17`); null where the kernel knows none. */
  readonly name: string | null;
  /** Who has the line: a consumer's label. Null while it is free. */
  readonly holder: string | null;
}

export interface ChipInfo {
  readonly name: string;
  /** The chip's label, as its driver gives it: `pinctrl-bcm2835`. */
  readonly label: string;
  readonly lines: readonly LineInfo[];
}

/** What to ask of a driver for one line. */
export interface LineRequest {
  /** A line's name (`GPIO17`) or chip and offset (`gpiochip0:17`). */
  readonly line: string;
  readonly activeLow: boolean;
  readonly bias: Bias;
  /** A level must hold this long to count. 0: every edge that the hardware saw. */
  readonly debounceMs: number;
  /** Absent where the line ends with the process: a look at it from the command line, say. */
  readonly keep?: LineKeeping;
}

/** For drivers whose lines can outlive the process: what tells whether one may go on, and where. */
export interface LineKeeping {
  /** The ledger's number for this watching, should it begin anew. */
  readonly request: number;
  /** The room that the line is watched for, in any form that tells rooms apart. */
  readonly room: string;
  /** What the ledger took in last of this line in this boot of the machine; null: nothing. */
  readonly seen: { readonly request: number; readonly sequence: number } | null;
}

/** One change of level. Rising means that the line became active, activeLow already applied. */
export interface Edge {
  readonly active: boolean;
  /** CLOCK_MONOTONIC at the edge, in nanoseconds: the kernel's own stamp where the driver has one. */
  readonly timeNs: bigint;
  /** Counts this request's edges from 1, those that were lost included. */
  readonly sequence: number;
  /** Edges lost just before this one (a full kernel buffer). 0 always where the driver cannot know. */
  readonly missed: number;
}

/** A line that is being watched. */
export interface WatchedLine {
  readonly chip: string;
  readonly offset: number;
  /** The level just before the first edge of this request. */
  readonly initiallyActive: boolean;
  /**
   * True when it goes on with the request that the ledger saw last (`keep.seen`): its first edge is the
   * one after the last that was taken in, whichever process the line was watched by.
   */
  readonly resumed?: boolean;
  /** Releases the line for good. Edges already read have been delivered when it resolves. */
  close(): Promise<void>;
}

/**
 * A way to lines. Errors are FlancoErrors: `not_found` (no such line), `conflict` (another program
 * holds it; the text names it), `unavailable` (the kernel lacks the interface, or access is denied).
 */
export interface LineDriver {
  readonly name: DriverName;
  /** True when levels are made up, not measured: the page and the log must say SIMULATED. */
  readonly simulated: boolean;
  open(): Promise<void>;
  /** Every chip with its lines and holders, by chip name. */
  detect(): Promise<readonly ChipInfo[]>;
  /**
   * Watches one line. `onEdge` is called in the order of the edges, never before this resolves, and
   * never after `close` has. `onFailure` is called at most once, if the line is lost (a chip removed).
   */
  watch(
    request: LineRequest,
    onEdge: (edge: Edge) => void,
    onFailure: (error: Error) => void,
  ): Promise<WatchedLine>;
  /**
   * The physical level of a free line, by one look: it is requested for that alone and released, and nothing about
   * it is set where the kernel can be asked so. Throws as `watch` does.
   */
  read(line: string): Promise<boolean>;
  /** Lets go of lines kept from a process before, other than these. Absent where none outlives a process. */
  forgetOthers?(lines: readonly string[]): void;
  /**
   * Stops watching, and waits for what was read to be delivered. Lines that are kept stay requested, for
   * the next process; all others are released.
   */
  close(): Promise<void>;
}

/** A driver whose levels can be set by hand: the simulated one. */
export interface DrivableLines {
  /** Sets the physical level of a line (activeLow not applied). Throws `not_found`. */
  set(line: string, high: boolean): void;
}
