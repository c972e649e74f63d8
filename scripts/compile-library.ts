import { runCommand } from "./command.ts";
import { installFor } from "./debian.ts";

/** Compiles a C source to a library that a program can be started with (LD_PRELOAD). Throws ScriptFailure. */
export function compileLibrary(source: string, library: string, options: readonly string[] = []): void {
  installFor("library for preloading");
  const common = ["-O2", "-Wall", "-Werror", "-shared", "-fPIC"];
  runCommand(["gcc", ...common, ...options, "-o", library, source, "-ldl"]);
}
