import { existsSync, globSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { expect } from "chai";
import { anchorOf } from "../../scripts/help-pages.ts";
import { CHECKOUT } from "../rig/program.ts";
import { DOCUMENTS, readDocument } from "./documents.ts";

const LINK = /\]\((?!https?:)([^)\s#]*)(?:#([^)\s]+))?\)/g;
/** A path in the checkout that a document names, of whatever it may have. */
const PATH = /`((?:src|test|scripts|docs|bench|bin|demo|packaging|systemd|\.ci)\/[\w./-]+)`/g;
/** A file that is named without its folder. */
const FILE = /`([\w.-]+\.tsx?)`/g;
const FILES = new Set(
  globSync("{src,test,scripts,bench}/**/*.{ts,tsx}", { cwd: CHECKOUT }).map((path) => basename(path)),
);

/** The headings of a document, as links name them. */
function anchorsOf(document: string): readonly string[] {
  return [...readDocument(document).matchAll(/^#+ .+$/gm)].map(([heading]) => anchorOf(heading));
}

for (const document of DOCUMENTS) {
  describe(document, () => {
    it("leads to what there is", () => {
      for (const [link, path = "", anchor] of readDocument(document).matchAll(LINK)) {
        const target = path === "" ? document : join(dirname(document), path);
        expect(existsSync(join(CHECKOUT, target)), link).to.equal(true);
        if (anchor !== undefined) expect(anchorsOf(target), link).to.include(anchor);
      }
    });

    it("names files that there are", () => {
      const text = readDocument(document);
      for (const [, path = ""] of text.matchAll(PATH)) {
        expect(existsSync(join(CHECKOUT, path)), path).to.equal(true);
      }
      for (const [, file = ""] of text.matchAll(FILE)) expect(FILES.has(file), file).to.equal(true);
    });
  });
}
