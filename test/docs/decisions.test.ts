import { expect } from "chai";
import { DOCUMENTS, readDocument } from "./documents.ts";

const FOLDER = "docs/decisions";
const MAX_LINES = 40;

describe("the decisions", () => {
  const records = DOCUMENTS.filter((document) => /decisions\/\d/.test(document));

  it("are listed by their titles, in their order", () => {
    const listed = [...readDocument(`${FOLDER}/README.md`).matchAll(/^(\d+)\. \[(.+)\]\((.+)\)$/gm)];
    expect(listed.map(([, , , file]) => `${FOLDER}/${file}`)).to.deep.equal(records);
    for (const [, number, title, file] of listed) {
      expect(readDocument(`${FOLDER}/${file}`).split("\n")[0]).to.equal(`# ${number}. ${title}`);
    }
  });

  it("are short, and say context, decision and consequences", () => {
    for (const record of records) {
      const lines = readDocument(record).trimEnd().split("\n");
      expect(lines.length, record).to.be.at.most(MAX_LINES);
      const headings = lines.filter((line) => line.startsWith("## "));
      expect(headings, record).to.deep.equal(["## Context", "## Decision", "## Consequences"]);
    }
  });
});
