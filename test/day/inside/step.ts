import { teller } from "../../guest/told.ts";
import { run } from "../../package/inside/host.ts";
import type { Reports } from "../report.ts";

export const tell = teller<Reports>();

/** Runs a program that must succeed; gives what it said. */
export async function must(program: string, ...args: readonly string[]): Promise<string> {
  const { exitCode, said } = await run(program, ...args);
  if (exitCode === 0) return said;
  throw new Error(`${program} ${args.join(" ")} ended with ${exitCode}: ${said}`);
}

/** Runs a command that must succeed; gives the JSON among its words. */
export async function jsonOf<T>(program: string, ...args: readonly string[]): Promise<T> {
  const said = await must(program, ...args);
  const begins = ["{", "["].map((brace) => said.indexOf(brace)).filter((index) => index >= 0);
  return JSON.parse(
    said.slice(Math.min(...begins), Math.max(said.lastIndexOf("}"), said.lastIndexOf("]")) + 1),
  );
}
