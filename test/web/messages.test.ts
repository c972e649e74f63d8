import { readdirSync } from "node:fs";
import { basename } from "node:path";
import { expect } from "chai";
import { FAULT_CODES, FAULTS } from "../../src/domain/fault.ts";
import { pickLanguage, pickLocale } from "../../src/domain/language.ts";
import { type FaultValues, faultTexts } from "../../src/text/faults.ts";
import { auditTexts } from "../../src/web/messages/audit.ts";
import { clinicsTexts } from "../../src/web/messages/clinics.ts";
import { frameTexts } from "../../src/web/messages/frame.ts";

/** The page's own texts, and those that notices have too. */
const FOLDERS = ["web/messages/", "text/"].map((folder) => new URL(`../../src/${folder}`, import.meta.url));
/** The file of the folder that holds no texts. */
const MECHANISM = ["use-language.ts"];

/** Every text and list of texts of every file, each with its name: `panel.panelTexts.title`. */
async function allTexts(): Promise<readonly (readonly [string, unknown])[]> {
  const places = FOLDERS.flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => !MECHANISM.includes(name))
      .map((name) => new URL(name, folder)),
  );
  const files = await Promise.all(
    places.map(async ({ href }) => textsIn(await import(href), basename(href, ".ts"))),
  );
  return files.flat();
}

function textsIn(texts: object, path: string): readonly (readonly [string, unknown])[] {
  return Object.entries(texts).flatMap(([key, value]: [string, unknown]) => {
    const isGroup = typeof value === "object" && !Array.isArray(value);
    return isGroup ? textsIn(Object(value), `${path}.${key}`) : [[`${path}.${key}`, value] as const];
  });
}

describe("The page's messages", () => {
  it("are none of them empty, in either language", async () => {
    const texts = await allTexts();
    expect(texts.length).to.be.greaterThan(1_000);
    for (const [name, value] of texts) {
      if (typeof value === "function") continue;
      for (const text of [value].flat()) expect(text, name).to.be.a("string").that.matches(/\S/);
    }
  });

  it("count in the singular and the plural", () => {
    const { news } = frameTexts.en;
    expect(news.many("1", "2")).to.equal("1 new sale; 2 rooms switched off.");
    expect(news.many("2", "1")).to.equal("2 new sales; 1 room switched off.");
  });
});

describe("What a company is told of a clinic", () => {
  it("puts no plural after a one", () => {
    for (const { what } of [clinicsTexts.es, clinicsTexts.en]) {
      for (const said of Object.values(what)) expect(said("1", "1")).to.not.match(/\b1 \p{L}{2,}s\b/u);
    }
  });
});

describe("The page's language", () => {
  it("is the one chosen before, else the browser's first that the page has, else Spanish", () => {
    expect(pickLanguage("en", ["es-ES"])).to.equal("en");
    expect(pickLanguage(null, ["fr-FR", "en-GB", "es"])).to.equal("en");
    expect(pickLanguage("fr", ["es-AR"])).to.equal("es");
    expect(pickLanguage(null, ["fr"])).to.equal("es");
  });

  it("takes numbers and dates from the browser's own variant of it", () => {
    expect(pickLocale("es", ["en-US", "es-MX"])).to.equal("es-MX");
    expect(pickLocale("es", ["en-US"])).to.equal("es");
    expect(pickLocale("en", ["en-US", "es"])).to.equal("en-US");
    expect(pickLocale("en", ["es-ES", "es", "en-US", "en"])).to.equal("en-GB");
  });
});

/** What a fault's text is given when its details name one thing, or many. */
function valuesOf(number: number): FaultValues {
  return {
    number: () => number,
    count: () => String(number),
    bytes: () => `${number} MB`,
    moment: () => "10:42",
    text: () => "GPIO17",
  };
}

describe("The gateway's faults in plain words", () => {
  for (const [language, { faults }] of Object.entries(faultTexts)) {
    it(`are there for every code, whatever the values: ${language}`, () => {
      for (const code of FAULT_CODES) {
        for (const number of [0, 1, 2]) {
          const { what, todo } = faults[code];
          const said = `${what(valuesOf(number))} ${todo(valuesOf(number))}`;
          expect(said, code).to.match(/^\S.*[.] \S.*[.]$/);
          expect(said, code).to.not.match(/undefined|NaN/);
        }
      }
    });
  }

  it("name no number of sales to a role that gets none", () => {
    const values = { ...valuesOf(0), text: () => "" };
    for (const { faults } of Object.values(faultTexts)) {
      for (const code of FAULT_CODES.filter((one) => "sales" in FAULTS[one])) {
        expect(faults[code].what(values), code).not.to.match(/\d|: \./);
      }
    }
  });

  it("are no alarms where they say that everything is recorded, or that one can go on working", () => {
    const calm =
      /todo se registra|se registra todo|se siguen registrando|no se pierde nada|seguir trabajando/i;
    const codes = FAULT_CODES.filter((code) => calm.test(faultTexts.es.faults[code].todo(valuesOf(1))));
    expect(codes).to.include.members(["disk_slow", "tail_failed", "sink_failing"]);
    for (const code of codes) expect(FAULTS[code].severity, code).to.be.oneOf(["warning", "note"]);
  });

  it("count in the singular and the plural", () => {
    const { backup_old: backupOld } = faultTexts.es.faults;
    expect(backupOld.what(valuesOf(1))).to.contain("hace 1 día.");
    expect(backupOld.what(valuesOf(3))).to.contain("hace 3 días.");
    for (const code of ["records_unplaced", "clock_wrong"] as const) {
      expect(faultTexts.es.faults[code].todo(valuesOf(1)), code).to.not.match(/cuentan/i);
      expect(faultTexts.en.faults[code].todo(valuesOf(1)), code).to.not.match(/\b(they|their)\b/i);
    }
  });
});

describe("The audit log in words", () => {
  it("puts no plural after a one, of which it is told as a text", () => {
    const value = (name: string) => (name === "name" ? "Ana" : "1");
    for (const { kinds } of [auditTexts.es, auditTexts.en]) {
      for (const said of Object.values(kinds)) expect(said(value)).to.not.match(/\b1 \p{L}{2,}s\b/u);
    }
  });

  it("tells a price with the one before it", () => {
    const value = (name: string) => ({ room: "101", valor: "5,00 €", valorBefore: "4,50 €" })[name] ?? "";
    expect(auditTexts.es.kinds.wiring_set(value)).to.equal(
      "Precio de la habitación 101: 5,00 € (antes 4,50 €)",
    );
  });
});
