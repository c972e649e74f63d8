import type { Line } from "../api/line.ts";
import type { LineTest } from "./use-line-test.ts";

/** What can be done with a line, and what is known of it right now. */
export interface LineDoing {
  /** Null while nobody knows. */
  readonly levelOf: (line: Line) => boolean | null;
  /** Wires it, or changes how it is wired. */
  readonly onWire: (line: Line) => void;
  readonly onUnwire: (line: Line) => void;
  /** Sets the physical level of a simulated line; undefined where lines are real. */
  readonly onDrive: ((line: Line, high: boolean) => void) | undefined;
  readonly test: LineTest;
}
