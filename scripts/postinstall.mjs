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
  const epoll = join(modules, "epoll");
  const nodeGyp = join(modules, "node-gyp", "bin", "node-gyp.js");
  if (!existsSync(epoll) || !existsSync(nodeGyp)) return;
  // An inherited nodedir names the system's headers, which are those of another Node.
  const environment = Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^npm_(package_)?config_(node_gyp_)?nodedir$/i.test(name),
    ),
  );
  const build = spawnSync(nodeBinary, [nodeGyp, "rebuild", `--nodedir=${runtime}`], {
    cwd: epoll,
    env: environment,
    encoding: "utf8",
  });
  const log = join(modules, ".epoll-build.log");
  writeFileSync(log, `${build.stdout ?? ""}${build.stderr ?? ""}`);
  if (build.status !== 0) {
    console.error(
      "flanco: the sysfs GPIO driver was not built (its compiler run failed; the output is in " +
        "node_modules/.epoll-build.log). Everything else works. To have it, install make, g++ and python3, then run npm ci again.",
    );
  }
}
