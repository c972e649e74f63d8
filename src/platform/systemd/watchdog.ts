import type { Systemd } from "./systemd.ts";

export interface WatchdogDependencies {
  readonly systemd: Pick<Systemd, "alive">;
  /** The longest time without a sign of life before systemd restarts the process. */
  readonly limitMs: number;
  /**
   * Resolves when a test of the service succeeded. Rejects,
   * or does not resolve, when the service does not work.
   */
  readonly probe: () => Promise<void>;
  /** Called with the error of a failed probe. */
  readonly onSilence: (error: unknown) => void;
}

/**
 * Gives systemd two signs of life within its limit, each after a successful
 * probe. A blocked event loop gives none. Returns the function that ends it.
 */
export function feedWatchdog({ systemd, limitMs, probe, onSilence }: WatchdogDependencies): () => void {
  let probing = false;
  let ended = false;
  const check = async () => {
    // A second probe would only queue behind the first.
    if (probing) return;
    probing = true;
    try {
      await probe();
      if (!ended) systemd.alive();
    } catch (error) {
      onSilence(error);
    } finally {
      probing = false;
    }
  };
  const timer = setInterval(() => void check(), limitMs / 2).unref();
  void check();
  return () => {
    ended = true;
    clearInterval(timer);
  };
}
