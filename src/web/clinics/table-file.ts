import type { Language } from "../../domain/language.ts";
import { BYTE_ORDER_MARK, harmless, separated } from "../../domain/text.ts";

/** A column of a table that is also had as a spreadsheet. */
export interface TextColumn<R> {
  readonly title: string;
  readonly isName?: boolean;
  readonly isNumber?: boolean;
  readonly class?: string;
  readonly text: (row: R) => string;
}

const SEPARATORS = { es: ";", en: "," } as const satisfies Record<Language, string>;

/** The table as a file, at an address that holds all of it. */
export function tableFile<R>(
  rows: readonly R[],
  columns: readonly TextColumn<R>[],
  language: Language,
): string {
  const cells = [
    columns.map(({ title }) => title),
    ...rows.map((row) => columns.map(({ text }) => harmless(text(row)))),
  ];
  const lines = cells.map((line) => `${separated(line, SEPARATORS[language])}\r\n`);
  return `data:text/csv;charset=utf-8,${encodeURIComponent(BYTE_ORDER_MARK + lines.join(""))}`;
}
