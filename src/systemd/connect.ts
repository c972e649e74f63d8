import { FlancoError } from "../domain/error.ts";
import type { Log } from "../domain/log.ts";
import { DescriptorStore } from "./descriptor-store.ts";
import { type Environment, passedDescriptors, watchdogMs } from "./environment.ts";
import { loadSystemdLibrary } from "./library.ts";
import { ServiceManager } from "./manager.ts";

/** systemd as this process finds it at its start. */
export interface Systemd {
  readonly manager: ServiceManager;
  readonly store: DescriptorStore;
  /** How long it may be silent; null: for ever. */
  readonly watchdogMs: number | null;
}

/**
 * Gives systemd when it started this process and listens, undefined otherwise: on a laptop, in a container.
 * Without its library the service runs as it would there, and says so in the log.
 */
export async function connectSystemd(
  environment: Environment,
  pid: number,
  log: Log,
): Promise<Systemd | undefined> {
  if (environment["NOTIFY_SOCKET"] === undefined) return undefined;
  try {
    const library = await loadSystemdLibrary();
    const passed = passedDescriptors(environment, pid);
    for (const fd of [...passed.values()].flat()) library.closeOnExec(fd);
    const manager = new ServiceManager(library, log);
    return {
      manager,
      store: new DescriptorStore(manager, passed),
      watchdogMs: watchdogMs(environment, pid),
    };
  } catch (error) {
    if (!(error instanceof FlancoError)) throw error;
    log.warn({ err: error }, "running without systemd: a restart can miss edges");
    return undefined;
  }
}
