/** Days before a silence that make a room's habit, and the least that are enough to know one. */
export const HABIT_DAYS = 28;
const LEAST_HABIT_DAYS = 7;
/** A silence this likely by the room's own habit is none. */
const LIKELY = 0.01;

/** When a room has sold: days ago, 0 for the last 24 hours, each once. */
export interface RoomDays {
  readonly deviceId: string;
  readonly room: string;
  readonly daysAgo: readonly number[];
}

/**
 * For how many days a room has sold nothing, where that is a silence by its own habit; null where it is none.
 *
 * A room that sold on a share `p` of the days before is silent for `d` days by chance with the probability (1 - p)^d. Below one
 * in a hundred people are told, and never before `leastDays`: a room that sells each day is told of at once after that, one that
 * sells every second day after a week, and one that hardly sells never.
 */
export function silentDays({ daysAgo }: Pick<RoomDays, "daysAgo">, leastDays: number): number | null {
  if (daysAgo.length === 0) return null;
  const silent = Math.min(...daysAgo);
  if (silent < leastDays) return null;
  const first = Math.max(...daysAgo);
  const days = Math.min(HABIT_DAYS, first - silent + 1);
  if (days < LEAST_HABIT_DAYS) return null;
  const sold = daysAgo.filter((ago) => ago < silent + HABIT_DAYS).length;
  return (1 - sold / days) ** silent <= LIKELY ? silent : null;
}
