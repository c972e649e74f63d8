import type { Sighting } from "./sale.ts";
import type { Wiring } from "./wiring.ts";

/** GPIO lines as every driver shows them. Nothing here knows of a kernel interface. */

/** The most lines of all relay boxes together. One request may name as many. */
export const MAX_LINES = 1_024;

/** How the kernel biases a line that no circuit drives. `as-is` leaves the bias as it is. */
export const BIASES = ["as-is", "disabled", "pull-up", "pull-down"] as const;
export type Bias = (typeof BIASES)[number];

/** `none` watches no lines. Where lines are `simulated`, the page and the log must say so. */
export const DRIVER_NAMES = ["chardev", "sysfs", "mqtt", "simulated", "none"] as const;
export type DriverName = (typeof DRIVER_NAMES)[number];

export interface LineInfo {
  /** The chip's device name, as `gpioinfo` shows it: `gpiochip0`. */
  readonly chip: string;
  /** The line's number on that chip, from 0. */
  readonly offset: number;
  /** The line's own name (`GPIO17`); null where the kernel knows none. */
  readonly name: string | null;
  /** The label of the program that uses the line. Null while it is free. */
  readonly holder: string | null;
}

export interface ChipInfo {
  readonly name: string;
  /** The chip's label, as its driver gives it: `pinctrl-bcm2835`. */
  readonly label: string;
  /** The device that the chip hangs from, as sysfs names it (`1-0020` on an I2C bus, `1-1.2:1.0` at a USB port), where it is known. */
  readonly place?: string;
  readonly lines: readonly LineInfo[];
}

/** What to ask of a driver for one line. */
export interface LineRequest {
  /** A line's name (`GPIO17`), or its chip's label or number with the offset (`gpiochip0:17`). */
  readonly line: string;
  readonly activeLow: boolean;
  readonly bias: Bias;
  /** A level must hold this long to count; with 0 every edge counts. */
  readonly debounceMs: number;
  /** Absent for a line that ends with the process, as for `flanco gpio watch`. */
  readonly keep?: LineKeeping;
  /** The physical level in the ledger, from which a watch goes on that reads none. Absent before the first sighting. */
  readonly lastHigh?: boolean | undefined;
  /** Resolves once the edges that were delivered until now are committed; rejects while the ledger takes no writes. */
  readonly settled?: () => Promise<void>;
}

/** For lines that can outlive the process: whether a kept line may continue, and after which edge. */
export interface LineKeeping {
  /** The ledger's number for this watch, if the line is requested again. */
  readonly request: number;
  /** The line's last sighting in the ledger from this boot and for this room; null where there is none. */
  readonly seen: { readonly request: number; readonly sequence: number } | null;
}

/** One change of level. Rising means that the line became active, activeLow already applied. */
export interface Edge {
  readonly active: boolean;
  /** CLOCK_MONOTONIC at the edge, in nanoseconds: the kernel's own stamp where the driver has one. */
  readonly timeNs: bigint;
  /** Counts this request's edges from 1, lost edges included. */
  readonly sequence: number;
  /** Edges lost just before this one (a full kernel buffer). 0 always where the driver cannot know. */
  readonly missed: number;
  /** CLOCK_MONOTONIC, in nanoseconds: since then an unknown number of edges of a line with debounce was lost. */
  readonly lostSinceNs?: bigint;
}

/** A line that is being watched. */
export interface WatchedLine {
  /** Its chip and offset: `gpiochip0:17`. */
  readonly address: string;
  /** The level just before the first edge of this request. */
  readonly initiallyActive: boolean;
  /** True when it continues the request `keep.seen`: the first edge is the one after that sighting. */
  readonly resumed?: boolean;
  /**
   * Delivers the edges since the initial level, in order, and never after `close`
   * has resolved. To be called once. `onFailure` is called at most once, if the line is lost
   * (its chip was removed), or has changed without an edge: `rightNs` is when it was as the
   * edges say for the last time. `onRaw` gets every change without debounce. When it throws,
   * the line is released.
   */
  listen(
    onEdge: (edge: Edge) => void,
    onFailure: (error: Error, rightNs?: bigint) => void,
    onRaw?: (edge: Edge) => void,
  ): void;
  /** Releases the line for good, after the edges up to now have been delivered. */
  close(): Promise<void>;
}

/**
 * Access to lines. Errors are FlancoErrors: `not_found`, `conflict` (another program uses the
 * line; the text names it), `unavailable` (the kernel lacks the interface, or denies access).
 */
export interface LineDriver {
  readonly name: DriverName;
  open(): Promise<void>;
  /** Every chip with its lines and holders, by chip name. */
  detect(): Promise<readonly ChipInfo[]>;
  /** Begins to watch one line. Its edges are delivered from `listen` on. */
  watch(request: LineRequest): Promise<WatchedLine>;
  /**
   * Reads the physical level of a free line: requests it, reads it and releases
   * it, without changing its settings where the kernel's interface allows that.
   */
  read(line: string): Promise<boolean>;
  /** Releases what an earlier process left of lines, except of these. Absent where nothing of a line outlives a process. */
  forgetOthers?(lines: readonly string[]): void;
  /**
   * Stops watching, after the edges up to now have been delivered.
   * Kept lines stay requested; all others are released.
   */
  close(): Promise<void>;
}

/** Lines whose levels can be set: the simulated ones. */
export interface DrivableLines {
  /** Sets the physical level of a line (activeLow not applied). Throws `not_found`. */
  set(line: string, high: boolean): void;
}

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

/** A level of a wired line, without debounce. */
export interface RawLevel {
  readonly line: string;
  /** activeLow applied. */
  readonly active: boolean;
  /** CLOCK_MONOTONIC, in milliseconds with a fraction. */
  readonly atMs: number;
  readonly missed: number;
  /** Whether this is the level that was found when the watch of the line began. */
  readonly isFirst: boolean;
}

/** The lines of a running service, as the rest of the program sees them. */
export interface Lines {
  status(): LinesStatus;
  /** Whether the wiring was read and every wired line is watched. */
  healthy(): boolean;
  detect(): Promise<readonly ChipInfo[]>;
  /** Every line of this machine, wired or not. */
  survey(): Promise<readonly SurveyedChip[]>;
  /**
   * The physical levels of these lines, without those that cannot be
   * read, are wired, or are in use: none of these is touched.
   */
  readFree(lines: readonly string[]): Promise<ReadonlyMap<string, boolean>>;
  /**
   * Checks lines that are to be wired, stores the wiring by `save`, and watches them. `save` gets the lines
   * by names that mean the same lines after every boot. Concurrent calls run one after another. Rejects,
   * with nothing saved, with `not_found`, `invalid`, or `conflict` when another program holds a line.
   */
  wire(lines: readonly string[], save: (names: readonly string[]) => Promise<void>): Promise<void>;
  /** The names by which lines are wired, for any of their names; a line that is not wired keeps the name given. */
  wiredNames(lines: readonly string[]): Promise<readonly string[]>;
  /** Applies the current wiring. Lines whose wiring did not change are not interrupted. */
  reconcile(): Promise<void>;
  /** Calls back with every sighting of the wired lines. Returns the function that stops that. */
  listen(listener: (sighting: Sighting) => void): () => void;
  /** Calls back with every level of the wired lines, without debounce. Returns the function that stops that. */
  listenRaw(listener: (level: RawLevel) => void): () => void;
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
