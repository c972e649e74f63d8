import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Log } from "./domain/log.ts";

/**
 * Lets this process, and those that it starts, leave no core file: it would hold passwords and keys, for whoever reads the
 * disk. The unit does the same (LimitCORE=); this is for a service that was started by hand. By util-linux's prlimit, not
 * by koffi: that flushes standard error with fsync at the exit (lib/native/base/base.cc, FlushStd), and waits for itself for
 * ever where this fails with anything but EINVAL, as for a file on a failing disk. Never throws.
 */
export async function forbidCoreDumps(log: Log): Promise<void> {
  try {
    await promisify(execFile)("prlimit", ["--pid", String(process.pid), "--core=0:0"]);
  } catch (error) {
    log.warn({ err: error }, "core files are not forbidden: prlimit does not run");
  }
}
