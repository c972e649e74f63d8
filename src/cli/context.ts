import type { Command } from "commander";
import { loadConfig } from "../config/parse.ts";
import type { Environment } from "../config/read.ts";
import type { Config } from "../config/schema.ts";
import type { Installation } from "../installation.ts";
import type { Terminal } from "./terminal.ts";

/** What every command is given. */
export interface CliContext {
  readonly terminal: Terminal;
  readonly environment: Environment;
  readonly installation: Installation;
}

/** The configuration in force for a command, its own flags included. Throws `config`. */
export function configOf(context: CliContext, command: Command): Config {
  return loadConfig(command.optsWithGlobals(), context.environment, context.installation);
}
