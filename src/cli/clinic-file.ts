import { hash } from "node:crypto";
import { createReadStream, openSync, readSync } from "node:fs";
import { pipeline, Readable } from "node:stream";
import { CsvError, parse as csvParser } from "csv-parse";
import * as z from "zod";
import { importedRecord } from "../contract/data.ts";
import { name } from "../contract/field.ts";
import { importedDevice, importedLocation } from "../contract/import.ts";
import { microsFromValor } from "../domain/amount.ts";
import { parseMoment } from "../domain/day.ts";
import { FlancoError, messageOf } from "../domain/error.ts";
import { BEFORE_2000, isLedgerKey, isPlausibleTime, rowKey, TIME_FORM } from "../domain/imported.ts";
import { MAX_TEXT } from "../domain/text.ts";
import { mistakeOf } from "../platform/mistake.ts";
import { wiringRow } from "./wiring.ts";

/** The most mistakes of a file that are shown. */
const MAX_SHOWN = 20;

const location = importedLocation.extend({ kind: z.literal("location") });
const device = importedDevice.extend({ kind: z.literal("device") });
const wiring = wiringRow.omit({ user: true }).extend({ kind: z.literal("wiring") });
const record = importedRecord
  .extend({ kind: z.literal("record") })
  .refine(({ key, createdTime }) => isLedgerKey(key) || isPlausibleTime(createdTime), {
    path: ["createdTime"],
    message: BEFORE_2000,
  });
/** One line of the file: a JSON object. */
const entry = z.discriminatedUnion("kind", [location, device, wiring, record]);
export type ClinicEntry = z.output<typeof entry>;
export type ClinicRecord = z.output<typeof record>;

/** The columns that a table must have. */
const NEEDED = ["locationName", "deviceName", "deviceId", "habitacion", "valor", "createdTime"] as const;
/** The columns of a table of records, in their order. Moments are Unix milliseconds; an empty cell is null. */
export const CSV_COLUMNS = [
  "key",
  ...NEEDED,
  "endedTime",
  "provisional",
  "voidReason",
  "refundOf",
  "reason",
] as const;
/** Bytes that are read for the head of a table: the names of all columns fit. */
const HEAD_BYTES = 1_024;

/** An open file. It is read more than once, and the process may continue as a user that may not open it. */
export interface SourceFile {
  readonly name: string;
  readonly fd: number;
}

/** Throws `invalid`. */
export function openSource(name: string): SourceFile {
  try {
    return { name, fd: openSync(name, "r") };
  } catch (error) {
    throw unreadable(name, error);
  }
}

/**
 * The text of a file. Throws `invalid` where it is not UTF-8:
 * a spreadsheet's usual table has other bytes for ñ and é.
 */
async function* textOf({ name, fd }: SourceFile): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const decode = (piece?: Buffer) => {
    try {
      return decoder.decode(piece, { stream: piece !== undefined });
    } catch (error) {
      const hint = 'Save it as UTF-8; a spreadsheet calls that "CSV UTF-8".';
      throw new FlancoError("invalid", `${name}: this is not UTF-8.`, { hint, cause: error });
    }
  };
  const pieces = createReadStream(name, { fd, start: 0, autoClose: false }) as AsyncIterable<Buffer>;
  for await (const piece of pieces) yield decode(piece);
  yield decode();
}

function unreadable(name: string, error: unknown): FlancoError {
  const message = messageOf(error);
  const hint = "Name a file that this user may read.";
  return new FlancoError("invalid", `${name}: ${message}.`, { hint, cause: error });
}

/** A value of a file; of a table the line is that of its row. */
interface AtLine<T> {
  readonly value: T;
  readonly line: number;
}

/** The value of one line of a file, or what is wrong with it. */
type ParsedLine<T> = { readonly value: T } | { readonly mistakes: readonly string[] };

/**
 * The entries of an exported file, of JSON lines or, by its
 * name, a table of records. Throws `invalid` with all mistakes.
 * @param onWithoutKey is called with each row of a table that has no key
 */
export function readClinicFile(
  file: SourceFile,
  onWithoutKey = () => {},
): AsyncGenerator<AtLine<ClinicEntry>> {
  if (!file.name.toLowerCase().endsWith(".csv")) {
    if (!/^\W*\w+[,;]/.test(headOf(file))) return jsonLines(file, entry);
    throw new FlancoError("invalid", `${file.name}: this is a table.`, {
      hint: "Give it a name that ends in .csv.",
    });
  }
  const delimiter = delimiterOf(file);
  const columns = (names: string[]) => {
    const missing = NEEDED.filter((column) => !names.includes(column));
    if (missing.length === 0) return names;
    throw new FlancoError("invalid", `${file.name}:1: the first row does not name ${missing.join(", ")}.`, {
      hint: "It names the columns, with commas or semicolons between them, as `flanco export --csv` shows. What the page downloads is for people: it cannot be imported.",
    });
  };
  // A spreadsheet leaves out empty cells at the end of a row.
  const parser = csvParser({ columns, delimiter, relax_column_count_less: true });
  const rows: AsyncIterable<Cells> = pipeline(Readable.from(textOf(file)), parser, () => {});
  const times = new Map<string, number>();
  const parse = (cells: Cells): ParsedLine<ClinicEntry> | undefined => {
    // A spreadsheet may write empty rows at the end.
    if (Object.values(cells).every((cell) => cell === "")) return undefined;
    const row = parsed(record, toRecord(delimiter === ";" ? withPoint(cells) : cells));
    if (!("value" in row)) return row;
    const { habitacion, deviceName, locationName } = row.value;
    const names = Object.entries({ habitacion, deviceName, locationName });
    const changed = names.filter(([, name]) => CHANGED_NAME.test(name));
    if (changed.length > 0) return { mistakes: changed.map((each) => `${each.join(": ")} ${IS_CHANGED}`) };
    if (cells["key"]) return row;
    onWithoutKey();
    return { value: keyed(row.value, times) };
  };
  return entriesOf(file, rows, parse, 2);
}

/** What spreadsheets make of names such as 12/3, 3-1 and 1E5. */
const CHANGED_NAME =
  /^(?:\d{1,2}\/\d{1,2}\/\d{2,4}|\d{4}-\d\d-\d\d|\d{1,2}-(?:ene|jan|feb|mar|abr|apr|may|jun|jul|ago|aug|sep|sept|oct|nov|dic|dec)|\d(?:[.,]\d+)?E[+]\d+)$/i;
const IS_CHANGED =
  "is what a spreadsheet makes of a name such as 12/3 or 1E5: write the name as it was, or import a file of `flanco export` without --csv";

/** The text of each cell by the name of its column. */
type Cells = Readonly<Record<string, string>>;

/** The separator of the columns: a spreadsheet writes semicolons where a comma is the decimal point. */
function delimiterOf(file: SourceFile): "," | ";" {
  return headOf(file).includes(";") ? ";" : ",";
}

/** The begin of the first line. */
function headOf({ fd }: SourceFile): string {
  const head = Buffer.alloc(HEAD_BYTES);
  return head.toString("utf8", 0, readSync(fd, head, 0, HEAD_BYTES, 0)).split("\n")[0] ?? "";
}

const THOUSANDS = /\.\d{3}\s*$/;

/** The cells with a price of 4,5 as 4.5. A price of 4.500 may as well be thousands, and counts as no number. */
function withPoint(cells: Cells): Cells {
  const { valor = "" } = cells;
  return { ...cells, valor: THOUSANDS.test(valor) ? "?" : valor.replace(",", ".") };
}

/** A cell that is true or false. Spreadsheets write it in capitals, and in their own language. */
const FLAGS: ReadonlyMap<string, boolean> = new Map([
  ["", false],
  ["false", false],
  ["falso", false],
  ["true", true],
  ["verdadero", true],
]);

function toRecord(cells: Cells): unknown {
  const { key, valor, createdTime, endedTime, provisional, ...notes } = cells;
  const { voidReason, refundOf, reason, ...texts } = notes;
  return {
    kind: "record",
    // A row without one gets it from what is parsed.
    key: key || "csv",
    ...texts,
    valor: numberOf(valor),
    createdTime: numberOf(createdTime),
    endedTime: endedTime ? numberOf(endedTime) : null,
    provisional: FLAGS.get((provisional ?? "").toLowerCase()) ?? provisional,
    voidReason: voidReason || null,
    refundOf: refundOf || null,
    reason: reason || null,
  };
}

/**
 * Gives a row a key from its sale, and from how often that came before. So the same
 * sales give the same keys, however the table is written, and two equal ones stay two.
 */
function keyed(row: ClinicRecord, times: Map<string, number>): ClinicRecord {
  const { locationName, deviceName, habitacion, valor, createdTime } = row;
  const micros = microsFromValor(valor);
  const content = hash("sha256", JSON.stringify([locationName, deviceName, habitacion, micros, createdTime]));
  const before = times.get(content) ?? 0;
  times.set(content, before + 1);
  return { ...row, key: rowKey(content, before) };
}

/** What MongoDB's shell writes in place of JSON. */
const SHELL = /\b(?:NumberLong|NumberInt|NumberDecimal|ISODate|ObjectId)\(/;
const SHELL_HINT = "NumberLong(…), ISODate(…) and ObjectId(…) are the shell's. mongoexport writes JSON";

/** The documents of a file of JSON lines. Throws `invalid` with all mistakes, each with its line. */
export async function* readJsonLines<S extends z.ZodType>(
  file: SourceFile,
  shape: S,
): AsyncGenerator<z.output<S>> {
  for await (const { value } of jsonLines(file, shape)) yield value;
}

function jsonLines<S extends z.ZodType>(file: SourceFile, shape: S): AsyncGenerator<AtLine<z.output<S>>> {
  const parse = (line: string): ParsedLine<z.output<S>> | undefined => {
    if (line.trim() === "") return undefined;
    // mongoexport writes a list with --jsonArray.
    if (line.startsWith("["))
      return {
        mistakes: [
          "begins an array: each line must be an object of its own. mongoexport writes them without --jsonArray",
        ],
      };
    try {
      return parsed(shape, JSON.parse(line));
    } catch {
      return { mistakes: [`is no JSON object of one line${SHELL.test(line) ? `: ${SHELL_HINT}` : ""}`] };
    }
  };
  return entriesOf(file, linesOf(textOf(file)), parse, 1);
}

/**
 * The lines of a text. `node:readline` would also end a line
 * at U+2028 and U+2029, which JSON may have in its texts.
 */
async function* linesOf(text: AsyncIterable<string>): AsyncGenerator<string> {
  let line = "";
  for await (const piece of text) {
    const [end = "", ...others] = piece.split("\n");
    line += end;
    for (const other of others) {
      yield line;
      line = other;
    }
  }
  yield line;
}

async function* entriesOf<F, T>(
  { name: file }: SourceFile,
  found: AsyncIterable<F>,
  parse: (one: F) => ParsedLine<T> | undefined,
  firstLine: number,
): AsyncGenerator<AtLine<T>> {
  const mistakes: string[] = [];
  let line = firstLine - 1;
  try {
    for await (const one of found) {
      line += 1;
      const result = parse(one);
      if (result === undefined) continue;
      if ("value" in result) yield { value: result.value, line };
      else mistakes.push(...result.mistakes.map((mistake) => `${file}:${line}: ${mistake}`));
      if (mistakes.length >= MAX_SHOWN) break;
    }
  } catch (error) {
    if (error instanceof FlancoError) throw error;
    if (!(error instanceof CsvError)) throw unreadable(file, error);
    throw new FlancoError("invalid", `${file}: ${error.message}.`, { hint: "Nothing was imported." });
  }
  if (mistakes.length === 0) return;
  throw new FlancoError("invalid", mistakes.join("\n") + (mistakes.length === 1 ? "." : ""), {
    hint: "Nothing was imported: mend these lines.",
  });
}

function parsed<S extends z.ZodType>(shape: S, input: unknown): ParsedLine<z.output<S>> {
  const result = shape.safeParse(input, { error: mistakeOfCell });
  if (result.success) return { value: result.data };
  return {
    mistakes: result.error.issues.map(({ path, message }) =>
      path.length === 0 ? message : `${path.join(".")}: ${message}`,
    ),
  };
}

/** What a cell must be. */
function mistakeOfCell(issue: z.core.$ZodRawIssue): string | undefined {
  const { path, input } = issue;
  if (!Number.isNaN(input)) return mistakeOf(issue);
  return String(path?.at(-1)).endsWith("Time")
    ? `${TIME_FORM}, in digits alone: a spreadsheet that shows 1.77E+12 has lost the rest`
    : "must be a number in digits, such as 4.5, without a separator of thousands";
}

/** A number without an exponent: a spreadsheet that has rounded a time to 1.79565E+12 has lost hours of it. */
const NUMBER = /^\s*[+-]?(\d+\.?\d*|\.\d+)\s*$/;

/** NaN for a text that is no number, which the shape then refuses. */
function numberOf(text = ""): number {
  return NUMBER.test(text) ? Number(text) : Number.NaN;
}

/** A document's `_id`: an ObjectId, or any text of the old system. */
const key = z.union([z.string(), z.object({ $oid: z.string() }).transform(({ $oid }) => $oid)]);

/** Says which forms a value has that has none of them. */
const forms = (text: string) => ({
  error: ({ input }: { input?: unknown }) => (input === undefined ? "is required" : text),
});

/** A number in any of the forms of MongoDB's extended JSON, version 2. */
const number = z.union(
  [
    z.number(),
    z.object({ $numberInt: z.string() }).transform(({ $numberInt }) => Number($numberInt)),
    z.object({ $numberLong: z.string() }).transform(({ $numberLong }) => Number($numberLong)),
    z.object({ $numberDouble: z.string() }).transform(({ $numberDouble }) => Number($numberDouble)),
    z.object({ $numberDecimal: z.string() }).transform(({ $numberDecimal }) => Number($numberDecimal)),
  ],
  forms('must be a number, such as 4.5 or {"$numberDecimal": "4.50"}, and no text'),
);

const dateText = z
  .string()
  .refine((date) => parseMoment(date) !== undefined)
  .transform(Date.parse);

const moment = z
  .union(
    [number, z.object({ $date: z.union([number, dateText]) }).transform(({ $date }) => $date)],
    forms(`${TIME_FORM}, or {"$date": "2026-03-11T12:00:00Z"}`),
  )
  .refine(isPlausibleTime, BEFORE_2000);

/** The shape of the documents in each collection of the old system. Other fields are left out. */
export const MONGO_SHAPES = {
  users: z.object({ _id: key, name, email: z.email().max(MAX_TEXT), password: z.string().optional() }),
  locations: z.object({ _id: key, userId: key, ...importedLocation.shape }),
  devices: z.object({
    _id: key,
    userId: key,
    dId: name,
    name,
    locationName: name,
    actuators: z
      .array(z.object({ id: name }))
      .transform((actuators) => actuators.map(({ id }) => id))
      .pipe(importedDevice.shape.rooms),
  }),
  data: z.object({
    _id: key,
    userId: key,
    locationName: name,
    deviceName: name,
    deviceId: name,
    habitacion: name,
    valor: number.pipe(importedRecord.shape.valor),
    createdTime: moment.pipe(importedRecord.shape.createdTime),
  }),
};

const ID = /^[0-9a-f]{24}$/;

/** An id for an old document: its own, if that is an ObjectId. */
export function idOfKey(oldKey: string): string {
  return ID.test(oldKey) ? oldKey : hash("sha256", oldKey).slice(0, 24);
}
