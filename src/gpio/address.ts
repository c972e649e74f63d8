import { FlancoError } from "../domain/error.ts";
import type { ChipInfo, LineInfo } from "../domain/line.ts";

/** A line as a person writes it: by its own name, or by chip and offset. */
export type LineAddress =
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "offset"; readonly chip: string; readonly offset: number };

const CHIP_AND_OFFSET = /^([\w.-]+):(\d{1,6})$/;
/** How many lines an error lists before it points to the command that lists them all. */
const MAX_CHOICES = 12;

/** `gpiochip0:17` is chip and offset, everything else a name. Throws `invalid` for an empty text. */
export function parseLineAddress(text: string): LineAddress {
  if (text.trim() === "") {
    throw new FlancoError("invalid", "A line needs a name (GPIO17) or a chip and an offset (gpiochip0:17).");
  }
  const [, chip, offset] = CHIP_AND_OFFSET.exec(text) ?? [];
  if (chip !== undefined && offset !== undefined) return { kind: "offset", chip, offset: Number(offset) };
  return { kind: "name", name: text };
}

/** Chip and offset, the form that always names exactly one line. */
export function formatLine(line: Pick<LineInfo, "chip" | "offset">): string {
  return `${line.chip}:${line.offset}`;
}

/**
 * The one line that `text` names. A line's own name wins over chip and offset, should a name look like
 * them. Throws `invalid` (empty, or a name that several lines have: the text lists them) and
 * `not_found` (the text lists what there is).
 */
export function resolveLine(text: string, chips: readonly ChipInfo[]): LineInfo {
  const address = parseLineAddress(text);
  const lines = chips.flatMap((chip) => chip.lines);
  const named = lines.filter((line) => line.name === text);
  const [first, ...others] = named;
  if (first !== undefined && others.length > 0) {
    throw new FlancoError(
      "invalid",
      `${named.length} lines are called ${text}: ${named.map(formatLine).join(", ")}.`,
      {
        hint: "Write the one you mean as chip and offset.",
      },
    );
  }
  if (first !== undefined) return first;
  if (address.kind === "offset") {
    const line = lines.find((one) => one.chip === address.chip && one.offset === address.offset);
    if (line !== undefined) return line;
  }
  throw new FlancoError("not_found", missing(address, chips), { hint: choices(lines) });
}

/** Undefined for a line that is not there, or not by this name alone. */
export function findLine(line: string, chips: readonly ChipInfo[]): LineInfo | undefined {
  try {
    return resolveLine(line, chips);
  } catch (error) {
    if (error instanceof FlancoError) return undefined;
    throw error;
  }
}

function missing(address: LineAddress, chips: readonly ChipInfo[]): string {
  if (address.kind === "name") return `No line is called ${address.name}.`;
  const chip = chips.find((one) => one.name === address.chip);
  if (chip === undefined) return `There is no chip ${address.chip}.`;
  return `${address.chip} has no line ${address.offset}: its ${chip.lines.length} lines count from 0.`;
}

function choices(lines: readonly LineInfo[]): string {
  if (lines.length === 0) return "This machine has no GPIO chip.";
  const free = lines.filter((line) => line.holder === null);
  const shown = free.slice(0, MAX_CHOICES).map((line) => line.name ?? formatLine(line));
  if (shown.length === 0) return "Every line is in use: `flanco gpio detect` shows by whom.";
  const more = free.length > shown.length ? ` and ${free.length - shown.length} more` : "";
  return `Free lines: ${shown.join(", ")}${more}. \`flanco gpio detect\` lists all.`;
}
