import { join } from "node:path";
import { compileLibrary } from "../scripts/compile-library.ts";

const SOURCE = join(import.meta.dirname, "slow-sync.c");

/**
 * Compiles the library that adds `delayMs` to every fsync and fdatasync of a process that preloads it.
 * Gives its path. Throws ScriptFailure.
 */
export function buildSlowSync(directory: string, delayMs: number): string {
  const library = join(directory, `slow-sync-${delayMs}ms.so`);
  compileLibrary(SOURCE, library, [`-DDELAY_MS=${delayMs}`]);
  return library;
}
