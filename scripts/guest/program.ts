import { spawnSync } from "node:child_process";
import { GuestFailure } from "./failure.ts";

const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
const SHOWN_LINES = 20;

export interface ProgramResult {
  /** Null when the program could not be started or was killed. */
  readonly status: number | null;
  readonly stdout: string;
  /** Both streams' last lines, for an error text. */
  readonly tail: string;
}

/** Runs a program of this machine to its end, whatever its exit code is. */
export function tryProgram(program: string, options: readonly string[], directory?: string): ProgramResult {
  const result = spawnSync(program, [...options], {
    encoding: "utf8",
    maxBuffer: MAX_OUTPUT_BYTES,
    env: { ...process.env, LC_ALL: "C", DEBIAN_FRONTEND: "noninteractive" },
    ...(directory === undefined ? {} : { cwd: directory }),
  });
  const text = `${result.stdout ?? ""}${result.stderr ?? ""}${result.error?.message ?? ""}`;
  return {
    status: result.status,
    stdout: result.stdout ?? "",
    tail: text.trimEnd().split("\n").slice(-SHOWN_LINES).join("\n"),
  };
}

/** Runs a program of this machine and gives its standard output. Throws GuestFailure unless it ends with 0. */
export function runProgram(program: string, options: readonly string[], directory?: string): string {
  const result = tryProgram(program, options, directory);
  if (result.status === 0) return result.stdout;
  throw new GuestFailure(`${[program, ...options].join(" ")} failed:\n${result.tail}`);
}
