/** A change of a line's level during the test. */
export interface Move {
  /** Counts the moves from 1. */
  readonly number: number;
  readonly line: string;
  readonly level: boolean;
  readonly timeMs: number;
}

export interface Moves {
  /** Line to its level, as last seen. */
  readonly levels: ReadonlyMap<string, boolean>;
  /** Newest first. */
  readonly moves: readonly Move[];
}

export const NO_MOVES: Moves = { levels: new Map(), moves: [] };

const KEPT_MOVES = 30;

/** After one reading of a line. The first reading only sets its level: it is no move. */
export function withLook(before: Moves, line: string, level: boolean, timeMs: number): Moves {
  const known = before.levels.get(line);
  if (known === level) return before;
  const levels = new Map(before.levels).set(line, level);
  if (known === undefined) return { ...before, levels };
  const number = (before.moves[0]?.number ?? 0) + 1;
  return { levels, moves: [{ number, line, level, timeMs }, ...before.moves].slice(0, KEPT_MOVES) };
}

/** After a live event of a line: it is a move, whether the line was read before or not. */
export function withChange(before: Moves, line: string, level: boolean, timeMs: number): Moves {
  const known = before.levels.has(line) ? before : withLook(before, line, !level, timeMs);
  return withLook(known, line, level, timeMs);
}

/** Without the lines that left the test, so that a later reading of one counts as its first. */
export function withOnly(before: Moves, lines: ReadonlySet<string>): Moves {
  const levels = new Map([...before.levels].filter(([line]) => lines.has(line)));
  return levels.size === before.levels.size ? before : { ...before, levels };
}
