import { PassThrough, Readable } from "node:stream";
import { finished } from "node:stream/promises";
import { valorFromMicros } from "../domain/amount.ts";
import { DAY_MS } from "../domain/clock.ts";
import { inLanguage, type Language, type Pair } from "../domain/language.ts";
import type { Currency } from "../domain/status.ts";

/** What the cells of a column hold. Money and counts are summed up below the table, prices are not. */
const KINDS = ["text", "price", "money", "count", "day", "time", "moment"] as const;
type CellKind = (typeof KINDS)[number];
/** Of columns, in characters. */
const WIDTHS = { text: 22, price: 13, money: 17, count: 10, day: 12, time: 10, moment: 20 };

/**
 * A text; an amount in millionths; a count; of a day, time or moment
 * its local time, `2026-11-21T09:05:00.000`. Null is an empty cell.
 */
export type Cell = string | number | bigint | null;

/** A column of a table whose rows are made of `T`s. */
export interface Column<T> {
  readonly title: Pair<string>;
  readonly kind: CellKind;
  readonly of: (row: T) => Cell;
}

/** A table whose cells stand by row and column. */
export interface Sheet {
  /** At most 25 characters, without any of []:*?/\' */
  readonly name: string;
  /** Stands above the table. */
  readonly note: string;
  readonly columns: Columns;
  /** Some rows at a time. Each piece is made once those before have been taken. */
  readonly rows: AsyncIterable<readonly (readonly Cell[])[]>;
}
type Columns = readonly Pick<Column<never>, "title" | "kind">[];

export interface WorkbookStyle {
  readonly language: Language;
  readonly currency: Currency;
  /** Rows of a sheet; further ones stand in a sheet after it. Absent: as many as Excel reads. */
  readonly maxRows?: number;
}

const MAX_ROWS = 1_048_576;
/** Characters that a cell may have. */
const MAX_CHARACTERS = 32_767;
/** Rows above the table: the note and the names of the columns. They stay in sight. */
const HEAD_ROWS = 2;
/** The day from which spreadsheets count. */
const FIRST_DAY_MS = Date.UTC(1899, 11, 30);
/** Larger files by a quarter than at zlib's usual level, in half the processor time. */
const COMPRESSION = 3;

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const OFFICE = "http://schemas.openxmlformats.org";
const MAIN = `xmlns="${OFFICE}/spreadsheetml/2006/main"`;
const RELATIONS = `${OFFICE}/officeDocument/2006/relationships`;
const PACKAGE = `${OFFICE}/package/2006`;
const CONTENT = "application/vnd.openxmlformats-officedocument.spreadsheetml";

/** A sheet that is written, and where its table stands. */
interface WrittenSheet {
  readonly name: string;
  readonly range: string;
}

/** A sheet whose cells are made by the columns. */
export function sheetOf<T>(
  names: Pick<Sheet, "name" | "note">,
  columns: readonly Column<T>[],
  pieces: AsyncIterable<readonly T[]>,
): Sheet {
  const rows = async function* () {
    for await (const piece of pieces) yield piece.map((row) => columns.map(({ of }) => of(row)));
  };
  return { ...names, columns, rows: rows() };
}

/**
 * A workbook (Office Open XML, ECMA-376) in pieces, for as long as they are taken. Memory does not grow with the
 * rows. Texts are typed as texts, so that nothing in them is a formula. Throws what reading the rows throws.
 */
export async function* writeWorkbook(sheets: readonly Sheet[], style: WorkbookStyle): AsyncGenerator<Buffer> {
  const { ZipFile } = await import("yazl");
  const zip = new ZipFile();
  const bytes = zip.outputStream.pipe(new PassThrough());
  const write = async () => {
    for await (const [path, text] of filesOf(sheets, style)) {
      const file = Readable.from(text, { objectMode: false });
      zip.addReadStream(file, path, { compressionLevel: COMPRESSION });
      await finished(file);
    }
    zip.end();
  };
  write().catch((error: Error) => bytes.destroy(error));
  yield* bytes;
}

type WorkbookFile = readonly [path: string, text: string | AsyncIterable<string>];

/** The files of a workbook: the sheets come first, because the other files name them. */
async function* filesOf(sheets: readonly Sheet[], style: WorkbookStyle): AsyncGenerator<WorkbookFile> {
  const written: WrittenSheet[] = [];
  for (const sheet of sheets) {
    const { name, columns } = sheet;
    const pieces = sheet.rows[Symbol.asyncIterator]();
    const sums = columns.map(({ kind }): bigint | null => (isSummed(kind) ? 0n : null));
    let piece = await pieces.next();
    let count = 0;
    do {
      count += 1;
      const text = async function* () {
        yield headOf(sheet, style.language);
        let row = HEAD_ROWS;
        while (piece.done !== true && row + piece.value.length < (style.maxRows ?? MAX_ROWS)) {
          const texts = piece.value.map((cells) => {
            for (const [at, sum] of sums.entries()) if (sum !== null) sums[at] = sum + BigInt(cells[at] ?? 0);
            row += 1;
            return rowText(row, cells, columns);
          });
          yield texts.join("");
          piece = await pieces.next();
        }
        const range = `A${HEAD_ROWS}:${letterOf(columns.length - 1)}${row}`;
        written.push({ name: count === 1 ? name : `${name} ${count}`, range });
        // A formula leaves out the rows that a filter hides. It cannot sum up several sheets.
        const total = { isBold: true, isFormula: count === 1 && row > HEAD_ROWS };
        if (piece.done === true) yield rowText(row + 1, ["Total", ...sums.slice(1)], columns, total);
        yield tailOf(range);
      };
      yield [`xl/worksheets/sheet${written.length + 1}.xml`, text()];
    } while (piece.done !== true);
  }
  const paths = written.map((_, index) => `worksheets/sheet${index + 1}.xml`);
  const listed = paths.map((path, index) => relation(index + 1, "worksheet", path));
  yield ["xl/styles.xml", stylesText(style)];
  yield ["xl/workbook.xml", workbookText(written)];
  yield ["xl/_rels/workbook.xml.rels", relations(...listed, relation(0, "styles", "styles.xml"))];
  yield ["_rels/.rels", relations(relation(1, "officeDocument", "xl/workbook.xml"))];
  yield ["[Content_Types].xml", contentTypes(paths)];
}

function isSummed(kind: CellKind): boolean {
  return kind === "money" || kind === "count";
}

/** What stands before a sheet's rows: frozen head, widths, note and the names of the columns. */
function headOf({ note, columns }: Sheet, language: Language): string {
  const widths = columns.map(
    ({ kind }, index) =>
      `<col min="${index + 1}" max="${index + 1}" width="${WIDTHS[kind]}" customWidth="1"/>`,
  );
  const titles = columns.map(({ title }) => inLanguage(title, language));
  return [
    `${XML}<worksheet ${MAIN}><sheetPr><pageSetUpPr fitToPage="1"/></sheetPr>`,
    `<sheetViews><sheetView workbookViewId="0"><pane ySplit="${HEAD_ROWS}" topLeftCell="A${HEAD_ROWS + 1}" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>`,
    `<sheetFormatPr defaultRowHeight="15"/><cols>${widths.join("")}</cols><sheetData>`,
    rowText(1, [note.slice(0, MAX_CHARACTERS)], [], { isBold: true }),
    rowText(HEAD_ROWS, titles, [], { isBold: true }),
  ].join("");
}

/** What stands after them: filters, and no warning of numbers that are meant as texts. */
function tailOf(range: string): string {
  const page = '<pageSetup paperSize="9" orientation="landscape" fitToHeight="0"/>';
  const ignored = `<ignoredErrors><ignoredError sqref="${range}" numberStoredAsText="1"/></ignoredErrors>`;
  return `</sheetData><autoFilter ref="${range}"/>${page}${ignored}</worksheet>`;
}

/** A cell without a column is a text. */
function rowText(
  row: number,
  cells: readonly Cell[],
  columns: Columns,
  { isBold = false, isFormula = false } = {},
): string {
  const written = cells.map((cell, index) => {
    if (cell === null) return "";
    const { kind } = columns[index] ?? { kind: "text" };
    const letter = letterOf(index);
    const start = `<c r="${letter}${row}" s="${1 + KINDS.indexOf(kind) + (isBold ? KINDS.length : 0)}"`;
    const number = numberOf(kind, cell);
    if (number === undefined) return `${start} t="inlineStr"><is>${textOf(String(cell))}</is></c>`;
    const sum = `<f>SUBTOTAL(109,${letter}${HEAD_ROWS + 1}:${letter}${row - 1})</f>`;
    return `${start}>${isFormula ? sum : ""}<v>${number}</v></c>`;
  });
  return `<row r="${row}">${written.join("")}</row>`;
}

function textOf(text: string): string {
  return `<t${text.trim() === text ? "" : ' xml:space="preserve"'}>${escaped(text)}</t>`;
}

/** The number that a spreadsheet has for a value, of times in days and to whole seconds; undefined for a text, also in place of a time. */
function numberOf(kind: CellKind, value: string | number | bigint): number | undefined {
  if (typeof value !== "string") return kind === "count" ? Number(value) : valorFromMicros(value);
  if (kind === "text") return undefined;
  const ms = Date.parse(`${value.slice(0, "2026-11-21T09:05:00".length)}Z`) - FIRST_DAY_MS;
  if (Number.isNaN(ms)) return undefined;
  const dayMs = ms % DAY_MS;
  return (kind === "day" ? ms - dayMs : kind === "time" ? dayMs : ms) / DAY_MS;
}

/** Characters that XML gives a meaning or cannot hold, and what would be read as one of these (ST_Xstring). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: names may have them.
const SPECIAL = /[&<>"\u0000-\u0008\u000b-\u001f\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)/g;
const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

function escaped(text: string): string {
  return text.replace(
    SPECIAL,
    (found) => ENTITIES[found] ?? `_x${found.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}_`,
  );
}

/** The name of a column, of the first 26. */
function letterOf(index: number): string {
  return String.fromCharCode("A".charCodeAt(0) + index);
}

/** Numbers below are formats that every spreadsheet has. */
const FIRST_FORMAT = 164;

/** The formats of cells: after a plain one come those of each kind, and then these in bold. */
function stylesText({ language, currency }: WorkbookStyle): string {
  const day = language === "es" ? "dd/mm/yyyy" : "yyyy-mm-dd";
  const [time, money] = ["hh:mm:ss", moneyFormat(language, currency)];
  const formats = { text: "@", price: money, money, count: "#,##0", day, time, moment: `${day} ${time}` };
  const codes = KINDS.map(
    (kind, index) => `<numFmt numFmtId="${FIRST_FORMAT + index}" formatCode="${escaped(formats[kind])}"/>`,
  );
  const cell = (format: number, font: number) =>
    `<xf numFmtId="${format}" fontId="${font}" fillId="0" borderId="0" applyNumberFormat="1" applyFont="1"/>`;
  const cells = [0, 1].flatMap((bold) => KINDS.map((_, index) => cell(FIRST_FORMAT + index, bold)));
  const font = '<sz val="11"/><name val="Calibri"/>';
  return [
    `${XML}<styleSheet ${MAIN}><numFmts count="${codes.length}">${codes.join("")}</numFmts>`,
    `<fonts count="2"><font>${font}</font><font><b/>${font}</font></fonts>`,
    '<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>',
    '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>',
    `<cellStyleXfs count="1">${cell(0, 0)}</cellStyleXfs>`,
    `<cellXfs count="${cells.length + 1}">${cell(0, 0)}${cells.join("")}</cellXfs>`,
    '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>',
  ].join("");
}

/** The pattern of amounts, `#,##0.00\ "€"`, with the currency where the language has it. */
function moneyFormat(language: Language, { code, decimals }: Currency): string {
  const number = `#,##0${decimals === 0 ? "" : `.${"0".repeat(decimals)}`}`;
  const written = new Intl.NumberFormat(language, {
    style: "currency",
    currency: code,
    currencyDisplay: "narrowSymbol",
  });
  const symbol = `"${written.formatToParts(1).find(({ type }) => type === "currency")?.value}"`;
  return language === "es" ? `${number}\\ ${symbol}` : symbol + number;
}

function workbookText(sheets: readonly WrittenSheet[]): string {
  const listed = sheets.map(
    ({ name }, index) => `<sheet name="${escaped(name)}" sheetId="${index + 1}" r:id="rId${index + 1}"/>`,
  );
  const names = sheets.map(({ name, range }, index) => {
    const cells = range.replace(/([A-Z]+)(\d+)/g, "$$$1$$$2");
    return `<definedName name="_xlnm._FilterDatabase" localSheetId="${index}" hidden="1">'${name}'!${cells}</definedName>`;
  });
  return `${XML}<workbook ${MAIN} xmlns:r="${RELATIONS}"><sheets>${listed.join("")}</sheets><definedNames>${names.join("")}</definedNames></workbook>`;
}

function relation(number: number, type: string, target: string): string {
  return `<Relationship Id="rId${number}" Type="${RELATIONS}/${type}" Target="${target}"/>`;
}

function relations(...all: readonly string[]): string {
  return `${XML}<Relationships xmlns="${PACKAGE}/relationships">${all.join("")}</Relationships>`;
}

function contentTypes(sheets: readonly string[]): string {
  const override = (path: string, type: string) =>
    `<Override PartName="/xl/${path}" ContentType="${CONTENT}.${type}+xml"/>`;
  const listed = sheets.map((path) => override(path, "worksheet"));
  return [
    `${XML}<Types xmlns="${PACKAGE}/content-types"><Default Extension="xml" ContentType="application/xml"/>`,
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>',
    `${override("workbook.xml", "sheet.main")}${override("styles.xml", "styles")}${listed.join("")}</Types>`,
  ].join("");
}
