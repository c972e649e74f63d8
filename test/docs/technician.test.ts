import { expect } from "chai";
import { anchorOf } from "../../scripts/help-pages.ts";
import { readDocument } from "./documents.ts";

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
  const text = readDocument(document).replaceAll("](../", "](");
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

  it("have who replaces a gateway format no disk: its backups may be the clinic's only ones", () => {
    const replacing = partOf("docs/technician.md", "replace-a-gateway-or-its-card");
    const parts = [...replacing.matchAll(/operating\.md#([\w-]+)/g)].map(([, anchor = ""]) => anchor);
    expect(parts).to.include("a-backup-disk");
    expect(replacing).to.contain("`flanco backup-disk /dev/sda`").and.not.contain("mkfs");
    for (const anchor of parts) expect(partOf("docs/operating.md", anchor), anchor).to.not.contain("mkfs");
  });
});

/** What a document says under the heading of an anchor, up to the next heading. */
function partOf(document: string, anchor: string): string {
  const parts = readDocument(document).split(/^(?=#+ )/m);
  const part = parts.find((text) => anchorOf(text.split("\n")[0] ?? "") === anchor);
  if (part === undefined) throw new Error(`${document} has no heading #${anchor}.`);
  return part;
}
