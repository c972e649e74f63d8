// Compiles epoll, the addon of the sysfs driver, in this checkout's node_modules:
//
//   node scripts/epoll.ts
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { runCommand, ScriptFailure } from "./command.ts";

/** As Node itself is compiled: code of both passes objects and functions to the other. */
const FLAGS = ["-std=gnu++20", "-fno-rtti", "-fno-exceptions", "-fno-strict-aliasing", "-pthread", "-O2"];
const DEFINITIONS = ["-DNODE_GYP_MODULE_NAME=epoll", "-DBUILDING_NODE_EXTENSION"];

/** Where onoff looks for epoll. */
export function epollFile(modules: string): string {
  return join(modules, "epoll", "build", "Release", "epoll.node");
}

/**
 * Compiles epoll of a node_modules against the headers of the Node in it, which will run it. It is one source file: the compiler
 * is started without make and a shell, which would have to be told of each space and bracket in a path. Throws ScriptFailure.
 */
export function compileEpoll(modules: string, arch: string, compiler = "g++"): void {
  const target = epollFile(modules);
  const headers = ["-I", `../node-linux-${arch}/include/node`, "-I", "../nan"];
  mkdirSync(dirname(target), { recursive: true });
  // Paths of sources are in the addon: relative ones are the same everywhere.
  const command = [compiler, "-shared", "-fPIC", "-w", ...FLAGS, ...DEFINITIONS, ...headers];
  runCommand([...command, "-o", target, "src/epoll.cc"], { directory: join(modules, "epoll") });
}

if (import.meta.main) {
  try {
    compileEpoll(join(import.meta.dirname, "..", "node_modules"), process.arch);
  } catch (error) {
    if (!(error instanceof ScriptFailure)) throw error;
    console.error(error.message);
    process.exit(1);
  }
}
