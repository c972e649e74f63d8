import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { CHECKOUT } from "../rig/program.ts";

/** Words in the code of a page that a translation translates. */
const TRANSLATED: Readonly<Record<string, string>> = {
  VERSIÓN: "VERSION",
  ARQUITECTURA: "ARCHITECTURE",
  DIRECCIÓN: "ADDRESS",
  FICHERO: "FILE",
  NOMBRE: "NAME",
  "#cambiar-el-equipo-o-su-tarjeta": "#replace-a-gateway-or-its-card",
  "dia.trace": "day.trace",
};

/** What a page has whatever its language: its parts, their steps and tables, and all that is typed or opened. */
function skeletonOf(document: string): readonly string[] {
  const text = readFileSync(join(CHECKOUT, document), "utf8").replaceAll("](../", "](");
  const marks = /^```sh\n[\s\S]*?^```|^#+ |^\d\. |^\| |`[^`\n]+`|\]\((?!technician|es\/)[^)]+\)/gm;
  const words = Object.keys(TRANSLATED).join("|");
  return [...text.matchAll(marks)].map(([mark]) =>
    mark.replaceAll(new RegExp(words, "g"), (word) => TRANSLATED[word] ?? word),
  );
}

describe("the technician's pages", () => {
  it("have the same parts, steps, tables, commands and links in Spanish and English", () => {
    const english = skeletonOf("docs/technician.md");
    expect(english).to.include.members(["## ", "1. ", "`flanco doctor`"]);
    expect(skeletonOf("docs/es/tecnico.md")).to.deep.equal(english);
  });
});
