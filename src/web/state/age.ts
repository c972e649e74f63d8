import { DAY_MS, HOUR_MS } from "../../domain/clock.ts";
import type { Format } from "../format/format.ts";
import type { stateTexts } from "../messages/state.ts";

/** How long something lasted, as people say it: days once there are two of them, then hours, then minutes. */
export function ageText(
  ageMs: number,
  words: Pick<typeof stateTexts.es, "days">,
  format: Pick<Format, "count" | "duration">,
): string {
  const days = Math.floor(ageMs / DAY_MS);
  if (days >= 2) return words.days(format.count(days));
  const rounded = ageMs < HOUR_MS ? ageMs : Math.floor(ageMs / HOUR_MS) * HOUR_MS;
  return format.duration(rounded);
}
