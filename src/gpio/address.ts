import { FlancoError } from "../domain/error.ts";
import type { ChipInfo, LineInfo } from "../domain/line.ts";

/** The holder that the kernel, and the simulation, show for our lines. */
export const CONSUMER = "flanco";

const CHIP_AND_OFFSET = /^([\w.-]+):(\d{1,6})$/;
/** How many lines an error lists before it refers to the command that lists all. */
const MAX_CHOICES = 12;

/** Chip and offset: the form that names exactly one line. */
export function formatLine(line: Pick<LineInfo, "chip" | "offset">): string {
  return `${line.chip}:${line.offset}`;
}

/** A line as an error names it: `GPIO17 (gpiochip0:17)`. */
export function describeLine(line: LineInfo): string {
  return line.name === null ? formatLine(line) : `${line.name} (${formatLine(line)})`;
}

/**
 * The one line with the name `text`, else the one at the chip and offset `text` (`gpiochip0:17`). Throws `invalid` for
 * an empty text and for a name that several lines have (the message lists them), `not_found` otherwise (the hint lists
 * the free lines).
 */
export function resolveLine(text: string, chips: readonly ChipInfo[]): LineInfo {
  if (text.trim() === "") {
    throw new FlancoError("invalid", "A line needs a name (GPIO17) or a chip and an offset (gpiochip0:17).");
  }
  const lines = chips.flatMap((chip) => chip.lines);
  const named = lines.filter((line) => line.name === text);
  if (named.length > 1) {
    throw new FlancoError(
      "invalid",
      `${named.length} lines are called ${text}: ${named.map(formatLine).join(", ")}.`,
      { hint: "Write the one you mean as chip and offset." },
    );
  }
  const [, chipName, offset] = CHIP_AND_OFFSET.exec(text) ?? [];
  const chip = chips.find((one) => one.name === chipName);
  const line = named[0] ?? chip?.lines.find((one) => one.offset === Number(offset));
  if (line !== undefined) return line;
  let missing = `No line is called ${text}.`;
  if (chipName !== undefined) missing = `There is no chip ${chipName}.`;
  if (chip !== undefined) {
    missing = `${chip.name} has no line ${Number(offset)}: its ${chip.lines.length} lines count from 0.`;
  }
  throw new FlancoError("not_found", missing, { hint: choices(lines) });
}

/** Like `resolveLine`, but undefined instead of an error. */
export function findLine(line: string, chips: readonly ChipInfo[]): LineInfo | undefined {
  try {
    return resolveLine(line, chips);
  } catch (error) {
    if (error instanceof FlancoError) return undefined;
    throw error;
  }
}

/** The error for a line that is in use. `holder` is null where the kernel does not name it. */
export function inUseError(line: LineInfo, holder: string | null, cause?: unknown): FlancoError {
  const by = holder === null ? "another program" : `'${holder}'`;
  return new FlancoError("conflict", `${describeLine(line)} is in use by ${by}.`, {
    hint: "Stop that program, or wire another line.",
    cause,
  });
}

/** The error for a watched line that can no longer be read. */
export function lostError(line: Pick<LineInfo, "chip" | "offset">, why: string, cause: unknown): FlancoError {
  return new FlancoError("unavailable", `${formatLine(line)} is lost: ${why}.`, {
    hint: "Reconnect the chip, then restart flanco.",
    cause,
  });
}

function choices(lines: readonly LineInfo[]): string {
  if (lines.length === 0) return "This machine has no GPIO chip.";
  const free = lines.filter((line) => line.holder === null);
  const shown = free.slice(0, MAX_CHOICES).map((line) => line.name ?? formatLine(line));
  if (shown.length === 0) return "Every line is in use: `flanco gpio detect` shows by whom.";
  const more = free.length > shown.length ? ` and ${free.length - shown.length} more` : "";
  return `Free lines: ${shown.join(", ")}${more}. \`flanco gpio detect\` lists all.`;
}
