import { setTimeout as pause } from "node:timers/promises";
import { FlancoError } from "../domain/error.ts";
import type { ChipInfo, LineDriver } from "../domain/line.ts";
import type { SurveyedChip, SurveyedLine } from "../domain/lines.ts";
import type { Wiring } from "../domain/wiring.ts";
import { findLine, formatLine, resolveLine } from "./address.ts";
import { CONSUMER, inUseError } from "./holder.ts";

/** A line that we have just let go of is looked at again for a second: its keeper lets go of it in its own time. */
const LETTING_GO_LOOKS = 100;
const LETTING_GO_POLL_MS = 10;

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

/**
 * The chips, once we hold none of these lines that is not wired. At the latest after a second: another flanco may
 * hold it.
 */
export async function detectLetGo(
  driver: Pick<LineDriver, "detect">,
  wirings: readonly Wiring[],
  lines: readonly string[],
): Promise<readonly ChipInfo[]> {
  for (let look = 1; ; look += 1) {
    const chips = await driver.detect();
    const wired = wiringsByAddress(chips, wirings);
    const isHeld = lines.some((line) => {
      const found = findLine(line, chips);
      return found?.holder === CONSUMER && !wired.has(formatLine(found));
    });
    if (!isHeld || look === LETTING_GO_LOOKS) return chips;
    await pause(LETTING_GO_POLL_MS);
  }
}

/** One look at a line. Rejects with `conflict`, without touching it, when it is wired or held. */
export async function readFreeLine(
  driver: Pick<LineDriver, "detect" | "read">,
  wirings: readonly Wiring[],
  line: string,
): Promise<boolean> {
  const chips = await detectLetGo(driver, wirings, [line]);
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
