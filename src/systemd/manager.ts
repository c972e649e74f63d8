import { FlancoError } from "../domain/error.ts";
import type { Log } from "../domain/log.ts";
import type { SystemdLibrary } from "./library.ts";

/** What systemd may wait for more, each time that a long start shows progress. */
const EXTENSION_MS = 60_000;
const MICROSECONDS_PER_MILLISECOND = 1_000;

/**
 * systemd, which started this process and listens (sd_notify(3)). A message that cannot be sent is logged
 * and passed over: nothing that the ledger does hangs on being heard.
 */
export class ServiceManager {
  readonly #library: SystemdLibrary;
  readonly #log: Log;

  constructor(library: SystemdLibrary, log: Log) {
    this.#library = library;
    this.#log = log;
  }

  /** The service answers, and watches its lines. */
  ready(status: string): void {
    this.#send([`STATUS=${oneLine(status)}`, "READY=1"]);
  }

  /** One line for `systemctl status`. */
  status(status: string): void {
    this.#send([`STATUS=${oneLine(status)}`]);
  }

  /** A start that takes long has got further: it must not be given up yet. */
  starting(status: string): void {
    const microseconds = EXTENSION_MS * MICROSECONDS_PER_MILLISECOND;
    this.#send([`STATUS=${oneLine(status)}`, `EXTEND_TIMEOUT_USEC=${microseconds}`]);
  }

  stopping(): void {
    this.#send(["STOPPING=1"]);
  }

  /** Everything still works: systemd goes on waiting. */
  alive(): void {
    this.#send(["WATCHDOG=1"]);
  }

  /** Stores duplicates of descriptors until `forget`, the service's stop, or the machine's. */
  keep(name: string, descriptors: readonly number[]): void {
    this.#send(["FDSTORE=1", `FDNAME=${name}`], descriptors);
  }

  forget(name: string): void {
    this.#send(["FDSTOREREMOVE=1", `FDNAME=${name}`]);
  }

  #send(assignments: readonly string[], descriptors: readonly number[] = []): void {
    try {
      this.#library.notify(assignments.join("\n"), descriptors);
    } catch (error) {
      if (!(error instanceof FlancoError)) throw error;
      this.#log.warn({ err: error, assignments }, "systemd did not hear");
    }
  }
}

/** A line's end would begin another assignment. */
function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ");
}
