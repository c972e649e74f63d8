import { inflateRawSync } from "node:zlib";

/** One cell of a workbook as a spreadsheet takes it. */
export interface ReadCell {
  /** A text that is typed as one is a string, all else a number. */
  readonly value: string | number;
  /** The pattern by which it is shown. */
  readonly format: string;
  readonly formula: string | undefined;
}

export interface ReadSheet {
  readonly name: string;
  /** By row and column; undefined where there is no cell. */
  readonly rows: readonly (readonly (ReadCell | undefined)[])[];
  /** The range of the filter. */
  readonly filter: string | undefined;
  /** Rows that stay in sight. */
  readonly frozen: number;
}

/** The moment of a local time such as `2026-11-21T09:05:00` as spreadsheets count it: in days since 30 December 1899. */
export function serialOf(local: string): number {
  return (
    (Date.parse(`${local.slice(0, "2026-11-21T09:05:00".length)}Z`) - Date.UTC(1899, 11, 30)) / 86_400_000
  );
}

/** The files of a zip archive, by the directory at its end. */
export function unzipped(archive: Buffer): ReadonlyMap<string, Buffer> {
  const end = archive.lastIndexOf(Buffer.from("PK\x05\x06", "latin1"));
  const files = new Map<string, Buffer>();
  let at = archive.readUInt32LE(end + 16);
  for (let left = archive.readUInt16LE(end + 10); left > 0; left -= 1) {
    const [size, name, extra, comment] = [
      archive.readUInt32LE(at + 20),
      archive.readUInt16LE(at + 28),
      archive.readUInt16LE(at + 30),
      archive.readUInt16LE(at + 32),
    ];
    const local = archive.readUInt32LE(at + 42);
    const from = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
    const path = archive.toString("utf8", at + 46, at + 46 + name);
    files.set(path, inflateRawSync(archive.subarray(from, from + size)));
    at += 46 + name + extra + comment;
  }
  return files;
}

/** Reads what flanco writes: it knows the attributes in the order in which they are written. */
export function readWorkbook(archive: Buffer): readonly ReadSheet[] {
  const files = unzipped(archive);
  const text = (path: string) => files.get(path)?.toString("utf8") ?? "";
  const formats = new Map(
    [...text("xl/styles.xml").matchAll(/<numFmt numFmtId="(\d+)" formatCode="([^"]*)"/g)].map(
      ([, id = "", code = ""]) => [id, plain(code)] as const,
    ),
  );
  const [, cellStyles = ""] = /<cellXfs[^>]*>(.*)<\/cellXfs>/.exec(text("xl/styles.xml")) ?? [];
  const styles = [...cellStyles.matchAll(/numFmtId="(\d+)"/g)].map(([, id = ""]) => formats.get(id) ?? "");
  const names = [...text("xl/workbook.xml").matchAll(/<sheet name="([^"]*)"/g)];
  return names.map(([, name = ""], index) => {
    const sheet = text(`xl/worksheets/sheet${index + 1}.xml`);
    const rows: (ReadCell | undefined)[][] = [];
    for (const [, row = "", cells = ""] of sheet.matchAll(/<row r="(\d+)">(.*?)<\/row>/gs)) {
      rows[Number(row) - 1] = cellsOf(cells, styles);
    }
    return {
      name: plain(name),
      rows,
      filter: /<autoFilter ref="([^"]*)"/.exec(sheet)?.[1],
      frozen: Number(/ySplit="(\d+)"/.exec(sheet)?.[1] ?? 0),
    };
  });
}

const CELL = /<c r="([A-Z])\d+" s="(\d+)"( t="inlineStr")?>(?:<f>(.*?)<\/f>)?<(?:is><t[^>]*|v)>(.*?)<\//gs;

function cellsOf(text: string, styles: readonly string[]): (ReadCell | undefined)[] {
  const cells: (ReadCell | undefined)[] = [];
  for (const [, letter = "", style = "", typed, formula, value = ""] of text.matchAll(CELL)) {
    const read = typed === undefined ? Number(value) : plain(value);
    cells[letter.charCodeAt(0) - "A".charCodeAt(0)] = {
      value: read,
      format: styles[Number(style)] ?? "",
      formula,
    };
  }
  return cells;
}

function plain(xml: string): string {
  const text = xml.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"');
  const coded = text.replaceAll("&amp;", "&");
  return coded.replaceAll(/_x([0-9A-F]{4})_/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));
}
