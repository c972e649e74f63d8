import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { expect } from "chai";
import { installFor } from "../../scripts/debian.ts";
import {
  bashCompletion,
  describedCommands,
  describedProgram,
  fishCompletion,
  manualPage,
  zshCompletion,
} from "../../scripts/release/manual.ts";
import { FAULTS } from "../../src/domain/fault.ts";
import { forSuite } from "../rig/standing.ts";
import { TemporaryDirectory } from "../rig/temporary-directory.ts";

const INSTALL_MS = 120_000;
const program = await describedProgram();

function run(command: readonly [string, ...string[]], input = ""): string {
  const [program, ...args] = command;
  const { status, stdout, stderr } = spawnSync(program, args, { input, encoding: "utf8" });
  expect({ status, stderr }, command.join(" ")).to.deep.equal({ status: 0, stderr: "" });
  return stdout;
}

function oneSpace(text: string): string {
  return text.trim().replaceAll(/\s+/g, " ");
}

describe("What the package has beside the program", function () {
  this.timeout(INSTALL_MS);
  const described = describedCommands(program);
  const directory = forSuite(() => new TemporaryDirectory());

  before(() => {
    installFor("manual page and completions");
  });

  function fileOf(text: string): string {
    const file = directory.file("file");
    writeFileSync(file, text);
    return file;
  }

  it("is a manual page without a mistake, with every command, option, example and fault", () => {
    const page = run(
      ["groff", "-Kutf8", "-man", "-Tutf8", "-ww", "-P-cbou", "-rLL=200n", "-rHY=0"],
      manualPage(program, "1.2.3"),
    );
    expect(page).to.contain("flanco 1.2.3");
    const words = oneSpace(page.replaceAll(/[‐−]/g, "-"));
    for (const { command, title, more } of described) {
      expect(words).to.contain(title);
      for (const { flags } of command.options) expect(words, title).to.contain(flags);
      for (const line of more.split("\n")) expect(words, title).to.contain(oneSpace(line));
    }
    for (const [code, { hint }] of Object.entries(FAULTS)) expect(words, code).to.contain(oneSpace(hint));
  });

  it("completes commands and options in bash, as they are typed", () => {
    const file = fileOf(bashCompletion(program));
    const complete = (...words: string[]) => {
      const typed = ["flanco", ...words].map((word) => `'${word}'`).join(" ");
      const script = `source ${file}; COMP_WORDS=(${typed}); COMP_CWORD=${words.length}; compopt() { :; }; _flanco; printf '%s\\n' "\${COMPREPLY[@]}"`;
      return run(["bash", "-c", script]).trim().split("\n");
    };
    expect(complete("wi")).to.deep.equal(["wiring"]);
    expect(complete("wiring", "")).to.include.members(["list", "set", "remove"]).and.not.to.include("status");
    expect(complete("wiring", "set", "--dev")).to.deep.equal(["--device"]);
    expect(complete("wiring", "set", "GPIO17", "--de")).to.include("--device");
    expect(complete("--https-port", "8443", "stat")).to.deep.equal(["status"]);
  });

  it("completes commands and options in zsh, each with what it is for", () => {
    const file = fileOf(zshCompletion(program));
    // What zsh's own functions are given; they filter it by what is typed.
    const own = `_describe() { local -a rows; rows=("\${(@P)@[-1]}"); print -rl -- $rows }; _files() { print -r -- files }`;
    const complete = (...words: string[]) => {
      const typed = ["flanco", ...words].map((word) => `'${word}'`).join(" ");
      const script = `${own}; words=(${typed}); CURRENT=${words.length + 1}; source ${file}`;
      return run(["zsh", "-f", "-c", script]).trim().split("\n");
    };
    expect(complete("wi")).to.include.members([
      "wiring:which line is which room",
      "gpio:chips and lines of this machine",
    ]);
    const within = complete("wiring", "").map((row) => row.split(":")[0]);
    expect(within).to.deep.equal(["list", "set", "move-paid", "remove", "export", "import"]);
    expect(complete("--https-port", "8443", "wiring", "set", "GPIO17", "--de")).to.include(
      "--device:the device's dId",
    );
    expect(complete("simulate", "")).to.deep.equal(["files"]);
  });

  it("completes commands and options in fish", () => {
    const file = fileOf(fishCompletion(program));
    const complete = (typed: string) => {
      const shown = run(["fish", "--no-config", "-c", `source ${file}; complete -C 'flanco ${typed}'`]);
      return shown.split("\n").map((line) => line.split("\t")[0]);
    };
    expect(complete("wi")).to.include("wiring");
    expect(complete("wiring ")).to.include.members(["list", "set"]).and.not.to.include("status");
    expect(complete("wiring set --dev")).to.include("--device");
  });
});
