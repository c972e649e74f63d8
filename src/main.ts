import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { CommanderError } from "commander";
import { createProgram } from "./cli/program.ts";
import { Terminal } from "./cli/terminal.ts";
import { CONFIG_EXIT_CODE } from "./config/parse.ts";
import { FlancoError } from "./domain/error.ts";

const FAILED = 1;
const WRONG_USAGE = 2;

/** Runs one command from a checkout and ends the process with its exit code. */
export async function main(argv: readonly string[]): Promise<never> {
  const checkout = join(dirname(fileURLToPath(import.meta.url)), "..");
  const terminal = new Terminal();
  const program = createProgram({
    terminal,
    environment: process.env,
    setting: { checkout },
    version: versionOf(checkout),
  });
  try {
    await program.parseAsync(argv, { from: "user" });
    process.exit(0);
  } catch (error) {
    process.exit(report(error, terminal));
  }
}

/** Says what went wrong and what to do next; gives the exit code. */
function report(error: unknown, terminal: Terminal): number {
  // Commander has printed its own text.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : WRONG_USAGE;
  if (error instanceof FlancoError) {
    terminal.err(`flanco: ${error.message}${error.hint === undefined ? "" : ` ${error.hint}`}`);
    return error.code === "config" ? CONFIG_EXIT_CODE : FAILED;
  }
  terminal.err(`flanco: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  return FAILED;
}

function versionOf(checkout: string): string {
  const { version } = JSON.parse(readFileSync(join(checkout, "package.json"), "utf8")) as { version: string };
  return version;
}
