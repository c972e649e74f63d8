// Runs, in the guest, everything that test/guest proves: the drivers' conformance suite and the real program on
// each driver. Writes one JSON object for each part to standard output.
//
//   node all.mjs full|short     (in the checkout's folder, bundled beside prove.mjs)
import { spawnSync } from "node:child_process";
import { globSync } from "node:fs";
import { join } from "node:path";
import type { Part } from "../report.ts";

const PROVE = join(import.meta.dirname, "prove.mjs");
const [form] = process.argv.slice(2);
if (form !== "full" && form !== "short") throw new Error("usage: all.ts full|short");

run("conformance", ["node_modules/mocha/bin/mocha.js", ...globSync("test/gpio/*.test.ts")]);
run("chardev", [PROVE, "chardev", form]);
// When a line's change is read by this driver depends on how busy the machine is that the guest runs on: that is for a
// machine which does nothing else.
if (form === "full") run("sysfs", [PROVE, "sysfs", form]);

function run(part: Part["part"], options: readonly string[]): void {
  const began = performance.now();
  const result = spawnSync(process.execPath, options, { encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
  const outcome: Part = {
    part,
    exitCode: result.status,
    seconds: Math.round((performance.now() - began) / 1000),
    stdout: result.stdout,
    stderr: result.stderr,
  };
  const how = result.signal === null ? `exit code ${outcome.exitCode}` : `ended by ${result.signal}`;
  console.error(`${part}: ${how} after ${outcome.seconds} s`);
  console.log(JSON.stringify(outcome));
}
