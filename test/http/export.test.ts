import type { IncomingMessage } from "node:http";
import { buffer } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { expect } from "chai";
import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { WORKBOOK_TYPE } from "../../src/contract/record.ts";
import { HOUR_MS } from "../../src/domain/clock.ts";
import type { Role } from "../../src/domain/member.ts";
import type { StoredRecord } from "../../src/domain/record.ts";
import { csvHead, csvRow } from "../../src/http/export-csv.ts";
import { RECORD_COLUMNS, toRow } from "../../src/http/export-sheets.ts";
import { LocalCalendar } from "../../src/ledger/nouns/calendar.ts";
import { aStoredRecord } from "../domain/record-entry.ts";
import { ANY } from "../ledger/records-of.ts";
import { Appliance, NOON_MS } from "../rig/appliance.ts";
import { forEachTest, forSuite } from "../rig/standing.ts";
import { until } from "../rig/until.ts";
import { readWorkbook } from "../rig/workbook.ts";
import { aRecord } from "./bodies.ts";

/** What goes on by itself goes on within this time. */
const STILL_MS = 50;

describe("An export", () => {
  const appliance = forSuite(() => Appliance.open());
  const user = forEachTest(() => appliance.addUser());
  afterEach(() => {
    appliance.breaker.failure = undefined;
    appliance.breaker.instead.clear();
    appliance.log.errors.length = 0;
  });

  async function post(otherwise: Readonly<Record<string, unknown>>, by = user): Promise<void> {
    await by.post("/api/data", aRecord(otherwise)).expect(201);
  }

  function download(query: string, by = user) {
    return by.get(`/api/export?${query}`);
  }

  async function table(query: string, by = user): Promise<string[][]> {
    const { text } = await download(`lang=es&${query}`, by).expect(200);
    expect(text.charCodeAt(0)).to.equal(0xfeff);
    return parse(text, { bom: true, delimiter: ";", from: 2 });
  }

  /** Begins a download and reads only its beginning. */
  function begin(query: string, by = user): Promise<IncomingMessage> {
    return by.begin(`/api/export?${query}`);
  }

  it("is a file to be saved, named by its days", async () => {
    await post({});
    const response = await download("lang=es&from=2026-03-01&to=2026-03-31")
      .expect(200)
      .expect("Content-Type", "text/csv; charset=utf-8")
      .expect("Cache-Control", "no-store");
    expect(response.headers["content-disposition"]).to.equal(
      'attachment; filename="flanco-ventas-2026-03-01-2026-03-31.csv"',
    );
    const english = await download("lang=en").expect(200);
    expect(english.headers["content-disposition"]).to.equal(
      'attachment; filename="flanco-sales-2026-03-11.csv"',
    );
    expect(english.text.split("\r\n")[1]).to.equal(
      "1,2026-03-11,11:59:59,Clínica Norte,Pasillo A,101,2.5,counted,posted by a program,,,,UTC+01:00,2.5,,",
    );
  });

  it("holds what its filters let through, newest first by time", async () => {
    await post({ habitacion: "1", createdTime: NOON_MS - 2 });
    await post({ habitacion: "2", createdTime: NOON_MS - 1 });
    await post({ habitacion: "3", createdTime: NOON_MS - 86_400_000, locationName: "Sur" });
    const rooms = async (query: string) => (await table(query)).map((row) => row[5]);
    expect(await rooms("")).to.deep.equal(["2", "1", "3"]);
    expect(await rooms("location=Sur")).to.deep.equal(["3"]);
    expect(await rooms("room=1")).to.deep.equal(["1"]);
    expect(await rooms("from=2026-03-11")).to.deep.equal(["2", "1"]);
    expect(await rooms("to=2026-03-10&device=7234")).to.deep.equal(["3"]);
  });

  it("adds up to the summary: what counts, and no more", async () => {
    for (const [index, valor] of [0.1, 0.2, 1e7, -1e7, 4.5, 1e-6, 12.34].entries()) {
      await post({ valor, createdTime: NOON_MS - index * HOUR_MS });
    }
    await appliance.voidNewest(user.id);
    const rows = await table("from=2026-01-01&to=2026-12-31");
    expect(rows.map((row) => row[7])).to.have.members([...Array(6).fill("contado"), "anulado"]);
    const micros = rows
      .filter((row) => row[7] !== "anulado")
      .reduce((sum, row) => sum + BigInt(Math.round(Number(row[6]?.replace(",", ".")) * 1e6)), 0n);
    const data = await user.data("/api/data?period=anual");
    expect(Number(micros) / 1e6).to.equal(data.totalRevenue);
    expect(rows).to.have.lengthOf(7);
  });

  it("is a workbook too, which is named by the account's first and last day", async () => {
    await post({ habitacion: "0101", createdTime: NOON_MS });
    await post({ habitacion: "1E5", createdTime: NOON_MS - 400 * 24 * HOUR_MS, valor: 1.25 });
    const response = await begin("lang=es&format=xlsx");
    expect(response.headers["content-type"]).to.equal(WORKBOOK_TYPE);
    expect(response.headers["content-disposition"]).to.equal(
      'attachment; filename="flanco-ventas-2025-02-04-2026-03-11.xlsx"',
    );
    const [records, days, rooms] = readWorkbook(await buffer(response));
    expect(records?.rows.slice(2).map((row) => row[5]?.value)).to.deep.equal(["0101", "1E5", undefined]);
    expect(records?.rows.at(-1)?.[13]?.value).to.equal(3.75);
    expect([days?.rows.length, rooms?.rows.length]).to.deep.equal([5, 5]);
    expect(records?.rows[0]?.[0]?.value).to.equal(
      "Flanco · Registros: todos los registros · hecho el 2026-03-11 12:00",
    );
  });

  it("answers HEAD, and leaves its place again", async () => {
    for (let count = 0; count < 5; count += 1) {
      await user.head("/api/export?lang=es").expect(200);
    }
    await table("");
  });

  for (const query of ["lang=es", "lang=es&format=xlsx"]) {
    describe(`of a ledger without an end, ${query}`, () => {
      /** Of the walk, that were read. */
      let pieces: number;

      /** Each piece of the walk is so many times the user's one record. */
      async function endless(records: number): Promise<void> {
        await post({});
        const [record] = appliance.reader.findRecords(user.id, {
          filter: ANY,
          before: null,
          limit: 1,
        }).records;
        pieces = 0;
        appliance.breaker.instead.set("findRecords", () => {
          pieces += 1;
          return { records: Array(records).fill(record), next: { timeMs: 1, number: 1 } };
        });
      }

      async function isStill(): Promise<boolean> {
        const before = pieces;
        await pause(STILL_MS);
        return pieces === before;
      }

      async function isTaken(by = user): Promise<boolean> {
        const response = await begin(query, by);
        response.destroy();
        return response.statusCode === 503;
      }

      afterEach(async () => {
        appliance.breaker.instead.clear();
        await until("its place is free", async () => !(await isTaken()));
      });

      it("is one of a member at a time, until it is done or hangs up, and holds up no other member", async () => {
        await endless(1_000);
        const members = await Promise.all(
          ["staff", "owner"].map((role) => appliance.addMember(user.id, role as Role)),
        );
        const others = await Promise.all(Array.from({ length: 4 }, () => appliance.addUser()));
        const open = [await begin(query)];
        const refused = await user.get(`/api/export?${query}`).expect(503);
        expect(refused.headers["retry-after"]).to.equal("1");
        expect(refused.body).to.have.all.keys("status", "error");
        for (const other of [...members, ...others]) open.push(await begin(query, other));
        expect(open.map(({ statusCode }) => statusCode)).to.deep.equal(Array(7).fill(200));
        open.shift()?.destroy();
        await until("a place is free", async () => !(await isTaken()));
        for (const response of open) response.destroy();
      });

      it("ends with its member's session, unfinished", async () => {
        await endless(1_000);
        const staff = await appliance.addMember(user.id, "staff");
        const response = await begin(query, staff);
        await until("nothing more is read", isStill);
        await user.post("/api/member/sign-out", { memberId: staff.id }).expect(200);
        let hasBroken = false;
        response.on("error", () => {
          hasBroken = true;
        });
        response.resume();
        await until("it breaks off", () => hasBroken);
        expect(appliance.log.errors).not.to.include("an export broke off");
      });

      it("waits for who does not read: only so much is read", async () => {
        await endless(1_000);
        const response = await begin(query);
        await until("nothing more is read", isStill);
        const read = pieces;
        response.resume();
        await until("it goes on", () => pieces > read * 2);
        response.destroy();
      });

      it("stops for who hangs up, also where nothing fits and all is looked through", async () => {
        await endless(0);
        const response = await begin(query);
        await until("it looks on", () => pieces > 10);
        response.destroy();
        await until("it stops", isStill);
        expect(appliance.log.errors).not.to.include("an export broke off");
      });

      it("is told to the log where it breaks off in the ledger", async () => {
        await endless(1);
        const response = await begin(query);
        response.resume().on("error", () => {});
        appliance.breaker.failure = new Error("the disk is gone");
        await until("it is told", () => appliance.log.errors.includes("an export broke off"));
        appliance.breaker.failure = undefined;
      });
    });
  }
});

const RECORD = aStoredRecord({
  locationName: "Clínica Norte",
  valorMicros: 2_500_000,
  createdTimeMs: Date.UTC(2026, 2, 11, 9, 5, 7, 89),
});
const inUtc = (timeMs: number) => new Date(timeMs).toISOString().slice(0, -1);

function rowText(record: StoredRecord, language: "es" | "en", localTime: (timeMs: number) => string): string {
  return csvRow(RECORD_COLUMNS, toRow(record, language, localTime), language);
}

function row(language: "es" | "en", otherwise: Partial<StoredRecord> = {}): string[] {
  const written = rowText({ ...RECORD, ...otherwise }, language, inUtc);
  const delimiter = language === "es" ? ";" : ",";
  const [cells = [], ...others]: string[][] = parse(written, {
    delimiter,
    record_delimiter: ["\r\n", "\n", "\r"],
  });
  expect(others).to.deep.equal([]);
  return cells;
}

/** A formula that gives the text in it, and nothing else. */
const CONSTANT = /^="([^"]*)"$/;
const NUMBER = /^[+-]?\d+([.,]\d+)?$/;

/** A text without the marks that it may have been given, or had: where a cell begins, for one separator or another. */
function unmarked(text: string): string {
  return text.replaceAll(/(^|[;,\t\r\n])'+/g, "$1");
}

describe("A row of an export", () => {
  it("stands under a header in its language, behind a byte-order mark", () => {
    expect(csvHead(RECORD_COLUMNS, "es")).to.equal(
      "\uFEFFRegistro;Fecha;Hora;Lugar;Dispositivo;Habitación;Valor;Estado;Origen;Fin;Anulado;Motivo;Zona horaria;Importe contado;Devolución de;Explicación\r\n",
    );
    expect(csvHead(RECORD_COLUMNS, "en")).to.equal(
      "\uFEFFRecord,Date,Time,Location,Device,Room,Value,State,Origin,Ended,Voided,Reason,Time zone,Counted amount,Refund of,Explanation\r\n",
    );
  });

  it("has its number, the local date and time, the place, the value, its state, where it came from, and its end", () => {
    const endedTimeMs = Date.UTC(2026, 2, 12, 0, 1, 2);
    expect(rowText({ ...RECORD, endedTimeMs }, "es", inUtc)).to.equal(
      "1;2026-03-11;09:05:07;Clínica Norte;Pasillo A;101;2,5;contado;relé;2026-03-12 00:01:02;;;UTC+00:00;2,5;;\r\n",
    );
    expect(rowText({ ...RECORD, endedTimeMs }, "en", inUtc)).to.equal(
      "1,2026-03-11,09:05:07,Clínica Norte,Pasillo A,101,2.5,counted,relay,2026-03-12 00:01:02,,,UTC+00:00,2.5,,\r\n",
    );
  });

  it("has when and why it was voided, and no formula in the reason", () => {
    const voided = { timeMs: Date.UTC(2026, 2, 12, 0, 1, 2), reason: "=1+1" };
    expect(row("es", { voided }).slice(10, 12)).to.deep.equal(["2026-03-12 00:01:02", "'=1+1"]);
  });

  it("adds up to what counts in a column of its own: a void record adds nothing, a refund is negative", () => {
    const counted = (otherwise: Partial<StoredRecord>) => row("es", otherwise).slice(13);
    expect(counted({ voided: { timeMs: 0, reason: "x" } })).to.deep.equal(["0", "", ""]);
    expect(counted({ provisional: true })).to.deep.equal(["2,5", "", ""]);
    const refund = { origin: "refund", refundOf: 4711, reason: "=1+1", valorMicros: -1_250_000 } as const;
    expect(counted(refund)).to.deep.equal(["-1,25", "4711", "'=1+1"]);
  });

  it("tells the two hours of a change in autumn apart", () => {
    const madrid = new LocalCalendar("Europe/Madrid");
    const cells = (timeMs: number) =>
      rowText({ ...RECORD, createdTimeMs: timeMs }, "en", (time) => madrid.localTime(time)).split(",");
    const first = Date.UTC(2026, 9, 25, 0, 30);
    for (const [timeMs, offset] of [
      [first, "UTC+02:00"],
      [first + HOUR_MS, "UTC+01:00"],
    ] as const) {
      expect([cells(timeMs)[2], cells(timeMs)[12]]).to.deep.equal(["02:30:00", offset]);
    }
    const newfoundland = new LocalCalendar("America/St_Johns");
    const winter = rowText({ ...RECORD, createdTimeMs: Date.UTC(2026, 0, 1) }, "en", (time) =>
      newfoundland.localTime(time),
    );
    expect(winter).to.contain(",UTC-03:30,");
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
          expect(cells).to.have.lengthOf(16);
          const texts = cells.slice(3, 6);
          for (const [index, original] of [locationName, deviceName, room].entries()) {
            const cell = texts[index] ?? "";
            const [, constant] = CONSTANT.exec(cell) ?? [];
            expect(unmarked(constant ?? cell)).to.equal(unmarked(original));
            if (NUMBER.test(cell)) continue;
            if (constant !== undefined) {
              // In whatever cells another separator cuts it, the later ones begin with a digit.
              expect(constant)
                .to.match(/^[^";\t\r\n=@]*$/)
                .and.not.to.match(/,\D/);
              continue;
            }
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

  for (const text of [
    "=1+1",
    "\ufe661",
    "+A1",
    "-A1+3",
    "@SUM(A1)",
    "\tx",
    "\rx",
    "＝1",
    '=HYPERLINK("x")',
  ]) {
    it(`is no formula: ${JSON.stringify(text)}`, () => {
      expect(row("en", { locationName: text })[3]).to.equal(`'${text}`);
    });
  }

  for (const text of [
    ...["Sala 1; Sala 2", "1, 2", "a=1;b=2", "a;-2"],
    ...["-1", "0", "101", "12345678901", "1=1", "Pasillo -A", "Sala 3", "B12", "Pasillo 3", "Norte"],
  ]) {
    it(`is left as it is where nothing in it is one: ${JSON.stringify(text)}`, () => {
      for (const language of ["es", "en"] as const) {
        expect(row(language, { locationName: text })[3]).to.equal(text);
      }
    });
  }

  for (const text of [
    ...["0101", "3-1", "1E5", "12/3", "1:30", "1.5", "1,5", "+3", "-0,5", "-2+3", "5%", "4 €", "2ª planta"],
    ...["7894321095001", "1 ene", "mar-3", "Mayo 26", "dec 1", ".5", "00"],
  ]) {
    it(`stays as it is written where a spreadsheet would change it: ${text}`, () => {
      for (const language of ["es", "en"] as const) {
        const cells = row(language, { room: text, deviceName: text, locationName: text });
        expect(cells.slice(3, 6)).to.deep.equal(Array(3).fill(`="${text}"`));
      }
    });
  }
});
