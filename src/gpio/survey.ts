import { FlancoError } from "../domain/error.ts";
import type { ChipInfo, LineDriver, SurveyedChip, SurveyedLine } from "../domain/line.ts";
import type { Wiring } from "../domain/wiring.ts";
import { findLine, formatLine, inUseError, lastingName, resolveLine } from "./address.ts";

/** Chips and lines as detected, each wired line with its wiring and what the recorder knows of it. */
export function surveyChips(
  chips: readonly ChipInfo[],
  wirings: readonly Wiring[],
  watchingOf: (wiring: Wiring) => Pick<SurveyedLine, "watched" | "level" | "problem">,
): readonly SurveyedChip[] {
  const wiringAt = wiringsByAddress(chips, wirings);
  return chips.map(({ lines, ...chip }) => ({
    ...chip,
    lines: lines.map((line) => {
      const wiring = wiringAt.get(formatLine(line)) ?? null;
      const watching = wiring === null ? { watched: false, level: null, problem: null } : watchingOf(wiring);
      return { ...line, wiring, ...watching };
    }),
  }));
}

/** Reads the level of a line. Rejects with `conflict`, without touching the line, when it is wired or in use. */
export async function readFreeLine(
  driver: Pick<LineDriver, "detect" | "read">,
  wirings: readonly Wiring[],
  line: string,
): Promise<boolean> {
  const chips = await driver.detect();
  const found = resolveLine(line, chips);
  const address = formatLine(found);
  if (wiringsByAddress(chips, wirings).has(address)) {
    throw new FlancoError("conflict", `The line ${line} is wired.`, {
      hint: "Its room shows its level. Unwire it first to read it by itself.",
    });
  }
  if (found.holder !== null) throw inUseError(found, found.holder);
  return driver.read(address);
}

/**
 * Gives for each of these lines the name that it is wired by: one that means the same line after every boot. Rejects
 * unless each one exists and is wired or free: `not_found`, `invalid`, or `conflict` for a line that is in use.
 */
export async function namesToWire(
  driver: Pick<LineDriver, "detect">,
  wirings: readonly Wiring[],
  lines: readonly string[],
): Promise<readonly string[]> {
  const chips = await driver.detect();
  const wiringAt = wiringsByAddress(chips, wirings);
  return lines.map((line) => {
    const found = resolveLine(line, chips);
    const wiring = wiringAt.get(formatLine(found));
    if (wiring === undefined && found.holder !== null) {
      throw new FlancoError("conflict", `The line ${line} is in use by "${found.holder}".`, {
        hint: "Stop that program, or choose another line.",
        fields: { line: { kind: "unique", message: `is in use by "${found.holder}"` } },
      });
    }
    return wiring?.line ?? lastingName(found, chips);
  });
}

/** The wiring of a line, by any of the line's names. */
export function wiringOfLine(
  chips: readonly ChipInfo[],
  wirings: readonly Wiring[],
  line: string,
): Wiring | undefined {
  const found = findLine(line, chips);
  return found && wiringsByAddress(chips, wirings).get(formatLine(found));
}

function wiringsByAddress(
  chips: readonly ChipInfo[],
  wirings: readonly Wiring[],
): ReadonlyMap<string, Wiring> {
  const found = wirings.map((wiring) => [findLine(wiring.line, chips), wiring] as const);
  return new Map(
    found.flatMap(([line, wiring]) => (line === undefined ? [] : [[formatLine(line), wiring] as const])),
  );
}
