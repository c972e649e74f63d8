import { spawnSync } from "node:child_process";
import { expect } from "chai";
import { CONTROLS } from "../rig/controls.ts";
import { Variant } from "./variant.ts";

const TEST_MS = 120_000;

/** Runs one test of `npm test` in a program that a control has changed, and gives how many tests failed. */
function failuresIn(control: keyof typeof CONTROLS, file: string, title: string): number {
  const variant = new Variant(CONTROLS[control]);
  try {
    const { stdout, stderr } = spawnSync(
      process.execPath,
      ["node_modules/mocha/bin/mocha.js", "--reporter", "test/reporter.mjs", "--fgrep", title, file],
      { cwd: variant.directory, encoding: "utf8", timeout: TEST_MS },
    );
    const [, failed] = /^\d+ passed, (\d+) failed$/m.exec(stdout) ?? [];
    if (failed === undefined) throw new Error(`${file} was not run: ${stderr}`);
    return Number(failed);
  } finally {
    variant.remove();
  }
}

// A protection that is taken away must be noticed by the tests of `npm test` that are said to hold it.
describe("The ordinary tests notice that", function () {
  this.timeout(TEST_MS);

  for (const [control, file, title] of [
    ["every role may do everything", "http/role", "technician: each operation answers 403"],
    ["the network serves the operator's endpoints", "http/control-server", "is not there on the network"],
    ["a link works more than once", "http/member", "'s link works once"],
    ["an edge under test is a sale", "ledger/nouns/commission", "stays under test over a restart"],
    [
      "a rebuild takes any ledger's backup",
      "ledger/safety/identity",
      "gives none where this ledger has none",
    ],
    [
      "the newest commits have no copy",
      "ledger/safety/tail",
      "makes the ledger again before the first backup",
    ],
    ["a proof goes with its backup", "ledger/safety/verify", "the same at each later backup"],
  ] as const) {
    it(`${control} (${file})`, () => {
      expect(failuresIn(control, `test/${file}.test.ts`, title)).to.equal(1);
    });
  }
});
