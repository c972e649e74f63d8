import { expect } from "chai";
import { en } from "../../src/web/messages/en.ts";
import { es } from "../../src/web/messages/es.ts";
import { pickLanguage, pickLocale } from "../../src/web/messages/language.ts";

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
  it("have the same keys in both languages, none of them empty", () => {
    expect(shapeOf(en)).to.deep.equal(shapeOf(es));
    expect(shapeOf(es).filter((line) => line.endsWith("empty"))).to.deep.equal([]);
  });

  it("count in the singular and the plural", () => {
    expect(es.notices.gaps(1)).to.not.equal(es.notices.gaps(2));
    expect(en.foot.watched(1)).to.equal("1 line watched");
    expect(en.foot.watched(2)).to.equal("2 lines watched");
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
