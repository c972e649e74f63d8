import { FlancoError } from "../domain/error.ts";
import type { LineInfo } from "../domain/line.ts";
import { formatLine } from "./address.ts";

/** How the kernel, and the simulation, show who holds our lines. */
export const CONSUMER = "flanco";

/** A line as an error names it: `GPIO17 (gpiochip0:17)`. */
export function describeLine(line: LineInfo): string {
  return line.name === null ? formatLine(line) : `${line.name} (${formatLine(line)})`;
}

/** The error for a line that somebody has. A null holder is one that the kernel does not name. */
export function inUseError(line: LineInfo, holder: string | null, cause?: unknown): FlancoError {
  const by = holder === null ? "another program" : `'${holder}'`;
  return new FlancoError("conflict", `${describeLine(line)} is in use by ${by}.`, {
    hint: "Stop that program, or wire another line.",
    cause,
  });
}
