import { closeSync } from "node:fs";
import type { LinesStatus } from "../domain/line.ts";
import type { Log } from "../domain/log.ts";
import { connectSystemd, OWN_VARIABLES, type Systemd, Watchdog } from "../systemd/systemd.ts";
import type { Service } from "./service.ts";

/** Reports the service to systemd, and keeps its lines there. Does nothing where systemd did not start the process. */
export class Supervision {
  readonly #systemd: Systemd | undefined;
  readonly #log: Log;
  #watchdog: Watchdog | undefined;

  private constructor(systemd: Systemd | undefined, log: Log) {
    this.#systemd = systemd;
    this.#log = log;
  }

  /** Connects to systemd, and removes its variables for this process from the environment. */
  static async connect(environment: NodeJS.ProcessEnv, log: Log): Promise<Supervision> {
    const systemd = await connectSystemd(environment, process.pid, log);
    for (const name of OWN_VARIABLES) delete environment[name];
    return new Supervision(systemd, log);
  }

  /** Keeps lines while no process runs; undefined without systemd. */
  get keeper(): Systemd | undefined {
    return this.#systemd;
  }

  /** Whether the process is restarted when it ends. */
  get restarts(): boolean {
    return this.#systemd !== undefined;
  }

  /** Releases all lines that an earlier process kept: for a driver that cannot continue them. */
  releaseKept(): void {
    for (const [name, descriptors] of this.#systemd?.take() ?? []) {
      this.#systemd?.forget(name);
      for (const fd of descriptors) closeSync(fd);
    }
  }

  /** A slow start goes on: systemd waits longer where it moves. Call it each second. */
  starting(what: string, moves: boolean): void {
    if (moves) this.#systemd?.starting(what);
    else this.#systemd?.status(what);
  }

  /** The service has started: from here on systemd restarts it when it stops working. */
  ready(service: Pick<Service, "proveWorking" | "lines">): void {
    const systemd = this.#systemd;
    if (systemd === undefined) return;
    systemd.ready(describe(service.lines()));
    if (systemd.watchdogMs === null) return;
    this.#watchdog = new Watchdog({
      systemd,
      limitMs: systemd.watchdogMs,
      probe: async () => {
        await service.proveWorking();
        systemd.status(describe(service.lines()));
      },
      onSilence: (error) => this.#log.error({ err: error }, "the service does not work: no sign of life"),
    });
    this.#watchdog.open();
  }

  stopping(): void {
    this.#watchdog?.close();
    this.#systemd?.stopping();
  }
}

function describe({ simulated, wired, watched, failures }: LinesStatus): string {
  const kind = simulated ? "SIMULATED lines" : "lines";
  const [failure] = failures;
  const trouble = failure === undefined ? "" : ` ${failure.message}`;
  return `Watching ${watched.length} of ${wired.length} wired ${kind}.${trouble}`;
}
