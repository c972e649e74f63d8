import type { ServiceManager } from "./manager.ts";

export interface WatchdogDependencies {
  readonly manager: Pick<ServiceManager, "alive">;
  /** The time of silence after which systemd restarts the process. */
  readonly limitMs: number;
  /** Resolves when the service works, after having tried it; rejects or waits for ever when it does not. */
  readonly probe: () => Promise<void>;
  /** Told why there was no sign of life this time. */
  readonly onSilence: (error: unknown) => void;
}

/**
 * Gives systemd a sign of life twice within its limit, each only after the service has proved that it
 * works. Its timer runs on the event loop, so that a loop that stands still is silent too.
 */
export class Watchdog {
  readonly #dependencies: WatchdogDependencies;
  #timer: NodeJS.Timeout | undefined;
  #probing = false;

  constructor(dependencies: WatchdogDependencies) {
    this.#dependencies = dependencies;
  }

  open(): void {
    this.#timer = setInterval(() => void this.#check(), this.#dependencies.limitMs / 2);
    this.#timer.unref();
    void this.#check();
  }

  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  async #check(): Promise<void> {
    // A proof that has not come is waited for: others would only stand behind it.
    if (this.#probing) return;
    this.#probing = true;
    try {
      await this.#dependencies.probe();
      if (this.#timer !== undefined) this.#dependencies.manager.alive();
    } catch (error) {
      this.#dependencies.onSilence(error);
    } finally {
      this.#probing = false;
    }
  }
}
