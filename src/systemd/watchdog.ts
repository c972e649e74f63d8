import type { Systemd } from "./systemd.ts";

export interface WatchdogDependencies {
  readonly systemd: Pick<Systemd, "alive">;
  /** The longest time without a sign of life before systemd restarts the process. */
  readonly limitMs: number;
  /** Resolves when a test of the service succeeded. Rejects, or does not resolve, when the service does not work. */
  readonly probe: () => Promise<void>;
  /** Called with the error of a failed probe. */
  readonly onSilence: (error: unknown) => void;
}

/** Gives systemd two signs of life within its limit, each after a successful probe; a blocked event loop gives none. */
export class Watchdog {
  readonly #dependencies: WatchdogDependencies;
  #timer: NodeJS.Timeout | undefined;
  #probing = false;

  constructor(dependencies: WatchdogDependencies) {
    this.#dependencies = dependencies;
  }

  open(): void {
    this.#timer = setInterval(() => void this.#check(), this.#dependencies.limitMs / 2).unref();
    void this.#check();
  }

  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  async #check(): Promise<void> {
    // A second probe would only queue behind the first.
    if (this.#probing) return;
    this.#probing = true;
    try {
      await this.#dependencies.probe();
      if (this.#timer !== undefined) this.#dependencies.systemd.alive();
    } catch (error) {
      this.#dependencies.onSilence(error);
    } finally {
      this.#probing = false;
    }
  }
}
