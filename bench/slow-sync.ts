import { execFileSync } from "node:child_process";
import { join } from "node:path";

const SOURCE = join(import.meta.dirname, "slow-sync.c");

/**
 * Compiles the library that adds `delayMs` to every fsync and fdatasync of a process that preloads it.
 * Gives its path; undefined on a machine without gcc.
 */
export function buildSlowSync(directory: string, delayMs: number): string | undefined {
  const library = join(directory, `slow-sync-${delayMs}ms.so`);
  const options = ["-O2", "-Wall", "-Werror", "-shared", "-fPIC", `-DDELAY_MS=${delayMs}`];
  try {
    execFileSync("gcc", [...options, "-o", library, SOURCE, "-ldl"], {
      stdio: ["ignore", "ignore", "inherit"],
    });
    return library;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}
