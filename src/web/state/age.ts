const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

interface AgeWords {
  readonly days: (count: string, one: boolean) => string;
}

interface AgeFormat {
  count(count: number): string;
  duration(durationMs: number): string;
}

/** How long something lasted, as people say it: days once there are two of them, then hours, then minutes. */
export function ageText(ageMs: number, words: AgeWords, format: AgeFormat): string {
  const days = Math.floor(ageMs / DAY_MS);
  if (days >= 2) return words.days(format.count(days), false);
  const rounded = ageMs < HOUR_MS ? ageMs : Math.floor(ageMs / HOUR_MS) * HOUR_MS;
  return format.duration(rounded);
}
