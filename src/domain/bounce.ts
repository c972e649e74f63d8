import { DEFAULT_DEBOUNCE_MS } from "./wiring.ts";

/** Edges of one line that come this soon after each other are of one switching: no hand and no relay is as fast. */
export const SWITCHING_MS = 200;
/** A debounce must be so many times the longest bounce: a contact gets worse with its age. */
export const BOUNCE_MARGIN = 2;
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

/** How much one line's contact bounces. `edges` are in order of time, without debounce. */
export function bounceOf(line: string, edges: readonly Pick<LevelChange, "atMs">[]): Bounce {
  const switchings = switchingsOf(edges);
  const mostEdges = Math.max(0, ...switchings.map((switching) => switching.edges));
  const longestMs = Math.max(0, ...switchings.map(({ begunMs, lastMs }) => lastMs - begunMs));
  const debounceMs = Math.max(
    DEFAULT_DEBOUNCE_MS,
    Math.ceil((longestMs * BOUNCE_MARGIN) / STEP_MS) * STEP_MS,
  );
  return { line, switchings: switchings.length, mostEdges, longestMs, debounceMs };
}

/** The edges of one switching. */
export interface Switching {
  readonly begunMs: number;
  readonly lastMs: number;
  readonly edges: number;
}

/** Edges of one line, in order of time, put together to switchings. */
export function switchingsOf(edges: readonly Pick<LevelChange, "atMs">[]): readonly Switching[] {
  const switchings: Switching[] = [];
  for (const { atMs } of edges) {
    const open = switchings.at(-1);
    if (open === undefined || atMs - open.lastMs > SWITCHING_MS) {
      switchings.push({ begunMs: atMs, lastMs: atMs, edges: 1 });
    } else {
      switchings[switchings.length - 1] = { begunMs: open.begunMs, lastMs: atMs, edges: open.edges + 1 };
    }
  }
  return switchings;
}
