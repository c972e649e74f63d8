import { expect } from "chai";
import { aRecord } from "../http/bodies.ts";
import { Appliance } from "../rig/appliance.ts";
import { forSuite } from "../rig/standing.ts";
import { readDocument } from "./documents.ts";

/** The parts, steps, tables, blocks and links of a page, whatever its language. */
function skeletonOf(document: string): readonly string[] {
  const marks = /^```\w*$|^#+ |^- |^\| |\]\((?!(?:\.\.\/)?(?:privacy|fiscal|settlement)|es\/)[^)]+\)/gm;
  return [...readDocument(document).replaceAll("](../", "](").matchAll(marks)].map(([mark]) => mark);
}

/** What stands in a document's only block of a language. */
function blockOf(document: string, language: string): string {
  const [, block = ""] =
    new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "m").exec(readDocument(document)) ?? [];
  return block;
}

describe("The pages on Spain's rules", () => {
  for (const [english, spanish, marks] of [
    ["docs/fiscal.md", "docs/es/fiscal.md", ["## ", "| ", "- "]],
    ["docs/privacy.md", "docs/es/privacidad.md", ["## ", "| ", "- "]],
    ["docs/settlement.md", "docs/es/liquidacion.md", ["## "]],
  ] as const) {
    it(`have the same parts in both languages: ${english}`, () => {
      expect(skeletonOf(english)).to.include.members([...marks]);
      expect(skeletonOf(spanish)).to.deep.equal(skeletonOf(english));
    });
  }

  describe("say of daily sums", () => {
    const appliance = forSuite(() => Appliance.open());

    it("what the gateway answers, as JSON and as CSV", async () => {
      const user = await appliance.addUser();
      const at = (local: string) => ({ valor: 4.5, createdTime: Date.parse(`${local}+01:00`) });
      for (const local of ["2026-03-10T09:00", "2026-03-10T18:00", "2026-03-11T10:00"]) {
        await user.post("/api/data", aRecord(at(local))).expect(201);
      }
      const refund = { number: 3, valor: 1, reason: "Se apagó sola" };
      await user.post("/api/record/refund", { refund }).expect(200);
      const asked = { month: "2026-03", location: "Clínica Norte" };
      const { days } = await user.data("/api/report", asked);
      for (const [document, lang] of [
        ["docs/fiscal.md", "en"],
        ["docs/es/fiscal.md", "es"],
      ] as const) {
        expect(JSON.parse(blockOf(document, "json"))).to.deep.equal(days.slice(9, 11));
        const { text } = await user.get("/api/report/days", { ...asked, lang }).expect(200);
        const [head, ...rows] = text.replace("\uFEFF", "").trimEnd().split("\r\n");
        expect(blockOf(document, "csv").trimEnd().split("\n")).to.deep.equal([head, ...rows.slice(9)]);
      }
    });
  });
});
