import { expect } from "chai";
import { Terminal } from "../src/cli/terminal.ts";
import { FlancoError } from "../src/domain/error.ts";
import { findInstallation } from "../src/installation.ts";
import { run } from "../src/main.ts";

/** Where a command ends with an error, it is thrown as soon as the program asks for its version. */
function failing(error: Error) {
  return Object.defineProperty({ ...findInstallation() }, "version", {
    get() {
      throw error;
    },
  });
}

describe("the end of a command", () => {
  it("says what failed first, whose exit code it has, and why each part could not be closed", async () => {
    const said: string[] = [];
    const terminal = Object.assign(new Terminal(), { err: (line: string) => void said.push(line) });
    const first = new FlancoError("config", "The first is misspelt.");
    const second = new FlancoError("unavailable", "The second is stuck.", { hint: "Pull it." });
    const installation = failing(new SuppressedError(second, first));
    expect(await run(["status"], { terminal, environment: {}, installation, user: "root" })).to.equal(78);
    expect(said).to.deep.equal(["flanco: The first is misspelt.", "flanco: The second is stuck. Pull it."]);
  });
});
