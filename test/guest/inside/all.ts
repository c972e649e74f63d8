// Runs, in the guest, everything that test/guest proves: the drivers' conformance suite and the real program on each driver.
//
//   node all.mjs full|short     (in the checkout's folder, bundled beside prove.mjs)
import { spawnSync } from "node:child_process";
import { globSync } from "node:fs";
import { join } from "node:path";
import { tell } from "../report.ts";

const PROVE = join(import.meta.dirname, "prove.mjs");
const [form] = process.argv.slice(2);
if (form !== "full" && form !== "short") throw new Error("usage: all.ts full|short");

const suite = ["node_modules/mocha/bin/mocha.js", ...globSync("test/gpio/*.test.ts")];
const { status, stdout, stderr } = spawnSync(process.execPath, suite, { encoding: "utf8" });
tell("conformance", { exitCode: status, output: `${stdout}${stderr}` });
// When a line's change is read by sysfs depends on how busy the machine is that the guest runs on: that is for a machine which
// does nothing else.
for (const driver of form === "full" ? ["chardev", "sysfs"] : ["chardev"]) {
  spawnSync(process.execPath, [PROVE, driver, form], { stdio: "inherit" });
}
