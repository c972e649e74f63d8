import { valorFromMicros } from "../domain/amount.ts";
import { inLanguage, type Language } from "../domain/language.ts";
import { BYTE_ORDER_MARK, harmless, separated } from "../domain/text.ts";
import type { Cell, Column } from "./workbook.ts";

/** Each language has the separator and the decimal point that its spreadsheets expect. */
const DIALECTS = {
  es: { separator: ";", decimalPoint: "," },
  en: { separator: ",", decimalPoint: "." },
} as const satisfies Record<Language, object>;

/** The beginning of a file: a byte-order mark, by which spreadsheets know UTF-8, and the header row. */
export function csvHead(columns: readonly Column<never>[], language: Language): string {
  const titles = columns.map(({ title }) => inLanguage(title, language));
  return BYTE_ORDER_MARK + lineOf(titles, language);
}

/** A row of a table. Values are exact, without grouping. */
export function csvRow<T>(columns: readonly Column<T>[], row: T, language: Language): string {
  const cells = columns.map(({ kind, of }) => cellOf(kind, of(row), language));
  return lineOf(cells, language);
}

function cellOf(kind: Column<never>["kind"], value: Cell, language: Language): string {
  if (value === null) return "";
  if (typeof value !== "string") {
    const number = kind === "count" ? value : valorFromMicros(value);
    return String(number).replace(".", DIALECTS[language].decimalPoint);
  }
  const [date = "", time = ""] = value.slice(0, -".000".length).split("T");
  switch (kind) {
    case "day":
      return date;
    case "time":
      return time;
    case "moment":
      return `${date} ${time}`;
    default:
      return asWritten(value);
  }
}

/** A number that every spreadsheet shows as it is written. */
const PLAIN_NUMBER = /^-?(?:0|[1-9]\d{0,10})$/;
/** What one may take for another number, a date or a time: `0101`, `1E5`, `3-1`, `1:30`, `5 %`, `mar-3`. No cell can end in it. */
const CHANGEABLE =
  /^(?:[+\-.,]?\d(?:[\p{L}\p{N} .:/%€$+-]|,(?=\d))*|(?:ene|jan|feb|mar|abr|apr|may|jun|jul|ago|aug|sep|oct|nov|dic|dec)\p{L}*[ .\-/]\d+)$/iu;

/** A text that spreadsheets leave as it is: one that they would change is a formula that gives this text. */
function asWritten(text: string): string {
  return CHANGEABLE.test(text) && !PLAIN_NUMBER.test(text) ? `="${text}"` : harmless(text);
}

function lineOf(cells: readonly string[], language: Language): string {
  return `${separated(cells, DIALECTS[language].separator)}\r\n`;
}
