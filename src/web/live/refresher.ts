/**
 * Runs a load when asked, one at a time and not more often than `restMs`. However often it is asked in
 * between, one more run follows, so the last state is always fetched.
 */
export class Refresher {
  readonly #load: () => Promise<void>;
  readonly #restMs: number;
  #busy = false;
  #again = false;
  #rest: ReturnType<typeof setTimeout> | undefined;

  /** `load` must not reject. */
  constructor(load: () => Promise<void>, restMs: number) {
    this.#load = load;
    this.#restMs = restMs;
  }

  ask(): void {
    if (this.#busy) this.#again = true;
    else void this.#run();
  }

  close(): void {
    clearTimeout(this.#rest);
    this.#busy = true;
    this.#again = false;
  }

  async #run(): Promise<void> {
    this.#busy = true;
    this.#again = false;
    await this.#load();
    this.#rest = setTimeout(() => {
      this.#busy = false;
      if (this.#again) this.ask();
    }, this.#restMs);
  }
}
