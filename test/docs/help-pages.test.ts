import { expect } from "chai";
import { helpFiles } from "../../scripts/help-pages.ts";

describe("the guides on a gateway", () => {
  const files = helpFiles();
  const pages = [...files].filter(([name]) => name.endsWith(".html"));

  it("are the technician's, in both languages, and what these lead to", () => {
    expect(pages.map(([name]) => name)).to.include.members([
      "technician.html",
      "tecnico.html",
      "operating.html",
    ]);
    expect(files.get("tecnico.html")).to.match(
      /<html lang="es">[\s\S]*<h1 id="para-el-técnico">Para el técnico<\/h1>/,
    );
    expect(files.get("technician.html")).to.contain("<code>flanco wiring set SIM1 ");
    expect(files.get("technician.md")).to.contain("\nflanco wiring set SIM1 ").and.not.contain("npm run");
  });

  it("lead only to what is there, with its heading, and hold no script and no other's file", () => {
    for (const [name, html] of pages) {
      for (const [, target = ""] of html.matchAll(/(?:href|src)="([^"]+)"/g)) {
        if (target === "/" || target.startsWith("http")) continue;
        const [file = "", anchor] = target.split("#");
        const found = files.get(file === "" ? name : file);
        expect(found, `${name}: ${target}`).to.be.a("string");
        if (anchor !== undefined) expect(found, `${name}: ${target}`).to.contain(` id="${anchor}"`);
      }
      expect(html, name).not.to.match(/<script|style=|src="http/);
    }
  });

  it("leave no mark of Markdown in what is read, and close what they open", () => {
    for (const [name, html] of pages) {
      const read = html.replaceAll(/<(pre|code)[^>]*>[\s\S]*?<\/\1>/g, "").replaceAll(/<[^>]+>/g, "");
      expect(read, name).not.to.match(/\*\*|\]\(|`|^\s*(#|\||\d+\. |- )/m);
      for (const tag of ["p", "li", "ol", "ul", "td", "table", "strong", "em", "code", "pre", "a"]) {
        const open = html.match(new RegExp(`<${tag}[ >]`, "g"))?.length ?? 0;
        expect(html.match(new RegExp(`</${tag}>`, "g"))?.length ?? 0, `${name}: ${tag}`).to.equal(open);
      }
    }
  });

  it("show what stands in code as it is", () => {
    expect(files.get("card-image.html")).to.contain("<code>echo c &gt;/proc/sysrq-trigger</code>");
  });
});
