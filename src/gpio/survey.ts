import { FlancoError } from "../domain/error.ts";
import type { ChipInfo, LineDriver } from "../domain/line.ts";
import type { SurveyedChip, SurveyedLine } from "../domain/lines.ts";
import type { Wiring } from "../domain/wiring.ts";
import { findLine, formatLine, resolveLine } from "./address.ts";
import { inUseError } from "./holder.ts";

/** What the recorder knows of one wired line. */
type Watching = Pick<SurveyedLine, "watched" | "level" | "problem">;

/** Lines as they were detected, with the rooms that they are. */
export function surveyChips(
  chips: readonly ChipInfo[],
  wirings: readonly Wiring[],
  watchingOf: (wiring: Wiring) => Watching,
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

/** One look at a line. Rejects with `conflict`, without touching it, when it is wired or held. */
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
      hint: "Its room shows its level. Unwire it first to look at it by itself.",
    });
  }
  if (found.holder !== null) throw inUseError(found, found.holder);
  return driver.read(address);
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
