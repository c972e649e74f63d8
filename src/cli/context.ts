import { userInfo } from "node:os";
import { type Command, InvalidArgumentError } from "commander";
import type { Config } from "../contract/config/schema.ts";
import type { Installation } from "../platform/installation.ts";
import { type Environment, loadConfig } from "../service/config-file.ts";
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

/** The configuration in force for a command, its own flags included. Throws `config`. */
export function configOf(context: CliContext, command: Command): Config {
  return loadConfig(command.optsWithGlobals(), context.environment, context.installation.checkout);
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
