import { CommanderError } from "commander";
import { type CliContext, systemUser } from "./cli/command.ts";
import { type CommandModules, createProgram, type EXIT_CODES } from "./cli/program.ts";
import { Terminal } from "./cli/terminal.ts";
import { type ErrorCode, FlancoError, messageOf, systemCode } from "./domain/error.ts";
import { findInstallation } from "./platform/installation.ts";

/** The commands of a company, which is a part of its own. */
export const COMPANY: CommandModules = [["central", () => import("./company/command.ts")]];

type ExitCode = keyof typeof EXIT_CODES;
/** Hints for failed system calls and reads of the ledger that no other code has explained. */
const HINTS: Readonly<Record<string, string>> = {
  EACCES: "Run the command as root (sudo flanco …), or as the service's user.",
  EPERM: "Run the command as root (sudo flanco …), or as the service's user.",
  EROFS: "The kernel makes a file system read-only after errors of the disk or card: look at dmesg.",
  EIO: "The disk, card or stick may be failing: look at dmesg, and use another one.",
  ENOSPC: "The disk is full: free some space on it.",
  SQLITE_IOERR: "The disk or card may be failing: look at dmesg, and replace it in time.",
  SQLITE_CORRUPT: "The ledger's file is damaged: run flanco verify, which says what to do.",
  EDQUOT: "The quota is used up: free some space.",
};
const OTHER_HINT = "Look at what lies there. A failing disk, card or stick shows in dmesg.";
const FAILED: ExitCode = 1;
const WRONG_USAGE: ExitCode = 2;
const EXIT_CODE_OF: Partial<Record<ErrorCode, ExitCode>> = { attention: 3, config: 78 };
/** The rights of all users but the owner. */
const OTHERS_MASK = 0o077;

/** Runs one command and ends the process with its exit code. */
export async function main(argv: readonly string[]): Promise<never> {
  // Every file that a command writes is for its owner alone.
  process.umask(OTHERS_MASK);
  const terminal = new Terminal();
  terminal.open();
  const exitCode = await run(argv, {
    terminal,
    environment: process.env,
    installation: findInstallation(),
    user: systemUser(),
  });
  process.exit(exitCode);
}

/** Runs one command; gives the exit code that it ends with. */
export async function run(argv: readonly string[], context: CliContext): Promise<ExitCode> {
  const { terminal } = context;
  const ended = await exitCodeOf(async () => {
    const program = await createProgram(context, argv, COMPANY);
    await program.parseAsync(argv, { from: "user" });
  }, terminal);
  // Also for a command that fails: its output may be what says why (flanco doctor).
  const written = await exitCodeOf(() => terminal.end(), terminal);
  return ended === 0 ? written : ended;
}

async function exitCodeOf(work: () => Promise<void>, terminal: Terminal): Promise<ExitCode> {
  try {
    await work();
    return 0;
  } catch (error) {
    return report(error, terminal);
  }
}

/** Says what went wrong and what to do next; gives the exit code. */
function report(error: unknown, terminal: Terminal): ExitCode {
  // Commander has printed its own text.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : WRONG_USAGE;
  if (error instanceof FlancoError) {
    for (const line of linesOf(error)) terminal.err(`flanco: ${line}`);
    return EXIT_CODE_OF[error.code] ?? FAILED;
  }
  // The first error decides the exit code; each further one says which part could not be closed.
  if (error instanceof SuppressedError) {
    const code = report(error.suppressed, terminal);
    report(error.error, terminal);
    return code;
  }
  const code = systemCode(error) ?? "";
  // SQLite's codes go on with what it did: SQLITE_IOERR_READ.
  const known = Object.entries(HINTS).find(([begin]) => code.startsWith(begin))?.[1];
  const isSystemCall = error instanceof Error && "syscall" in error;
  const hint = isSystemCall ? (known ?? OTHER_HINT) : known;
  if (hint !== undefined) {
    terminal.err(`flanco: ${messageOf(error)}. ${hint}`);
    return FAILED;
  }
  terminal.err(`flanco: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  return FAILED;
}

/** The lines of an error: a mistake each, and the hint at the end. */
function linesOf({ message, hint }: FlancoError): string[] {
  const lines = message.split("\n");
  if (hint === undefined) return lines;
  return lines.length === 1 ? [`${message} ${hint}`] : [...lines, hint];
}
