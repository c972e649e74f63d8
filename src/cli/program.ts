import { Command, Option } from "commander";
import { CONFIG_KEYS, configSchema } from "../contract/config/schema.ts";
import { addCommands, type CliContext, type CommandTable } from "./command.ts";

/** The modules with the tables of commands, each with the words that call them, in the order of the help. */
const COMMANDS: CommandModules = [
  ["serve config", () => import("./serve.ts")],
  ["status health", () => import("./status.ts")],
  ["doctor", () => import("./doctor.ts")],
  ["logs", () => import("./logs.ts")],
  ["user secret", () => import("./user.ts")],
  ["wiring", () => import("./wiring.ts")],
  ["gpio", () => import("./gpio.ts")],
  ["commission", () => import("./commission.ts")],
  ["simulate", () => import("./simulate.ts")],
  ["tls", () => import("./tls.ts")],
  ["verify", () => import("./verify.ts")],
  ["backup restore", () => import("./backup.ts")],
  ["backup-disk", () => import("./backup-disk.ts")],
  ["export void record", () => import("./record.ts")],
  ["import import-mongo", () => import("./import.ts")],
  ["clock", () => import("./clock.ts")],
  ["audit", () => import("./audit.ts")],
  ["forward", () => import("./forward.ts")],
  ["help", () => import("./help.ts")],
];

/** Modules with tables of commands, each with the words that call them. A module is loaded where one of them is called. */
export type CommandModules = readonly (readonly [
  words: string,
  load: () => Promise<{ readonly commands: CommandTable }>,
])[];

/** What a command's exit code means. 78 is EX_CONFIG of sysexits.h. */
export const EXIT_CODES = {
  0: "done",
  1: "failed",
  2: "wrong usage",
  3: "something needs attention",
  78: "the configuration has mistakes or the data directory is open to others",
} as const;

const HELP = `
Every setting is also an environment variable (FLANCO_HTTPS_PORT) and a key of the
configuration file (https_port). Flags win over the environment, which wins over the file.

Exit codes: ${Object.entries(EXIT_CODES)
  .map(([code, meaning]) => `${code} ${meaning}`)
  .join(", ")}.

Example:
  flanco serve --config /etc/flanco/flanco.toml`;

/**
 * The command line. Settings are global options, because every command needs to know where the data is. Where
 * a word names a command, only that command's module is loaded, so that a start does not wait for the others.
 * `further` commands come last.
 */
export async function createProgram(
  context: CliContext,
  words: readonly string[],
  further: CommandModules,
): Promise<Command> {
  const program = new Command("flanco")
    .description("Records each switching-on of a relay as a sale, and serves the ledger.")
    .version(context.installation.version)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => context.terminal.out(text.trimEnd()),
      writeErr: (text) => context.terminal.err(text.trimEnd()),
    })
    .addHelpText("after", HELP)
    .addOption(new Option("--config <file>", "configuration file (FLANCO_CONFIG)"));
  for (const key of CONFIG_KEYS) {
    const flag = `--${key.replaceAll("_", "-")} <value>`;
    program.addOption(new Option(flag, configSchema.shape[key].description ?? ""));
  }
  const [first] = program.parseOptions([...words]).operands;
  const all = [...COMMANDS, ...further];
  // The help may be asked for any of them.
  const called = all.filter(([words]) => first !== "help" && words.split(" ").includes(first ?? ""));
  for (const [, load] of called.length > 0 ? called : all) {
    addCommands(program, context, (await load()).commands, first === undefined);
  }
  pointToHelp(program, program.name());
  return program;
}

/**
 * Ends each error of usage with the help to read: the command's own, or its group's where it
 * takes nothing of its own. So `flanco serve` points to the settings, which only the program's lists.
 */
function pointToHelp(command: Command, words: string): void {
  command.showHelpAfterError(`(${words} --help shows what there is)`);
  for (const child of command.commands) {
    const takesNothing = [...child.options, ...child.registeredArguments, ...child.commands].length === 0;
    pointToHelp(child, takesNothing ? words : `${words} ${child.name()}`);
  }
}
