import { closeSync } from "node:fs";
import type { LinesStatus } from "../domain/lines.ts";
import type { Log } from "../domain/log.ts";
import { connectSystemd, type Systemd } from "../systemd/connect.ts";
import { OWN_VARIABLES } from "../systemd/environment.ts";
import { Watchdog } from "../systemd/watchdog.ts";
import type { Service } from "./service.ts";

/** What systemd hears of the service, and keeps for it. Where systemd does not listen, nothing. */
export class Supervision {
  readonly #systemd: Systemd | undefined;
  readonly #log: Log;
  #watchdog: Watchdog | undefined;
  #status = "";

  private constructor(systemd: Systemd | undefined, log: Log) {
    this.#systemd = systemd;
    this.#log = log;
  }

  /** Finds systemd, and takes what it told this process alone out of the process's environment. */
  static async connect(environment: NodeJS.ProcessEnv, log: Log): Promise<Supervision> {
    const systemd = await connectSystemd(environment, process.pid, log);
    for (const name of OWN_VARIABLES) delete environment[name];
    return new Supervision(systemd, log);
  }

  /** Where lines outlive this process; undefined where nothing does. */
  get keeper(): Systemd["store"] | undefined {
    return this.#systemd?.store;
  }

  /** Whether somebody starts the process again when it ends. */
  get restarts(): boolean {
    return this.#systemd !== undefined;
  }

  /** Lets go of all that was kept from a process before: for a driver that does not go on with it. */
  releaseKept(): void {
    const store = this.#systemd?.store;
    for (const [name, descriptors] of store?.take() ?? []) {
      store?.forget(name);
      for (const fd of descriptors) closeSync(fd);
    }
  }

  /** A start that takes long has got further. */
  starting(what: string, done: number, total: number): void {
    this.#systemd?.manager.starting(`${what}: ${done} of ${total}`);
  }

  /** The service answers: from here on systemd restarts it when it no longer works. */
  ready(service: Pick<Service, "proveWorking" | "lines">): void {
    if (this.#systemd === undefined) return;
    const { manager, watchdogMs } = this.#systemd;
    this.#status = describe(service.lines());
    manager.ready(this.#status);
    if (watchdogMs === null) return;
    this.#watchdog = new Watchdog({
      manager,
      limitMs: watchdogMs,
      probe: async () => {
        await service.proveWorking();
        this.#tellStatus(describe(service.lines()));
      },
      onSilence: (error) => this.#log.error({ err: error }, "the service does not work: no sign of life"),
    });
    this.#watchdog.open();
  }

  stopping(): void {
    this.#watchdog?.close();
    this.#systemd?.manager.stopping();
  }

  #tellStatus(status: string): void {
    if (status === this.#status) return;
    this.#status = status;
    this.#systemd?.manager.status(status);
  }
}

function describe({ simulated, wired, watched, failures }: LinesStatus): string {
  const kind = simulated ? "SIMULATED lines" : "lines";
  const [failure] = failures;
  const trouble = failure === undefined ? "" : ` ${failure.message}`;
  return `Watching ${watched.length} of ${wired.length} wired ${kind}.${trouble}`;
}
