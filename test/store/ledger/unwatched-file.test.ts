import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { UnwatchedFile } from "../../../src/store/ledger/unwatched-file.ts";
import { SILENT } from "../../gpio/recorder-rig.ts";

describe("Since when lines are not watched", () => {
  let directory: string;
  let file: string;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "flanco-unwatched-"));
    file = join(directory, "unwatched.json");
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  const read = () => Object.fromEntries(new UnwatchedFile(file, SILENT).read());

  it("is nothing at first, then what was written last, for its owner alone", async () => {
    expect(read()).to.deep.equal({});
    const note = new UnwatchedFile(file, SILENT);
    for (let monotonicMs = 1; monotonicMs <= 20; monotonicMs += 1) {
      note.write(new Map([["GPIO17", { bootId: "boot", monotonicMs }]]));
    }
    await note.close();
    expect(read()).to.deep.equal({ GPIO17: { bootId: "boot", monotonicMs: 20 } });
    expect(statSync(file).mode & 0o777).to.equal(0o600);
    expect(readdirSync(directory)).to.deep.equal(["unwatched.json"]);
    note.write(new Map());
    await note.close();
    expect(read()).to.deep.equal({});
  });

  it("is empty where the file is invalid, and raises no error where it cannot be written", async () => {
    for (const text of ["", "{", "[]", '{"GPIO17":{"bootId":1}}', '{"GPIO17":null}']) {
      writeFileSync(file, text);
      expect(read(), text).to.deep.equal({});
    }
    rmSync(file);
    mkdirSync(`${file}.new`);
    const note = new UnwatchedFile(file, SILENT);
    note.write(new Map([["GPIO17", { bootId: "boot", monotonicMs: 1 }]]));
    await note.close();
    expect(read()).to.deep.equal({});
  });
});
