import { join } from "node:path";
import { compileLibrary } from "../scripts/debian.ts";
import type { Plan } from "./plan.ts";

/** Compiles the library that adds `delayMs` to every fsync and fdatasync of a process that preloads it. */
export function slowSync({ directory }: Plan, delayMs: number): string {
  const library = join(directory, `slow-sync-${delayMs}ms.so`);
  compileLibrary(join(import.meta.dirname, "slow-sync.c"), library, [`-DDELAY_MS=${delayMs}`]);
  return library;
}
