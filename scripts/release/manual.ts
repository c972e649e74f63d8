import type { Command, Option } from "commander";
import { createProgram } from "../../src/cli/program.ts";
import { Terminal } from "../../src/cli/terminal.ts";
import { FAULTS } from "../../src/domain/fault.ts";
import { COMPANY } from "../../src/main.ts";
import { findInstallation } from "../../src/platform/installation.ts";

/** A command with the words that call it, groups included. */
export interface DescribedCommand {
  readonly command: Command;
  /** `flanco wiring set`. */
  readonly title: string;
  /** What the help says after the options: exit codes, examples. */
  readonly more: string;
}

/** The program, to be described: whole, or as it is when it is called with these words. */
export function describedProgram(words: readonly string[] = []): Promise<Command> {
  const installation = findInstallation();
  return createProgram({ terminal: new Terminal(), environment: {}, installation, user: "" }, words, COMPANY);
}

/** The program and all its commands, in the order of the help. */
export function describedCommands(
  command: Command,
  before: readonly string[] = [],
): readonly DescribedCommand[] {
  const words = [...before, command.name()];
  return [
    { command, title: words.join(" "), more: textAfterHelp(command) },
    ...command.commands.flatMap((child) => describedCommands(child, words)),
  ];
}

/** The manual page flanco(1), in the macros of man(7). */
export function manualPage(program: Command, version: string): string {
  const commands = describedCommands(program).map(({ command, title, more }) => [
    `.SS "${escaped(`${title} ${command.usage()}`)}"`,
    escaped(command.description()),
    ...shownOptions(command).flatMap((option) => [
      ".TP",
      `.B ${escaped(option.flags)}`,
      escaped(option.description),
    ]),
    ...(more === "" ? [] : [".PP", ".nf", ...more.split("\n").map(escaped), ".fi"]),
  ]);
  return `${[
    `.TH FLANCO 1 "" "flanco ${version}"`,
    ".SH NAME",
    "flanco \\- ledger of relay sales",
    ".SH SYNOPSIS",
    ".B flanco",
    "[\\fIsettings\\fR] \\fIcommand\\fR [\\fIoptions\\fR]",
    ".SH COMMANDS",
    ...commands.flat(),
    ".SH FAULTS",
    ...Object.entries(FAULTS).flatMap(([code, { when, hint }]) => [
      ".TP",
      `.B ${escaped(code)}`,
      escaped(`When ${when}. ${hint}`),
    ]),
    ".SH FILES",
    ".TP",
    ".B /etc/flanco/flanco.toml",
    "The settings, each with what it means.",
    ".TP",
    ".B /var/lib/flanco",
    "The ledger, its backups and its secrets.",
  ].join("\n")}\n`;
}

/** Completion for bash. */
export function bashCompletion(program: Command): string {
  const cases = describedCommands(program).map(({ command, title }) => {
    const choices = [
      ...command.commands.map((child) => child.name()),
      ...shownOptions(command).flatMap(({ long }) => (long ? [long] : [])),
      ...(command.parent === null ? [] : ["--help"]),
    ];
    return `    "${title}") choices="${choices.join(" ")}" ;;`;
  });
  const groups = describedCommands(program).map(({ title }) => `"${title}"`);
  return `# Completion of flanco for bash.
_flanco() {
  local path=flanco choices="" word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$path $word" in
      ${groups.slice(1).join(" | ")}) path="$path $word" ;;
    esac
  done
  case "$path" in
${cases.join("\n")}
  esac
  mapfile -t COMPREPLY < <(compgen -W "$choices" -- "\${COMP_WORDS[COMP_CWORD]}")
  [ "\${#COMPREPLY[@]}" -gt 0 ] || compopt -o default
}
complete -F _flanco flanco
`;
}

/** Completion for zsh: commands and options, each with what it is for, and files where neither fits. */
export function zshCompletion(program: Command): string {
  const described = describedCommands(program);
  const cases = described.map(({ command, title }) => {
    const commands = command.commands.map((child) => zshRow(child.name(), child.description()));
    const options = shownOptions(command).flatMap(({ long, description }) =>
      long ? [zshRow(long, description)] : [],
    );
    return `    ("${title}")\n      commands=(${commands.join(" ")})\n      options=(${options.join(" ")})\n      ;;`;
  });
  const paths = described.slice(1).map(({ title }) => `"${title}"`);
  return `#compdef flanco
_flanco() {
  local at=flanco word
  local -a commands options
  for word in \${words[2,CURRENT-1]}; do
    case "$at $word" in
      (${paths.join(" | ")}) at="$at $word" ;;
    esac
  done
  case "$at" in
${cases.join("\n")}
  esac
  if [[ \${words[CURRENT]} == -* ]]; then
    _describe -o option options
  elif (( \${#commands} )); then
    _describe command commands
  else
    _files
  fi
}
_flanco "$@"
`;
}

function zshRow(choice: string, text: string): string {
  return `'${choice}:${text.replaceAll("'", "'\\''")}'`;
}

/** Completion for fish. */
export function fishCompletion(program: Command): string {
  const rows = describedCommands(program).flatMap(({ command, title }) => {
    const [, ...words] = title.split(" ");
    const inside = words.map((word) => `__fish_seen_subcommand_from ${word}`);
    const children = command.commands.map((child) => child.name());
    const isOpen = children.length === 0 ? [] : [`not __fish_seen_subcommand_from ${children.join(" ")}`];
    const when = [...inside, ...isOpen].join("; and ");
    const row = (choice: string, text: string) =>
      `complete -c flanco -n '${when || "true"}' ${choice} -d '${text.replaceAll("'", "\\'")}'`;
    return [
      ...command.commands.map((child) => row(`-f -a ${child.name()}`, child.description())),
      ...shownOptions(command).flatMap(({ long, description }) =>
        long ? [row(`-l ${long.slice("--".length)}`, description)] : [],
      ),
    ];
  });
  return `# Completion of flanco for fish.\n${rows.join("\n")}\n`;
}

/** The options that the help shows. */
export function shownOptions(command: Command): readonly Option[] {
  return command.options.filter(({ hidden }) => !hidden);
}

function textAfterHelp(command: Command): string {
  let text = "";
  command.configureOutput({
    writeOut: (part) => {
      text += part;
    },
  });
  command.outputHelp();
  return text.slice(command.helpInformation().length).trim();
}

/** A backslash, a leading point or quote, and a hyphen mean something to roff. */
function escaped(text: string): string {
  return text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replaceAll('"', "\\(dq")
    .replaceAll(/^(?=[.'])/gm, "\\&");
}
