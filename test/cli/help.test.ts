import { expect } from "chai";
import type { Command } from "commander";
import { createProgram } from "../../src/cli/program.ts";
import { Terminal } from "../../src/cli/terminal.ts";
import { findInstallation } from "../../src/installation.ts";

function freshProgram(): Command {
  return createProgram({
    terminal: new Terminal(),
    environment: {},
    ...{ installation: findInstallation(), user: "" },
  });
}

/** Every command with the words that call it, groups included. */
function allCommands(command: Command, words: readonly string[] = []): { command: Command; path: string }[] {
  return [
    { command, path: words.join(" ") },
    ...command.commands.flatMap((child) => allCommands(child, [...words, child.name()])),
  ];
}

function helpOf(command: Command): string {
  let text = "";
  command.configureOutput({ writeOut: (part) => (text += part) });
  command.outputHelp();
  return text;
}

/** The worked examples of a help text, each as the words that a shell makes of it. */
function examplesIn(help: string): string[][] {
  const [, examples = ""] = help.split(/^Examples?:$/m);
  return examples
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .map((line) => shellWords(line.replace(/\s*[>|<].*$/, "")));
}

function shellWords(line: string): string[] {
  return [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? "");
}

/** Parses words as the program would, runs nothing, and gives the path of the command that they call. */
async function commandCalledBy(words: readonly string[]): Promise<string> {
  const program = freshProgram();
  const called: string[] = [];
  for (const { command, path } of allCommands(program)) {
    if (command.commands.length === 0) command.action(() => void called.push(path));
  }
  await program.parseAsync([...words], { from: "user" });
  return called.join(" and ");
}

describe("The help", () => {
  for (const { command, path } of allCommands(freshProgram())) {
    const title = `flanco ${path}`.trim();

    it(`of ${title} has worked examples, and each calls that command and is understood`, async () => {
      const examples = examplesIn(helpOf(command));
      expect(examples).not.to.deep.equal([]);
      for (const [program, ...words] of examples) {
        expect(program).to.equal("flanco");
        const called = await commandCalledBy(words);
        if (command.commands.length === 0) expect(called).to.equal(path);
        else expect(`${called} `).to.match(new RegExp(`^${path}`));
      }
    });

    it(`of ${title} says what the command, each argument and each option is for`, () => {
      const described = [command.description(), ...command.options.map(({ description }) => description)];
      described.push(...command.registeredArguments.map(({ description }) => description));
      expect(described.filter((text) => text === "")).to.deep.equal([]);
    });
  }

  it("knows no option that takes a password: others on the machine could read it", () => {
    const options = allCommands(freshProgram()).flatMap(({ command }) => command.options);
    // A file that holds one may be named.
    const secret = options.filter(({ long }) => /(pass|secret|token)(?!.*-file$)/.test(long ?? ""));
    expect(new Set(secret.map(({ long }) => long))).to.deep.equal(
      new Set(["--password-stdin", "--passphrase-stdin"]),
    );
    expect(secret.every((option) => option.isBoolean())).to.equal(true);
  });

  it("names the exit codes", () => {
    const help = helpOf(freshProgram());
    for (const code of ["0 done", "1 failed", "2 wrong usage", "78 the configuration has mistakes"]) {
      expect(help).to.contain(code);
    }
  });
});
