import { hash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runCommand } from "../command.ts";
import { compileEpoll, epollFile } from "../epoll.ts";
import { isOwn, type Processor, toolFor } from "./processor.ts";

const LOCK = "package-lock.json";

/**
 * Gives a node_modules of the lock file's packages for a processor: the checkout's own, or one beside it for another
 * kind, where epoll is compiled across. That is kept in `directory` until the lock file changes. Throws ScriptFailure.
 */
export function modulesFor(processor: Processor, checkout: string, directory: string): string {
  const own = join(checkout, "node_modules");
  if (isOwn(processor)) {
    if (!existsSync(epollFile(own))) compileEpoll(own, processor.node);
    return own;
  }
  const tree = join(directory, `tree-${processor.node}`);
  const modules = join(tree, "node_modules");
  const stamp = join(tree, "stamp");
  const wanted = hash("sha256", readFileSync(join(checkout, LOCK)));
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return modules;
  rmSync(tree, { recursive: true, force: true });
  mkdirSync(tree, { recursive: true });
  for (const file of ["package.json", LOCK]) copyFileSync(join(checkout, file), join(tree, file));
  const target = ["--os=linux", `--cpu=${processor.node}`, "--libc=glibc"];
  runCommand(["npm", "ci", "--omit=dev", "--ignore-scripts", ...target], { directory: tree });
  compileEpoll(modules, processor.node, toolFor(processor, "g++"));
  writeFileSync(stamp, wanted);
  return modules;
}
