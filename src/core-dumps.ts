import type { Log } from "./domain/log.ts";

/** RLIMIT_CORE of sys/resource.h. */
const RLIMIT_CORE = 4;

/** setrlimit(2); the structure is two 64-bit words, the limit in force and the one that it may be raised to. */
type SetLimit = (resource: number, limit: BigUint64Array) => number;

/**
 * Lets this process, and those that it starts, leave no core file: it would hold passwords and keys, for whoever reads the
 * disk. The unit does the same (LimitCORE=); this is for a service that was started by hand. Never throws.
 */
export async function forbidCoreDumps(log: Log): Promise<void> {
  try {
    const koffi = await import("koffi");
    const setLimit: SetLimit = koffi.load(null).func("int setrlimit(int resource, const void *limit)");
    if (setLimit(RLIMIT_CORE, new BigUint64Array([0n, 0n])) === 0) return;
    log.warn({}, "the system does not let this process forbid core files");
  } catch (error) {
    log.warn({ err: error }, "core files are not forbidden: koffi does not load");
  }
}
