import { buffer } from "node:stream/consumers";
import { expect } from "chai";
import fc from "fast-check";
import { HOUR_MS, MINUTE_MS } from "../../src/domain/clock.ts";
import type { FoundRecord, RecordFilter } from "../../src/domain/record.ts";
import { type SettlementReads, settlementSheet } from "../../src/http/export-settlement.ts";
import { exportSheets, noteOf } from "../../src/http/export-sheets.ts";
import { writeWorkbook } from "../../src/http/workbook.ts";
import { LocalCalendar } from "../../src/ledger/nouns/calendar.ts";
import { aStoredRecord } from "../domain/record-entry.ts";
import { ANY } from "../ledger/records-of.ts";
import { type ReadCell, type ReadSheet, readWorkbook, serialOf } from "../rig/workbook.ts";

const madrid = new LocalCalendar("Europe/Madrid");
const localTime = (timeMs: number) => madrid.localTime(timeMs);
const EUR = { code: "EUR", decimals: 2 };
/** 02:30 in Madrid for the first time on the day that has it twice. */
const FIRST_MS = Date.UTC(2026, 9, 25, 0, 30);

function aRecord(otherwise: Partial<FoundRecord>): FoundRecord {
  return { ...aStoredRecord({ createdTimeMs: FIRST_MS }), movedBy: null, ...otherwise };
}

interface Options {
  readonly language?: "es" | "en";
  readonly maxRows?: number;
  readonly currency?: typeof EUR;
  readonly piece?: number;
}

async function written(
  records: readonly FoundRecord[],
  { language = "es", currency = EUR, maxRows, piece = 2 }: Options = {},
): Promise<readonly ReadSheet[]> {
  const pieces = async function* () {
    for (let from = 0; from < records.length; from += piece) yield records.slice(from, from + piece);
  };
  const sheets = exportSheets({ pieces: pieces(), language, note: "note", localTime });
  const style = { language, currency, ...(maxRows === undefined ? {} : { maxRows }) };
  return readWorkbook(await buffer(writeWorkbook(sheets, style)));
}

/** The cells of one column of a sheet, by its title, without head and total. */
function column(sheet: ReadSheet | undefined, title: string): readonly (ReadCell | undefined)[] {
  const at = sheet?.rows[1]?.findIndex((cell) => cell?.value === title) ?? -1;
  expect(at, title).to.be.greaterThan(-1);
  return sheet?.rows.slice(2, -1).map((row) => row[at]) ?? [];
}

const values = (cells: readonly (ReadCell | undefined)[] = []) => cells.map((cell) => cell?.value);

describe("A workbook", () => {
  const ODD = [
    ...["0101", "3-1", "1E5", "12/3", "=1+1", "@sum", "+A1", '=HYPERLINK("x")', "7894321095001"],
    ...['Sala "azul" <1> & Ñ', " spaces ", "a\u0001b", "_x0041_", "line\nend", "\ufffe", "👩‍⚕️"],
  ];

  it("has rooms, numbers and reasons as texts, letter by letter, and formulas nowhere in them", async () => {
    const records = ODD.map((room) =>
      aRecord({ room, locationName: room, deviceName: room, reason: room, number: 7_894_321_095_001 }),
    );
    const [sheet] = await written(records);
    for (const title of ["Habitación", "Lugar", "Dispositivo", "Explicación"]) {
      const cells = column(sheet, title);
      expect(values(cells), title).to.deep.equal(ODD);
      expect(cells.every((cell) => cell?.format === "@" && cell.formula === undefined)).to.equal(true);
    }
    expect(new Set(values(column(sheet, "Registro")))).to.deep.equal(new Set(["7894321095001"]));
  });

  it("keeps any text that the ledger may hold", async () => {
    const text = fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(fc.array(text, { minLength: 50 }), async (rooms) => {
        const [sheet] = await written(rooms.map((room) => aRecord({ room })));
        expect(values(column(sheet, "Habitación"))).to.deep.equal(rooms);
      }),
      { numRuns: 10 },
    );
  });

  it("has local times as times, with the offset that tells the two hours of October apart", async () => {
    const [sheet] = await written(
      [0, HOUR_MS, 2 * HOUR_MS].map((later) => aRecord({ createdTimeMs: FIRST_MS + later + 7_999 })),
    );
    // What LibreOffice and Excel show of this number.
    const day = 46_320;
    const [dates, times] = [column(sheet, "Fecha"), column(sheet, "Hora")];
    expect(values(dates)).to.deep.equal([day, day, day]);
    expect(values(times)).to.deep.equal([2.5, 2.5, 3.5].map((hour) => (hour * 3_600 + 7) / 86_400));
    expect([dates[0]?.format, times[0]?.format]).to.deep.equal(["dd/mm/yyyy", "hh:mm:ss"]);
    expect(values(column(sheet, "Zona horaria"))).to.deep.equal(["UTC+02:00", "UTC+01:00", "UTC+01:00"]);
    const [english] = await written([aRecord({ endedTimeMs: FIRST_MS + 999 })], { language: "en" });
    expect(column(english, "Date")[0]?.format).to.equal("yyyy-mm-dd");
    const [ended] = column(english, "Ended");
    expect(ended).to.deep.include({ value: day + 2.5 / 24, format: "yyyy-mm-dd hh:mm:ss" });
  });

  it("has amounts as numbers in the currency, and what counts of them: nothing of a void record, a refund less", async () => {
    const records = [
      aRecord({ number: 4, valorMicros: -1_250_000, origin: "refund", refundOf: 1, reason: "no signal" }),
      aRecord({ number: 3, valorMicros: 1 }),
      aRecord({ number: 2, valorMicros: 999_000_000, voided: { timeMs: FIRST_MS, reason: "a test" } }),
      aRecord({
        number: 1,
        valorMicros: 4_500_000,
        origin: "by_hand",
        reason: "fuse",
        endedTimeMs: FIRST_MS,
      }),
    ];
    const [sheet, days] = await written(records);
    expect(values(column(sheet, "Valor"))).to.deep.equal([-1.25, 0.000001, 999, 4.5]);
    const counted = column(sheet, "Importe contado");
    expect(values(counted)).to.deep.equal([-1.25, 0.000001, 0, 4.5]);
    expect(counted[0]?.format).to.equal('#,##0.00\\ "€"');
    expect(values(column(sheet, "Estado"))).to.deep.equal(["contado", "contado", "anulado", "contado"]);
    expect(values(column(sheet, "Origen")).filter((origin) => origin !== "relé")).to.deep.equal([
      ...["devolución", "a mano"],
    ]);
    expect(values(column(sheet, "Devolución de"))).to.deep.equal(["1", undefined, undefined, undefined]);
    expect(values(column(sheet, "Motivo"))[2]).to.equal("a test");
    expect(values(column(sheet, "Fin"))[3]).to.equal(serialOf(localTime(FIRST_MS)));
    const total = sheet?.rows.at(-1);
    expect(total?.[0]?.value).to.equal("Total");
    expect(total?.[13]).to.deep.include({ value: 3.250001, formula: "SUBTOTAL(109,N3:N6)" });
    const row = days?.rows[2];
    expect(values(row?.slice(1))).to.deep.equal([2, 4.500001, -1.25, 3.250001, 1]);
    const yen = { code: "JPY", decimals: 0 };
    const [japanese] = await written(records, { currency: yen, language: "en" });
    expect(column(japanese, "Value")[0]?.format).to.equal('"¥"#,##0');
  });

  it("has sums of each day and room, which add up to the total of the records", async () => {
    const anyRecord = fc.record({
      createdTimeMs: fc.integer({ min: FIRST_MS - 40 * 24 * HOUR_MS, max: FIRST_MS + 2 * HOUR_MS }),
      room: fc.constantFrom("101", "0101", "1E5"),
      deviceId: fc.constantFrom("7234", "7235"),
      valorMicros: fc.integer({ min: 0, max: 1e13 }),
      isVoid: fc.boolean(),
      isRefund: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(anyRecord, { maxLength: 30 }), async (drawn) => {
        const records = drawn.map(({ isVoid, isRefund, valorMicros, ...record }) =>
          aRecord({
            ...record,
            voided: isVoid ? { timeMs: FIRST_MS, reason: "x" } : null,
            ...(isRefund ? { refundOf: 1, valorMicros: -valorMicros } : { valorMicros }),
          }),
        );
        const counted = records.filter(({ voided }) => voided === null);
        const net = counted.reduce((sum, { valorMicros }) => sum + BigInt(valorMicros), 0n);
        const [sheet, days, rooms] = await written(records);
        const micros = (cell: ReadCell | undefined) => Math.round(Number(cell?.value) * 1e6);
        expect(sheet?.rows.at(-1)?.[13]?.value).to.equal(Number(net) / 1e6);
        for (const sums of [days, rooms]) {
          const all = column(sums, "Neto").reduce((sum, cell) => sum + micros(cell), 0);
          expect(Math.abs(all - Number(net))).to.be.lessThan(10);
          const sales = column(sums, "Ventas").reduce((sum, cell) => sum + Number(cell?.value), 0);
          expect(sales).to.equal(counted.filter(({ refundOf }) => refundOf === null).length);
        }
        const dates = values(column(days, "Día"));
        expect(dates).to.deep.equal(dates.toSorted((one, other) => Number(one) - Number(other)));
      }),
      { numRuns: 30 },
    );
  });

  it("keeps its head in sight, filters the table without the total, and says above what was filtered", async () => {
    const sheets = await written([aRecord({}), aRecord({})]);
    expect(sheets.map(({ name, filter, frozen }) => [name, filter, frozen])).to.deep.equal([
      ["Registros", "A2:P4", 2],
      ["Días", "A2:F3", 2],
      ["Habitaciones", "A2:H3", 2],
    ]);
    for (const { rows } of sheets) expect(rows[0]?.[0]?.value).to.equal("note");
    const filter = { ...ANY, from: 20261001, to: 20261031, location: "Norte", room: "0101" };
    expect(noteOf(filter, "Pasillo A", "es", "2026-11-29T10:05:59.999")).to.equal(
      "Flanco · Registros: desde: 2026-10-01, hasta: 2026-10-31, Lugar: Norte, Dispositivo: Pasillo A, Habitación: 0101 · hecho el 2026-11-29 10:05",
    );
    expect(
      noteOf({ ...ANY, state: "refund", number: 12, within: ["A", "B"] }, null, "en", "2026-11-29T10:05"),
    ).to.contain("Records: only: A / B, Record: 12, State: refund · ");
    expect(noteOf(ANY, null, "en", "2026-11-29T10:05")).to.contain("Records: all records · ");
  });

  it("has a note that fits into a cell, also of a member who is limited to many locations", async () => {
    const within = Array.from({ length: 400 }, (_, index) => `${index}`.padEnd(200, "x"));
    const note = noteOf({ ...ANY, within }, null, "es", "2026-11-29T10:05");
    const sheets = exportSheets({ pieces: (async function* () {})(), language: "es", note, localTime });
    const [sheet] = readWorkbook(await buffer(writeWorkbook(sheets, { language: "es", currency: EUR })));
    expect(String(sheet?.rows[0]?.[0]?.value)).to.have.length(32_767);
  });

  it("without records has its head and a total of nothing", async () => {
    const [sheet] = await written([]);
    expect(sheet?.rows).to.have.length(3);
    expect(sheet?.rows[2]?.[13]).to.deep.include({ value: 0, formula: undefined });
  });

  it("goes on in a further sheet where a spreadsheet would read no more rows", async () => {
    const records = Array.from({ length: 11 }, (_, index) =>
      aRecord({ number: index + 1, createdTimeMs: FIRST_MS - index * MINUTE_MS, valorMicros: 1_000_000 }),
    );
    const sheets = await written(records, { maxRows: 7 });
    expect(sheets.map(({ name, rows }) => [name, rows.length])).to.deep.equal([
      ["Registros", 6],
      ["Registros 2", 6],
      ["Registros 3", 6],
      ["Días", 4],
      ["Habitaciones", 4],
    ]);
    const numbers = sheets.slice(0, 3).flatMap(({ rows }) => rows.slice(2).map((row) => row[0]?.value));
    expect(numbers).to.deep.equal([...records.map(({ number }) => String(number)), "Total"]);
    expect(sheets[2]?.rows.at(-1)?.[13]).to.deep.include({ value: 11, formula: undefined });
  });

  describe("of closed months", () => {
    const split = { net: 8.5, base: 7.02, vat: 1.48, clinic: 2.55, company: 5.95 };
    const none = { net: 0, base: 0, vat: 0, clinic: 0, company: 0 };
    const own = {
      ...{ gross: 12, refunded: 2, net: 10, sales: 3, refunds: 1, voided: 0, voidedValue: 0 },
      ...{ byHand: 0, byHandValue: 0, provisional: 0, first: 1, last: 4 },
      ...{ own: split, corrected: { ...none, net: -1.5 }, due: split },
    };
    const locations = [
      { name: "Norte", names: ["Norte", "North"], ...own, counted: 8, difference: -0.5 },
      { name: "", names: [""], ...own, counted: null, difference: null },
    ];
    const content = { locations, rooms: [], correctedMonths: [], corrections: [], gaps: [] };
    const hash = "ab".repeat(32);
    const at = { position: 1, hash, timeMs: 0, who: null, from: "" };
    const heads = [202610, 202609].map((month) => ({ ...at, month, number: month % 100 }));
    const reads: SettlementReads = {
      settlements: () => heads,
      settlement: (_userId, month) => {
        return { ...at, month, number: month % 100, text: JSON.stringify(content) };
      },
    };
    const sheetsOf = (filter: Partial<RecordFilter>) =>
      settlementSheet(reads, { userId: "", language: "es", note: "", filter: { ...ANY, ...filter } });

    it("has those that the filter touches, by location, as they were settled", async () => {
      const sheets = sheetsOf({ from: 20260930, to: 20261001 });
      const [sheet] = readWorkbook(await buffer(writeWorkbook(sheets, { language: "es", currency: EUR })));
      expect(sheet?.name).to.equal("Liquidación");
      const row = values(sheet?.rows[2]);
      expect(row.slice(0, 7)).to.deep.equal(["2026-10", "Norte", 3, 12, -2, 10, -1.5]);
      expect(row.slice(7)).to.deep.equal([8.5, 7.02, 1.48, 2.55, 5.95, 8, -0.5, "10", hash]);
      expect(values(column(sheet, "Lugar"))).to.deep.equal([
        "Norte",
        "Otros lugares",
        "Norte",
        "Otros lugares",
      ]);
      expect(values(sheet?.rows.at(-1)).slice(2, 6)).to.deep.equal([12, 48, -8, 40]);
    });

    it("has one location alone, also by an earlier name", async () => {
      const sheets = sheetsOf({ from: 20261031, location: "North" });
      const [sheet] = readWorkbook(await buffer(writeWorkbook(sheets, { language: "es", currency: EUR })));
      expect(values(column(sheet, "Lugar"))).to.deep.equal(["Norte"]);
    });

    it("has no sheet where no month is closed", () => {
      expect(sheetsOf({ from: 20261101 })).to.deep.equal([]);
    });

    it("has no sheet where a filter lets through less than what a location sold in the month", () => {
      for (const filter of [
        ...[{ deviceId: "7234" }, { room: "101" }, { roomPart: "1" }, { number: 7 }],
        { state: "refund" } as const,
      ]) {
        expect(sheetsOf({ from: 20261031, ...filter }), JSON.stringify(filter)).to.deep.equal([]);
      }
    });

    it("has for a limited member the locations of which it sees every name", async () => {
      const placesWithin = async (within: readonly string[]) => {
        const sheets = sheetsOf({ from: 20261031, within });
        const [sheet] = readWorkbook(await buffer(writeWorkbook(sheets, { language: "es", currency: EUR })));
        return values(column(sheet, "Lugar"));
      };
      expect(await placesWithin(["Norte", "North", "Sur"])).to.deep.equal(["Norte"]);
      expect(await placesWithin(["Norte"])).to.deep.equal([]);
    });
  });

  it("breaks off with what reading its rows throws", async () => {
    const failing = exportSheets({
      pieces: (async function* () {
        yield [aRecord({})];
        throw new Error("the disk is gone");
      })(),
      language: "es",
      note: "",
      localTime,
    });
    const failure = await buffer(writeWorkbook(failing, { language: "es", currency: EUR })).catch(String);
    expect(failure).to.equal("Error: the disk is gone");
  });
});
