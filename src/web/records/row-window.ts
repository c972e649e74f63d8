/** What a list of rows of one height shows of itself, in pixels and row numbers from 0. */
export interface RowWindow {
  /** The first row to draw, and the one after the last. */
  readonly first: number;
  readonly end: number;
}

interface Viewport {
  /** How far the list's top lies above the top of what is seen; negative while it lies below. */
  readonly scrolled: number;
  /** Height of what is seen. */
  readonly height: number;
}

/** Rows drawn beyond each edge, so that a quick scroll shows rows, not a blank. */
const MARGIN_ROWS = 12;
/** The window moves in steps: most scroll events then change nothing. */
const STEP_ROWS = 8;

/** The rows to draw, a bounded number however long the list is. */
export function rowWindow({ scrolled, height }: Viewport, rowHeight: number, count: number): RowWindow {
  if (rowHeight <= 0 || count === 0) return { first: 0, end: Math.min(count, 2 * MARGIN_ROWS) };
  const top = Math.floor(scrolled / rowHeight) - MARGIN_ROWS;
  const rows = Math.ceil(height / rowHeight) + 2 * MARGIN_ROWS + STEP_ROWS;
  const stepped = Math.floor(top / STEP_ROWS) * STEP_ROWS;
  const first = Math.max(0, Math.min(stepped, count - rows));
  return { first, end: Math.min(count, first + rows) };
}

/** Whether what is seen comes near the end of the rows that are there, so that more should be asked for. */
export function isNearEnd(
  { scrolled, height }: Viewport,
  rowHeight: number,
  count: number,
  aheadRows: number,
): boolean {
  return scrolled + height > (count - aheadRows) * rowHeight;
}
