// Runs, in the guest, everything that test/guest proves: the drivers' conformance suite and the real program on each driver.
//
//   node all.mjs full|short
import { spawn, spawnSync } from "node:child_process";
import { join } from "node:path";
import type { Reports } from "../report.ts";
import { outcomeOf, teller } from "../told.ts";

/** The scripts that are bundled beside this one. */
const script = (name: string) => join(import.meta.dirname, `${name}.mjs`);
const [form] = process.argv.slice(2);
if (form !== "full" && form !== "short") throw new Error("usage: all.ts full|short");

const conformance = spawn(process.execPath, [script("conformance")], { stdio: ["ignore", "pipe", "pipe"] });
teller<Reports>()("conformance", await outcomeOf(conformance));
// When a line's change is read by sysfs depends on how busy the machine is that the guest runs on: that is for a machine which
// does nothing else.
for (const driver of form === "full" ? ["chardev", "sysfs"] : ["chardev"]) {
  spawnSync(process.execPath, [script("prove"), driver, form], { stdio: "inherit" });
}
