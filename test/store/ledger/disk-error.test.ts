import { readdirSync } from "node:fs";
import DatabaseConstructor from "better-sqlite3";
import { expect } from "chai";
import { isFailing, isFull, namedByDisk } from "../../../src/store/ledger/disk-error.ts";
import { forEachTest } from "../../rig/standing.ts";
import { TemporaryDirectory } from "../../rig/temporary-directory.ts";

function sqlite(code: string) {
  return new DatabaseConstructor.SqliteError("message", code);
}

/** What becomes of a commit that failed so: `full` may come again, `failing` ends the process. */
function verdict(error: unknown): string {
  return isFull(error) ? "full" : isFailing(error) ? "failing" : "neither";
}

describe("A write that failed", () => {
  const directory = forEachTest(() => new TemporaryDirectory());

  for (const [code, refusal, said] of [
    ["SQLITE_FULL", "ENOSPC", "full"],
    ["SQLITE_IOERR_WRITE", "EDQUOT", "full"],
    ["SQLITE_IOERR_WRITE", "EIO", "failing"],
    ["SQLITE_IOERR_WRITE", "EROFS", "failing"],
    ["SQLITE_IOERR_WRITE", undefined, "failing"],
    ["SQLITE_IOERR_FSYNC", "EDQUOT", "failing"],
    ["SQLITE_CONSTRAINT", "EDQUOT", "neither"],
  ] as const) {
    it(`with ${code}, where the disk itself says ${refusal ?? "nothing"}, is taken for: ${said}`, () => {
      expect(verdict(namedByDisk(sqlite(code), "/", () => refusal))).to.equal(said);
    });
  }

  it("on a disk that takes writes leaves nothing of the question there", () => {
    const error = sqlite("SQLITE_IOERR_WRITE");
    expect(namedByDisk(error, directory.path)).to.equal(error);
    expect(readdirSync(directory.path)).to.deep.equal([]);
  });
});
