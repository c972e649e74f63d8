import { spawnSync } from "node:child_process";
import { ReleaseFailure } from "./failure.ts";

const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

export interface CommandOptions {
  readonly directory?: string;
  /** Beside this process's own environment; undefined takes a variable away. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

/** Runs a program of this machine and gives its standard output. Throws ReleaseFailure, with all it said, unless it ends with 0. */
export function runCommand(command: readonly string[], options: CommandOptions = {}): string {
  const [program = "", ...args] = command;
  const result = spawnSync(program, args, {
    encoding: "utf8",
    maxBuffer: MAX_OUTPUT_BYTES,
    env: { ...process.env, LC_ALL: "C.UTF-8", ...options.environment },
    ...(options.directory === undefined ? {} : { cwd: options.directory }),
  });
  if (result.status === 0) return result.stdout;
  const said = `${result.stdout ?? ""}${result.stderr ?? ""}${result.error?.message ?? ""}`.trimEnd();
  throw new ReleaseFailure(`${command.join(" ")} failed:\n${said}`);
}
