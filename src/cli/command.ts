import { userInfo } from "node:os";
import { Argument, type Command, InvalidArgumentError, Option } from "commander";
import type { Config } from "../contract/config/schema.ts";
import type { AnswerOf, Declaration, InputOf } from "../contract/declaration.ts";
import { DAY_MS, HOUR_MS } from "../domain/clock.ts";
import { parseDay, parseMoment, parseMonth } from "../domain/day.ts";
import type { Installation } from "../platform/installation.ts";
import { systemClock } from "../platform/machine.ts";
import { type Environment, loadConfig } from "../service/config-file.ts";
import type { ClientOptions, ControlClient } from "./api-access.ts";
import type { Terminal } from "./terminal.ts";

/** The context of every command. */
export interface CliContext {
  readonly terminal: Terminal;
  readonly environment: Environment;
  readonly installation: Installation;
  /**
   * The system's user that runs the command, by `systemUser`,
   * read before the process continues as another user.
   */
  readonly user: string;
  /** How long a running service may take to answer `status`, in milliseconds; 5,000 where this is absent. */
  readonly answerMs?: number;
}

/**
 * The system's name of the user that runs this command: `root`, or `root (ana)` where sudo names the
 * user behind it. It is not checked: who runs commands here could write the ledger's file as well.
 */
export function systemUser(): string {
  const name = ownName();
  const behind = process.env["SUDO_USER"];
  return behind === undefined || behind === "" || behind === name ? name : `${name} (${behind})`;
}

function ownName(): string {
  try {
    return userInfo().username;
  } catch {
    // A user without a name, as in a container.
    return `user ${process.getuid?.() ?? "?"}`;
  }
}

/** Parses an option or argument that is a whole number, 1 or more. */
export function toCount(text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new InvalidArgumentError("It must be a whole number, 1 or more.");
  return Number(text);
}

/** Parses an option that is a number. */
export function toNumber(text: string): number {
  const number = Number(text);
  if (text.trim() === "" || !Number.isFinite(number)) throw new InvalidArgumentError("It must be a number.");
  return number;
}

/** Parses an option or argument that is a month. */
export function toMonth(text: string): string {
  if (parseMonth(text) === undefined) throw new InvalidArgumentError("It must be a month, like 2026-10.");
  return text;
}

const MS_PER_UNIT: Readonly<Record<string, number>> = { m: 60_000, h: HOUR_MS, d: DAY_MS };

/** Parses a moment, or how long ago it was, to Unix milliseconds. */
export function toMoment(text: string): number {
  const [, count, unit = ""] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  const ago = MS_PER_UNIT[unit];
  if (count !== undefined && ago !== undefined) return Math.max(0, systemClock.nowMs() - Number(count) * ago);
  // A date without a time is midnight here, not in Greenwich.
  const timeMs = parseMoment(parseDay(text) === undefined ? text : `${text}T00:00`);
  if (timeMs === undefined) throw new InvalidArgumentError("It must be a time like 2026-11-21, or 7d.");
  return Math.max(0, timeMs);
}

/** Reads a text, by commander's rules, or the texts that it may be. */
type WordReader<T> = ((text: string) => T) | readonly T[];

/** What a command takes: an argument (`<line>`, `[lines...]`) or an option (`--valor <price>`). */
export interface Parameter<T> {
  readonly part: Argument | Option;
  /** It is never there: it carries the value's type. */
  readonly value?: T;
}

function taken(flags: string, about: string, read?: WordReader<unknown>): Argument | Option {
  const part = flags.startsWith("-") ? new Option(flags, about) : new Argument(flags, about);
  if (typeof read === "function") part.argParser(read);
  else if (read !== undefined) part.choices(read.map(String));
  return part;
}

/** Must be given. */
export function needed<const T = string>(
  flags: string,
  about: string,
  read?: WordReader<T>,
): Parameter<NoInfer<T>> {
  const part = taken(flags, about, read);
  return { part: part instanceof Option ? part.makeOptionMandatory() : part };
}

/** May be left out. */
export function optional<const T = string>(
  flags: string,
  about: string,
  read?: WordReader<T>,
): Parameter<NoInfer<T> | undefined>;
export function optional<const T>(flags: string, about: string, read: WordReader<T>, preset: T): Parameter<T>;
export function optional<T>(
  flags: string,
  about: string,
  read?: WordReader<T>,
  preset?: T,
): Parameter<unknown> {
  const part = taken(flags, about, read);
  return { part: part instanceof Option ? part.default(preset) : part };
}

/** Any number of words: `[lines...]`. */
export function several(flags: string, about: string): Parameter<readonly string[]> {
  return { part: taken(flags, about) };
}

/** Is there or not: `--end`; `--no-wiring` is true where it is left out. `excludedBy` are options' names. */
export function flag(flags: string, about: string, excludedBy: readonly string[] = []): Parameter<boolean> {
  const preset = flags.startsWith("--no-") ? undefined : false;
  return { part: new Option(flags, about).default(preset).conflicts([...excludedBy]) };
}

export const AS_JSON = flag("--json", "as JSON");
/** Of a command that is about one account. */
export const ACCOUNT = optional(
  "--account <email>",
  "one of the account's members; needed where there are several accounts",
);

/** What a command takes, by name. */
export type ParameterSet = Readonly<Record<string, Parameter<unknown>>>;
/** The values of what a command takes, by its names. */
export type Values<T extends ParameterSet> = {
  readonly [N in keyof T]: T[N] extends Parameter<infer V> ? V : never;
};

/** A command of the table. */
export interface CommandRow {
  readonly name: string;
  readonly about: string;
  /** Arguments, in their order, and options, each by its name in camel case. */
  readonly takes: ParameterSet;
  /** What the help says at its end: examples, a line each, or a whole text that ends with them. */
  readonly help: string;
  readonly run: (given: Readonly<Record<string, unknown>>, call: Call) => Promise<void> | void;
  /** It is what a command line without a command means. */
  readonly isDefault?: true;
}

/** Commands that begin with the same word. */
export interface CommandGroup extends Pick<CommandRow, "name" | "about" | "help"> {
  readonly rows: CommandTable;
}

export type CommandTable = readonly (CommandRow | CommandGroup)[];

/** Makes a row. The compiler holds what `run` uses to what the command takes. */
export function command<const T extends ParameterSet>(
  name: string,
  about: string,
  takes: T,
  help: string,
  run: (given: Values<T>, call: Call) => Promise<void> | void,
): CommandRow {
  // Commander fills the values in by these very declarations.
  return { name, about, takes, help, run: (given, call) => run(given as Values<T>, call) };
}

/** One call of a command. */
export class Call {
  readonly context: CliContext;
  readonly terminal: Terminal;
  readonly #command: Command;

  constructor(context: CliContext, command: Command) {
    this.context = context;
    this.terminal = context.terminal;
    this.#command = command;
  }

  /** The configuration in force, the command's own flags included. Throws `config`. */
  config(): Config {
    const { environment, installation } = this.context;
    return loadConfig(this.#command.optsWithGlobals(), environment, installation.checkout);
  }

  /** Ends the command as wrongly used. */
  refuse(message: string): never {
    return this.#command.error(`error: ${message}`);
  }

  /** Shows the help of the command that these words call; without a word, the program's. */
  async showHelpOf(words: readonly string[]): Promise<void> {
    let program = this.#command;
    while (program.parent !== null) program = program.parent;
    await program.parseAsync([...words, "--help"], { from: "user" });
  }

  /** Asks one endpoint, of the running service or over the ledger: `withApi` of api-access.ts. */
  ask<D extends Declaration>(declaration: D, input: InputOf<D>, account?: string): Promise<AnswerOf<D>> {
    return this.withApi((api) => api.ask(declaration, input, account));
  }

  /** The same for several questions. */
  async withApi<T>(
    run: (api: ControlClient) => Promise<T>,
    options: { readonly makesLedger?: boolean } = {},
  ): Promise<T> {
    // Loaded late: help and errors of usage must not wait for the ledger and the endpoints.
    const { withApi } = await import("./api-access.ts");
    return withApi(this.context, this.config(), run, options);
  }

  /** Asks the running service. Rejects with `unavailable` while none runs. */
  async withRunning<T>(run: (service: ControlClient) => Promise<T>, options: ClientOptions = {}): Promise<T> {
    const { withRunning } = await import("./api-access.ts");
    return withRunning(this.config(), run, { by: this.context.user, ...options });
  }
}

/** Adds the table's commands to a program or a group. `isAlone`: the command line names no command. */
export function addCommands(
  parent: Command,
  context: CliContext,
  table: CommandTable,
  isAlone: boolean,
): void {
  for (const row of table) {
    const isDefault = "run" in row && row.isDefault === true && isAlone;
    // Otherwise a misspelled command would be an argument of the default one.
    const added = parent.command(row.name, { isDefault }).description(row.about);
    added.addHelpText("after", row.help.startsWith("flanco ") ? examplesOf(row.help) : row.help);
    if ("rows" in row) addCommands(added, context, row.rows, false);
    else addRow(added, context, row);
  }
}

function examplesOf(lines: string): string {
  return `\nExample:\n${lines.replaceAll(/^/gm, "  ")}`;
}

function addRow(added: Command, context: CliContext, { takes, run }: CommandRow): void {
  const words: string[] = [];
  for (const [name, { part }] of Object.entries(takes)) {
    if (part instanceof Option) added.addOption(part);
    else {
      added.addArgument(part);
      words.push(name);
    }
  }
  added.action(async (...called: unknown[]) => {
    const given = words.map((name, index) => [name, called[index]] as const);
    await run({ ...added.opts(), ...Object.fromEntries(given) }, new Call(context, added));
  });
}
