import { readdirSync } from "node:fs";
import { basename } from "node:path";
import { expect } from "chai";
import { frameTexts } from "../../src/web/messages/frame.ts";
import { pickLanguage, pickLocale } from "../../src/web/messages/language.ts";

const FOLDER = new URL("../../src/web/messages/", import.meta.url);
/** The files of the folder that hold no texts. */
const MECHANISM = ["bilingual.ts", "language.ts", "speech.ts"];

interface TextFile {
  readonly name: string;
  readonly es: object;
  readonly en: object;
}

/** Every export of every message file. */
async function textFiles(): Promise<readonly TextFile[]> {
  const names = readdirSync(FOLDER).filter((name) => !MECHANISM.includes(name));
  const files = await Promise.all(
    names.map(async (name): Promise<readonly TextFile[]> => {
      const exported: Readonly<Record<string, unknown>> = await import(new URL(name, FOLDER).href);
      return Object.entries(exported).map(([key, value]) => {
        const { es, en } = Object(value);
        return { name: `${basename(name, ".ts")}.${key}`, es: Object(es), en: Object(en) };
      });
    }),
  );
  return files.flat();
}

/** Every key with its kind: `live.lost text`, `week.of function/2`. */
function shapeOf(messages: object, path = ""): readonly string[] {
  return Object.entries(messages).flatMap(([key, value]: [string, unknown]) => {
    if (typeof value === "string")
      return [`${path}${key} text${value.trim() === "" ? " that is empty" : ""}`];
    if (typeof value === "function") return [`${path}${key} function/${value.length}`];
    return shapeOf(Object(value), `${path}${key}.`);
  });
}

describe("The page's messages", () => {
  it("have the same keys in both languages, none of them empty", async () => {
    const files = await textFiles();
    expect(files.length).to.be.greaterThan(3);
    for (const { name, es, en } of files) {
      expect(shapeOf(es).length, name).to.be.greaterThan(0);
      expect(shapeOf(en), name).to.deep.equal(shapeOf(es));
      expect(
        shapeOf(es).filter((line) => line.endsWith("empty")),
        name,
      ).to.deep.equal([]);
    }
  });

  it("count in the singular and the plural", () => {
    const { news } = frameTexts.en;
    expect(news.many(1, 2)).to.equal("1 new sale; 2 rooms switched off.");
    expect(news.many(2, 1)).to.equal("2 new sales; 1 room switched off.");
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
  });
});
