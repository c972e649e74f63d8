import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { parse } from "csv-parse/sync";
import { runCommand } from "../../scripts/command.ts";
import { installFor } from "../../scripts/debian.ts";
import { EMAIL, seededProgram } from "../cli/ledger.ts";
import { newRecord } from "../ledger/test-ledger.ts";
import { readIn } from "../rig/ledger-file.ts";
import { PASSWORD, type Program } from "../rig/program.ts";
import { inLedger } from "../rig/writer.ts";

/** 02:30 in Madrid for the first time on the day that has it twice. */
const FIRST_MS = Date.UTC(2026, 9, 25, 0, 30);
const HOUR_MS = 3_600_000;
const ROOMS = ["0101", "3-1", "1E5", "12/3", "=1+1", "@sum", 'Sala "azul"', "1:30", "101"];
/** Of LibreOffice: Spanish, as it reads and as it writes; every quote is kept. */
const SPANISH = "3082";
/** Prints each sheet as a list of rows. */
const READ = `
import json, sys, openpyxl
book = openpyxl.load_workbook(sys.argv[1])
rows = lambda sheet: [[str(c.value) if c.is_date else c.value for c in row] for row in sheet.iter_rows()]
print(json.dumps([[sheet.title, sheet.freeze_panes, sheet.auto_filter.ref, rows(sheet)] for sheet in book]))
`;

describe("What is downloaded for a spreadsheet", () => {
  let program: Program;
  /** The page's CSV. */
  let table: Buffer;

  const file = (name: string) => join(program.directory, name);

  /** Has LibreOffice open a file, and gives what it saves. */
  function converted(name: string, to: string, ...input: readonly string[]): string {
    const home = `-env:UserInstallation=file://${file("office")}`;
    const way = ["--headless", ...input, "--convert-to", to, "--outdir", program.directory, file(name)];
    return runCommand(["soffice", home, ...way]);
  }

  /** A table as a person in Spain opens it, with a double click or by its dialogue, and saves it again. */
  function savedAgain(name: string, separator: ";" | ",", detect: boolean): string {
    const code = separator.charCodeAt(0);
    converted(`${name}.csv`, "ods:calc8", `--infilter=CSV:${code},34,76,1,,${SPANISH},false,${detect}`);
    converted(`${name}.ods`, `csv:Text - txt - csv (StarCalc):59,34,76,1,,${SPANISH},false,true`);
    return readFileSync(file(`${name}.csv`), "utf8");
  }

  before(async () => {
    installFor("spreadsheet");
    program = await seededProgram([], { FLANCO_TIME_ZONE: "Europe/Madrid" });
    await inLedger(program.ledgerFile, async (writer) => {
      const userId = readIn(program.ledgerFile, (reader) => reader.members()[0]?.userId ?? "");
      for (const [index, room] of ROOMS.entries()) {
        const createdTimeMs = FIRST_MS + index * HOUR_MS;
        await writer.addRecord(userId, newRecord({ room, valorMicros: 4_500_000, createdTimeMs }), null);
      }
    });
    const service = await program.start();
    const cookie = await service.signIn(EMAIL, PASSWORD);
    const download = async (format: string) =>
      Buffer.from(await (await service.get(`/api/export?lang=es&format=${format}`, cookie)).arrayBuffer());
    program.write("sales.xlsx", await download("xlsx"));
    table = await download("csv");
  });

  after(() => program?.close());

  it("is read by openpyxl as it was written", () => {
    const sheets = JSON.parse(runCommand(["/usr/bin/python3", "-c", READ, file("sales.xlsx")])) as [
      ...[string, string, string, (string | number | null)[][]],
    ][];
    expect(sheets.map(([name, frozen, filter]) => [name, frozen, filter])).to.deep.equal([
      ["Registros", "A3", `A2:P${ROOMS.length + 2}`],
      ["Días", "A3", "A2:F3"],
      ["Habitaciones", "A3", `A2:H${ROOMS.length + 2}`],
    ]);
    const rows = sheets[0]?.[3].slice(2, -1).toReversed() ?? [];
    expect(rows.map((row) => row[5])).to.deep.equal(ROOMS);
    expect(rows.slice(0, 3).map((row) => [row[1], row[2], row[12]])).to.deep.equal([
      ["2026-10-25 00:00:00", "02:30:00", "UTC+02:00"],
      ["2026-10-25 00:00:00", "02:30:00", "UTC+01:00"],
      ["2026-10-25 00:00:00", "03:30:00", "UTC+01:00"],
    ]);
    expect(rows.map((row) => row[6])).to.deep.equal(Array(ROOMS.length).fill(4.5));
  });

  it("is shown by LibreOffice in Spanish as it was written, with the sum that it computes itself", () => {
    converted("sales.xlsx", `csv:Text - txt - csv (StarCalc):59,34,76,1,,${SPANISH},false,true`);
    const rows: string[][] = parse(readFileSync(file("sales.csv")), { delimiter: ";", from: 3 });
    expect(rows.slice(0, -1).map((row) => row[5])).to.have.members(ROOMS);
    expect(Number.parseFloat(rows.at(-1)?.[13]?.replace(",", ".") ?? "")).to.equal(4.5 * ROOMS.length);
  });

  for (const detect of [false, true]) {
    it(`keeps rooms, offsets and amounts as CSV too, ${detect ? "with" : "without"} detection of numbers`, () => {
      program.write("table.csv", table);
      const rows: string[][] = parse(savedAgain("table", ";", detect), { delimiter: ";", from: 2 });
      const shown = ROOMS.map((room) => (/^[=@]/.test(room) ? `'${room}` : room));
      expect(rows.map((row) => row[5])).to.have.members(shown);
      const offsets = rows.toReversed().map((row) => row[12]);
      expect(offsets.slice(0, 2)).to.deep.equal(["UTC+02:00", "UTC+01:00"]);
      expect(rows.map((row) => Number(row[13]?.replace(",", ".")))).to.deep.equal(
        Array(ROOMS.length).fill(4.5),
      );
    });
  }

  for (const detect of [false, true]) {
    it(`adds nothing where flanco's table is imported after it was saved, ${detect ? "with" : "without"} detection`, async () => {
      program.write("own.csv", await program.succeed(["export", "--csv"]));
      savedAgain("own", ",", detect);
      const { exitCode, stderr } = await program.call(["import", file("own.csv")]);
      expect(exitCode).to.equal(detect ? 1 : 3);
      expect(stderr).to.match(/own\.csv:\d+: habitacion: /);
      const records = readIn(program.ledgerFile, (reader) =>
        reader.exportedRecords(reader.members()[0]?.userId ?? "", 0, 100),
      );
      expect(records).to.have.length(ROOMS.length);
    });
  }
});
