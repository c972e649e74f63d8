import { expect } from "chai";
import type { Command } from "commander";
import { describedCommands, describedProgram } from "../../scripts/release/manual.ts";

const whole = await describedProgram();

/** Every command with the words that call it, groups included. */
function allCommands(program: Command): { command: Command; path: string }[] {
  return describedCommands(program).map(({ command, title }) => ({
    command,
    path: title.slice("flanco ".length),
  }));
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
  const program = await describedProgram();
  const called: string[] = [];
  for (const { command, path } of allCommands(program)) {
    if (command.commands.length === 0) command.action(() => void called.push(path));
  }
  await program.parseAsync([...words], { from: "user" });
  return called.join(" and ");
}

/** What is said of words that call nothing. */
async function refusalOf(words: readonly string[]): Promise<string> {
  const program = await describedProgram(words);
  let said = "";
  for (const { command } of allCommands(program))
    command.configureOutput({ writeErr: (part) => (said += part) });
  await program.parseAsync([...words], { from: "user" }).then(
    () => expect.fail("it was understood"),
    (error: unknown) => expect(error).to.have.property("exitCode", 1),
  );
  return said;
}

describe("The help", () => {
  for (const { command, path } of allCommands(whole)) {
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
    const options = allCommands(whole).flatMap(({ command }) => command.options);
    // A file that holds one may be named.
    const secret = options.filter(({ long }) => /(pass|secret|token)(?!.*-file$)/.test(long ?? ""));
    expect(new Set(secret.map(({ long }) => long))).to.deep.equal(new Set(["--password-stdin"]));
    expect(secret.every((option) => option.isBoolean())).to.equal(true);
  });

  it("of a command is the same where its module alone is loaded", async () => {
    for (const command of whole.commands) {
      const called = await describedProgram([command.name()]);
      const alone = called.commands.find((one) => one.name() === command.name());
      expect(alone && helpOf(alone)).to.equal(helpOf(command));
    }
    expect((await describedProgram(["logs"])).commands.map((one) => one.name())).to.deep.equal(["logs"]);
  });

  it("is pointed to where a word calls no command, after the command that is near", async () => {
    for (const words of [["statsu"], ["--config", "/etc/flanco.toml", "statsu", "--json"]]) {
      expect(await refusalOf(words)).to.equal(
        "error: unknown command 'statsu'\n(Did you mean status?)\n(flanco --help shows what there is)\n",
      );
    }
  });

  it("of the command itself is pointed to where its options are wrong", async () => {
    expect(await refusalOf(["user", "add", "--name", "Ana"])).to.equal(
      "error: required option '--email <email>' not specified\n(flanco user add --help shows what there is)\n",
    );
    expect(await refusalOf(["wiring", "frob"])).to.equal(
      "error: unknown command 'frob'\n(flanco wiring --help shows what there is)\n",
    );
    expect(await refusalOf(["serve", "--frob"])).to.equal(
      "error: unknown option '--frob'\n(flanco --help shows what there is)\n",
    );
  });

  it("names the exit codes", () => {
    const help = helpOf(whole);
    for (const code of ["0 done", "1 failed", "2 wrong usage", "78 the configuration has mistakes"]) {
      expect(help).to.contain(code);
    }
  });
});
