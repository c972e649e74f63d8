import { readdirSync } from "node:fs";
import { basename } from "node:path";
import { expect } from "chai";
import { pickLanguage, pickLocale } from "../../src/domain/language.ts";
import { auditTexts } from "../../src/web/messages/audit.ts";
import { clinicsTexts } from "../../src/web/messages/clinics.ts";
import { frameTexts } from "../../src/web/messages/frame.ts";

const FOLDER = new URL("../../src/web/messages/", import.meta.url);
/** The file of the folder that holds no texts. */
const MECHANISM = ["use-language.ts"];

/** Every text and list of texts of every file, each with its name: `panel.panelTexts.title`. */
async function allTexts(): Promise<readonly (readonly [string, unknown])[]> {
  const names = readdirSync(FOLDER).filter((name) => name.endsWith(".ts") && !MECHANISM.includes(name));
  const files = await Promise.all(
    names.map(async (name) => textsIn(await import(new URL(name, FOLDER).href), basename(name, ".ts"))),
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
      const counting = Object.values(what).filter((said) => typeof said === "function");
      for (const said of counting) expect(said("1", "1")).to.not.match(/\b1 \p{L}{2,}s\b/u);
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
