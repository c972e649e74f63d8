import { expect } from "chai";
import { Terminal } from "../src/cli/terminal.ts";
import { FlancoError } from "../src/domain/error.ts";
import { run } from "../src/main.ts";
import { findInstallation } from "../src/platform/installation.ts";

/** Where a command ends with an error, it is thrown as soon as the program asks for its version. */
function failing(error: Error) {
  return Object.defineProperty({ ...findInstallation() }, "version", {
    get() {
      throw error;
    },
  });
}

describe("the end of a command", () => {
  async function end(error: Error) {
    const said: string[] = [];
    const terminal = Object.assign(new Terminal(), { err: (line: string) => void said.push(line) });
    const exitCode = await run(["status"], {
      terminal,
      environment: {},
      installation: failing(error),
      user: "root",
    });
    return { exitCode, said };
  }

  it("says in one line what a failed system call asks for, and shows a stack of what nobody expected", async () => {
    for (const [code, hint] of [
      ["EACCES", /as root/],
      ["EROFS", /look at dmesg/],
      ["EIO", /may be failing/],
      ["SQLITE_IOERR_READ", /may be failing/],
      ["ENOSPC", /free some space/],
    ] as const) {
      const failed = Object.assign(new Error(`${code}: refused, open '/x'`), { code });
      const { exitCode, said } = await end(failed);
      expect(exitCode).to.equal(1);
      expect(said).to.have.length(1);
      expect(said[0])
        .to.match(new RegExp(`^flanco: ${code}: refused, open '/x'\\. `))
        .and.to.match(hint);
    }
    const { said } = await end(new TypeError("x is no function"));
    expect(said.join()).to.contain("main.test.ts");
  });

  it("says what failed first, whose exit code it has, and why each part could not be closed", async () => {
    const first = new FlancoError("config", "The first is misspelt.");
    const second = new FlancoError("unavailable", "The second is stuck.", { hint: "Pull it." });
    const { exitCode, said } = await end(new SuppressedError(second, first));
    expect(exitCode).to.equal(78);
    expect(said).to.deep.equal(["flanco: The first is misspelt.", "flanco: The second is stuck. Pull it."]);
  });
});
