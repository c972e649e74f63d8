import type { SightingMessage } from "../control/message.ts";
import { type Clock, NANOSECONDS_PER_MILLISECOND } from "../domain/clock.ts";
import type { LineDriver } from "../domain/line.ts";
import { DEFAULT_DEBOUNCE_MS } from "../domain/wiring.ts";
import { formatLine } from "../gpio/address.ts";

/** Looks at lines for a person, without the ledger: what it sees is shown and forgotten. */
export class LineWatch {
  readonly #driver: LineDriver;
  readonly #clock: Clock;
  readonly #show: (sighting: SightingMessage) => void;

  constructor(driver: LineDriver, clock: Clock, show: (sighting: SightingMessage) => void) {
    this.#driver = driver;
    this.#clock = clock;
    this.#show = show;
  }

  /**
   * Watches these lines, or every free one where none is named, until `during` ends, which is given their
   * names. Rejects when a line cannot be watched or is lost meanwhile; the driver is closed either way.
   */
  async run(lines: readonly string[], during: (names: readonly string[]) => Promise<void>): Promise<void> {
    await this.#driver.open();
    try {
      const lost = Promise.withResolvers<never>();
      // A line may be lost before anybody waits for it.
      lost.promise.catch(() => {});
      const names = lines.length > 0 ? lines : await this.#freeLines();
      for (const line of names) await this.#watch(line, lost.reject);
      await Promise.race([during(names), lost.promise]);
    } finally {
      await this.#driver.close();
    }
  }

  async #freeLines(): Promise<string[]> {
    const chips = await this.#driver.detect();
    const free = chips.flatMap((chip) => chip.lines).filter((line) => line.holder === null);
    return free.map((line) => line.name ?? formatLine(line));
  }

  async #watch(line: string, onFailure: (error: Error) => void): Promise<void> {
    const request = { line, activeLow: false, bias: "as-is", debounceMs: DEFAULT_DEBOUNCE_MS } as const;
    const watched = await this.#driver.watch(
      request,
      ({ active, timeNs, sequence, missed }) => {
        const agoMs = Number((this.#clock.monotonicNs() - timeNs) / NANOSECONDS_PER_MILLISECOND);
        this.#show({ line, active, timeMs: this.#clock.nowMs() - agoMs, sequence, missed });
      },
      onFailure,
    );
    const timeMs = this.#clock.nowMs();
    this.#show({ line, active: watched.initiallyActive, timeMs, sequence: 0, missed: 0 });
  }
}
