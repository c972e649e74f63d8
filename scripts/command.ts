import { spawnSync } from "node:child_process";

const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
const SHOWN_LINES = 40;

/** A script cannot do its work. The message says what to look at. */
export class ScriptFailure extends Error {
  override readonly name: string = "ScriptFailure";
}

export interface CommandOptions {
  readonly directory?: string;
  /** Added to this process's own environment; undefined removes a variable. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Its standard input; none: it ends at once. */
  readonly input?: string;
}

export interface CommandResult {
  /** Null when the program could not be started or was killed. */
  readonly status: number | null;
  readonly stdout: string;
  /** The last lines of both streams, for an error's text. */
  readonly tail: string;
}

/** Runs a program of this machine to its end; any exit code is allowed. */
export function tryCommand(command: readonly string[], options: CommandOptions = {}): CommandResult {
  const [program = "", ...args] = command;
  const { error, ...result } = spawnSync(program, args, {
    encoding: "utf8",
    maxBuffer: MAX_OUTPUT_BYTES,
    env: { ...process.env, LC_ALL: "C.UTF-8", DEBIAN_FRONTEND: "noninteractive", ...options.environment },
    ...(options.directory === undefined ? {} : { cwd: options.directory }),
    ...(options.input === undefined ? {} : { input: options.input }),
  });
  const text = `${result.stdout ?? ""}${result.stderr ?? ""}${error?.message ?? ""}`;
  return {
    status: result.status,
    stdout: result.stdout ?? "",
    tail: text.trimEnd().split("\n").slice(-SHOWN_LINES).join("\n"),
  };
}

/** Runs a program of this machine and gives its standard output. Throws ScriptFailure unless it ends with 0. */
export function runCommand(command: readonly string[], options: CommandOptions = {}): string {
  const { status, stdout, tail } = tryCommand(command, options);
  if (status === 0) return stdout;
  throw new ScriptFailure(`${command.join(" ")} failed:\n${tail}`);
}
