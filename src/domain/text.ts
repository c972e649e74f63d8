/** Characters (code points) that a name, a room or an e-mail may have. */
export const MAX_TEXT = 200;

/** Made when it is first needed: its data from ICU takes a twentieth of the time of a start. */
let collator: Intl.Collator | undefined;

/** Orders names as people do: "Room 2" before "Room 10". */
export function inOrder(one: string, other: string): number {
  collator ??= new Intl.Collator(undefined, { numeric: true });
  return collator.compare(one, other);
}

/** What is wrong with a text. */
export type TextMistake = "too_short" | "too_long" | "malformed";

/** Undefined for a right text: of `minimum` to `maximum` characters, well-formed and without NUL. */
export function textMistake(text: string, minimum: number, maximum: number): TextMistake | undefined {
  const length = [...text].length;
  if (length < minimum) return "too_short";
  if (length > maximum) return "too_long";
  return text.isWellFormed() && !text.includes("\0") ? undefined : "malformed";
}

/** A path as a shell takes it for one word. */
export function shellWord(path: string): string {
  return /^[\w./][\w./:@+~-]*$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

/**
 * A row of a table, by RFC 4180: a cell with a separator, a quote
 * or the end of a line in it stands in quotes, which are doubled.
 */
export function separated(cells: readonly string[], separator: string): string {
  const quoted = (cell: string) => `"${cell.replaceAll('"', '""')}"`;
  const isPlain = (cell: string) => !cell.includes(separator) && !/["\r\n]/.test(cell);
  return cells.map((cell) => (isPlain(cell) ? cell : quoted(cell))).join(separator);
}

/** The text without control characters and line ends, which a page or a terminal obeys. */
export function shownText(text: string): string {
  return text.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, "");
}

/** By which spreadsheets know a file as UTF-8. */
export const BYTE_ORDER_MARK = "\uFEFF";
/**
 * The beginning of a text that a spreadsheet takes for a formula: a sign in any
 * width, after spaces, quotes and invisible characters that the spreadsheet may skip.
 */
const FORMULA =
  /^(?:[\s"\p{Z}\p{C}\p{Default_Ignorable_Code_Point}]*[=+\-@\uff1d\uff0b\uff0d\uff20\ufe66\ufe62\ufe63\ufe6b]|[\t\r\n])/u;
/**
 * Where a cell may end for a spreadsheet of any language:
 * one that expects another separator ignores the quotes.
 */
const CELL_END = /([;,\t\r\n])/;
const NUMBER = /^[+-]?\d+([.,]\d+)?$/;

/** A text in which no spreadsheet finds a formula, also where it splits the text into cells. */
export function harmless(text: string): string {
  if (NUMBER.test(text)) return text;
  const [first = "", ...others] = text.split(CELL_END);
  // The parts are by turns a separator and the text after it.
  const rest = others.map((part, index) => (index % 2 === 0 ? part : noFormula(part)));
  return noFormula([first, ...rest].join(""));
}

function noFormula(text: string): string {
  return FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
}

/** What a text of JSON holds, by a schema; undefined where it is no JSON, or of another form. */
export function parseJson<T>(
  schema: { safeParse(value: unknown): { readonly data?: T | undefined } },
  text: string,
): T | undefined {
  try {
    return schema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
