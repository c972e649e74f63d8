import { DEFAULT_DEBOUNCE_MS } from "./wiring.ts";

/** Edges of one line that come this soon after each other are of one switching: no hand and no relay is as fast. */
const SWITCHING_MS = 200;
/** A contact gets worse with its age. */
const MARGIN = 2;
const STEP_MS = 10;

/** A level that a line came to. */
export interface LevelChange {
  readonly line: string;
  readonly atMs: number;
}

/** How much the contact of a line bounces. */
export interface Bounce {
  readonly line: string;
  readonly switchings: number;
  /** The most edges of one switching; 1 for a contact that does not bounce. */
  readonly mostEdges: number;
  /** From the first edge of a switching to its last, at most. */
  readonly longestMs: number;
  /** A debounce under which no such bounce is a sale of its own: the default one, or twice the longest bounce. */
  readonly debounceMs: number;
}

/** What each line's contact does at its switchings, by the line's name. `changes` are in order of time, without debounce. */
export function measureBounces(changes: readonly LevelChange[]): readonly Bounce[] {
  const byLine = Map.groupBy(changes, ({ line }) => line);
  return [...byLine].map(([line, edges]) => bounceOf(line, edges)).sort((a, b) => (a.line < b.line ? -1 : 1));
}

function bounceOf(line: string, edges: readonly LevelChange[]): Bounce {
  let [switchings, mostEdges, longestMs] = [0, 0, 0];
  let [begunMs, lastMs, count] = [0, Number.NEGATIVE_INFINITY, 0];
  for (const { atMs } of edges) {
    if (atMs - lastMs > SWITCHING_MS) {
      switchings += 1;
      begunMs = atMs;
      count = 0;
    }
    count += 1;
    lastMs = atMs;
    mostEdges = Math.max(mostEdges, count);
    longestMs = Math.max(longestMs, atMs - begunMs);
  }
  const debounceMs = Math.max(DEFAULT_DEBOUNCE_MS, Math.ceil((longestMs * MARGIN) / STEP_MS) * STEP_MS);
  return { line, switchings, mostEdges, longestMs, debounceMs };
}
