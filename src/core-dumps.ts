import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Log } from "./domain/log.ts";

/**
 * Lets this process, and those that it starts, leave no core file: it would hold passwords and keys, for whoever reads the
 * disk. The unit does the same (LimitCORE=); this is for a service that was started by hand. By util-linux's prlimit, not
 * by koffi: a process that has loaded that was seen to stand still in its exit handlers after a failed fsync. Never throws.
 */
export async function forbidCoreDumps(log: Log): Promise<void> {
  try {
    await promisify(execFile)("prlimit", ["--pid", String(process.pid), "--core=0:0"]);
  } catch (error) {
    log.warn({ err: error }, "core files are not forbidden: prlimit does not run");
  }
}
