// Runs after `npm ci`, under whatever Node the machine has (20 or later), so it is plain JavaScript
// with no dependency. It puts the locked Node 24 where npm scripts find it first, and compiles epoll
// (the sysfs driver's addon) against that Node's own headers. Without a compiler the install still
// succeeds: only the sysfs driver is missing, and says so when it is asked for.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const modules = join(dirname(fileURLToPath(import.meta.url)), "..", "node_modules");
const runtime = join(modules, `node-linux-${process.arch}`);
const nodeBinary = join(runtime, "bin", "node");

if (!existsSync(nodeBinary)) {
  console.error(
    `flanco: no Node 24 for ${process.platform}-${process.arch} in node_modules. Flanco runs on 64-bit Linux ` +
      "(x64, arm64). On such a machine, install again without --omit=optional.",
  );
  process.exit(1);
}

linkRuntime();
compileEpoll();

function linkRuntime() {
  const link = join(modules, ".bin", "node");
  mkdirSync(dirname(link), { recursive: true });
  rmSync(link, { force: true });
  symlinkSync(join("..", `node-linux-${process.arch}`, "bin", "node"), link);
}

function compileEpoll() {
  const script = join(modules, "..", "scripts", "epoll.ts");
  const build = spawnSync(nodeBinary, [script], { encoding: "utf8" });
  if (build.status === 0) return;
  const log = join(modules, ".epoll-build.log");
  writeFileSync(log, `${build.stdout ?? ""}${build.stderr ?? ""}`);
  console.error(
    `flanco: the sysfs GPIO driver was not built (${log} says why). Everything else works. ` +
      "To have it, install g++, then run npm ci again.",
  );
}
