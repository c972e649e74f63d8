import { expect } from "chai";
import { parse } from "csv-parse/sync";
import fc from "fast-check";
import type { StoredRecord } from "../../src/domain/record.ts";
import { csvHead, csvRow } from "../../src/http/export.ts";

const RECORD: StoredRecord = {
  recordId: 1,
  locationName: "Clínica Norte",
  deviceName: "Pasillo A",
  deviceId: "7234",
  room: "101",
  valorMicros: 2_500_000,
  createdTimeMs: Date.UTC(2026, 2, 11, 9, 5, 7, 89),
  endedTimeMs: null,
  origin: "edge",
  provisional: false,
  voided: null,
};
const inUtc = (timeMs: number) => new Date(timeMs).toISOString().slice(0, -1);

function row(language: "es" | "en", otherwise: Partial<StoredRecord> = {}): string[] {
  const written = csvRow({ ...RECORD, ...otherwise }, language, inUtc);
  const delimiter = language === "es" ? ";" : ",";
  const [cells = [], ...others]: string[][] = parse(written, {
    delimiter,
    record_delimiter: ["\r\n", "\n", "\r"],
  });
  expect(others).to.deep.equal([]);
  return cells;
}

const NUMBER = /^[+-]?\d+([.,]\d+)?$/;

/** A text without the marks that it may have been given, or had: where a cell begins, for one separator or another. */
function unmarked(text: string): string {
  return text.replaceAll(/(^|[;,\t\r\n])'+/g, "$1");
}

describe("A row of an export", () => {
  it("stands under a header in its language, behind a byte-order mark", () => {
    expect(csvHead("es")).to.equal(
      "\uFEFFRegistro;Fecha;Hora;Lugar;Dispositivo;Habitación;Valor;Estado;Origen;Fin;Anulado;Motivo\r\n",
    );
    expect(csvHead("en")).to.equal(
      "\uFEFFRecord,Date,Time,Location,Device,Room,Value,State,Origin,Ended,Voided,Reason\r\n",
    );
  });

  it("has its number, the local date and time, the place, the value, its state, where it came from, and its end", () => {
    const endedTimeMs = Date.UTC(2026, 2, 12, 0, 1, 2);
    expect(csvRow({ ...RECORD, endedTimeMs }, "es", inUtc)).to.equal(
      "1;2026-03-11;09:05:07;Clínica Norte;Pasillo A;101;2,5;contado;relé;2026-03-12 00:01:02;;\r\n",
    );
    expect(csvRow({ ...RECORD, endedTimeMs }, "en", inUtc)).to.equal(
      "1,2026-03-11,09:05:07,Clínica Norte,Pasillo A,101,2.5,counted,relay,2026-03-12 00:01:02,,\r\n",
    );
  });

  it("has when and why it was voided, and no formula in the reason", () => {
    const voided = { timeMs: Date.UTC(2026, 2, 12, 0, 1, 2), reason: "=1+1" };
    expect(row("es", { voided }).slice(10)).to.deep.equal(["2026-03-12 00:01:02", "'=1+1"]);
  });

  it("says of a record that it was taken back, or that its time is not certain", () => {
    expect(row("es", { provisional: true })[7]).to.equal("provisional");
    expect(row("es", { provisional: true, voided: { timeMs: 0, reason: "x" } })[7]).to.equal("anulado");
    expect(row("en", { voided: { timeMs: 0, reason: "x" } })[7]).to.equal("voided");
  });

  for (const [micros, es, en] of [
    [0, "0", "0"],
    [1, "0,000001", "0.000001"],
    [-4_500_000, "-4,5", "-4.5"],
    [1e15, "1000000000", "1000000000"],
    [-999_999_999_999_999, "-999999999,999999", "-999999999.999999"],
  ] as const) {
    it(`writes ${micros} millionths exactly, without grouping`, () => {
      expect(row("es", { valorMicros: micros })[6]).to.equal(es);
      expect(row("en", { valorMicros: micros })[6]).to.equal(en);
    });
  }

  it("keeps every value to the last millionth", () => {
    fc.assert(
      fc.property(fc.integer({ min: -1e13, max: 1e13 }), (micros) => {
        expect(Math.round(Number(row("en", { valorMicros: micros })[6]) * 1e6)).to.equal(micros);
      }),
    );
  });

  it("can be read back, whatever its texts hold", () => {
    const text = fc.oneof(
      fc.string({ unit: "grapheme", maxLength: 20 }),
      fc
        .array(fc.constantFrom('"', ";", ",", "\r", "\n", "\t", "=", "+", "-", "@", "1", "a", "'"), {
          maxLength: 8,
        })
        .map((parts) => parts.join("")),
    );
    fc.assert(
      fc.property(
        fc.constantFrom("es", "en"),
        text,
        text,
        text,
        (language, locationName, deviceName, room) => {
          const cells = row(language, { locationName, deviceName, room });
          expect(cells).to.have.lengthOf(12);
          const texts = cells.slice(3, 6);
          for (const [index, original] of [locationName, deviceName, room].entries()) {
            const cell = texts[index] ?? "";
            expect(unmarked(cell)).to.equal(unmarked(original));
            if (NUMBER.test(cell)) continue;
            expect(cell).not.to.match(/^[=+\-@\t\r\n]/);
            for (const part of cell.split(/[;,\t\r\n]/)) {
              if (!NUMBER.test(part)) expect(part).not.to.match(/^[ "]*[=+\-@]/);
            }
          }
        },
      ),
      { numRuns: 2_000 },
    );
  });

  for (const unseen of [
    ...["\u0085", "\u00ad", "\u034f", "\u061c", "\u115f", "\u180e", "\u200b", "\u200f", "\u202e"],
    ...["\u2028", "\u2060", "\u2066", "\u3164", "\ufe0f", "\ufeff", "\ufff9", "\u{e0001}", "\u{e0100}"],
  ]) {
    it(`is no formula behind U+${unseen.codePointAt(0)?.toString(16)}, which is not seen`, () => {
      expect(row("en", { locationName: `${unseen}=1+1` })[3]).to.equal(`'${unseen}=1+1`);
      expect(row("en", { room: `a;${unseen} @A1` })[5]).to.equal(`a;'${unseen} @A1`);
    });
  }

  for (const text of ["=1+1", "\ufe661", "+A1", "-2+3", "@SUM(A1)", "\tx", "\rx", "＝1", '=HYPERLINK("x")']) {
    it(`is no formula: ${JSON.stringify(text)}`, () => {
      expect(row("en", { locationName: text })[3]).to.equal(`'${text}`);
    });
  }

  for (const text of [
    ...["Sala 1; Sala 2", "1, 2", "a=1;b=2", "a;-2"],
    ...["-1", "+3", "-0,5", "101", "1=1", "Pasillo -A"],
  ]) {
    it(`is left as it is where nothing in it is one: ${JSON.stringify(text)}`, () => {
      for (const language of ["es", "en"] as const) {
        expect(row(language, { locationName: text })[3]).to.equal(text);
      }
    });
  }
});
