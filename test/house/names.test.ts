import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { CHECKOUT } from "../rig/program.ts";

const DECLARATION = /^\s*(?:export )?(?:declare )?(?:abstract )?(?:class|enum|interface|type) ([A-Z]\w*)/gm;
/** One capitalised word with the ending of a participle, or one without the ending. */
const PARTICIPLE =
  /^(?:[A-Z][a-z]*(?:ed|ing)|Begun|Bought|Brought|Built|Chosen|Done|Drawn|Driven|Felt|Found|Given|Gone|Heard|Held|Hidden|Kept|Known|Lost|Made|Meant|Met|Paid|Said|Seen|Sent|Shown|Sold|Spent|Spoken|Taken|Thought|Told|Written)$/;
const NOUNS = ["Commissioning", "Feed", "Finding", "Meaning", "Recording", "Sighting", "Switching", "Wiring"];

const isParticiple = (name: string) => PARTICIPLE.test(name) && !NOUNS.includes(name);

describe("the names of types", () => {
  const files = globSync("{src,test,scripts,bench}/**/*.{ts,tsx}", { cwd: CHECKOUT });
  const types = files.flatMap((file) =>
    [...readFileSync(join(CHECKOUT, file), "utf8").matchAll(DECLARATION)].map(([, name = ""]) => ({
      file,
      name,
    })),
  );

  it("are nouns that say the thing, and no bare participles", () => {
    const wrong = types.filter(({ name }) => isParticiple(name));
    expect(wrong.map(({ file, name }) => `${file}: ${name}`)).to.deep.equal([]);
  });

  it("are found by the walk, and the rule refuses", () => {
    expect(types.map(({ name }) => name)).to.include.members(["Config", "Wiring", "Recorder"]);
    expect(["Waiting", "Asked", "Sold", "PendingWrite", "Finding"].map(isParticiple)).to.deep.equal([
      true,
      true,
      true,
      false,
      false,
    ]);
  });
});
