/**
 * Runs a load when asked, one at a time and not more often than `restMs`. However often it is asked in
 * between, one more run follows, so the last state is always fetched.
 */
export class Refresher {
  readonly #load: () => Promise<void>;
  readonly #restMs: number;
  #isLoading = false;
  #isClosed = false;
  #again = false;
  /** Set while it rests after a load. */
  #rest: ReturnType<typeof setTimeout> | undefined;

  /** `load` must not reject. */
  constructor(load: () => Promise<void>, restMs: number) {
    this.#load = load;
    this.#restMs = restMs;
  }

  ask(): void {
    if (this.#isLoading || this.#rest !== undefined) this.#again = true;
    else void this.#run();
  }

  /** As `ask`, without the rest: for a person who waits. */
  hurry(): void {
    this.#endRest();
    this.ask();
  }

  close(): void {
    this.#isClosed = true;
    this.#endRest();
  }

  async #run(): Promise<void> {
    if (this.#isClosed) return;
    this.#isLoading = true;
    this.#again = false;
    await this.#load();
    this.#isLoading = false;
    if (this.#isClosed) return;
    this.#rest = setTimeout(() => {
      this.#rest = undefined;
      if (this.#again) void this.#run();
    }, this.#restMs);
  }

  #endRest(): void {
    clearTimeout(this.#rest);
    this.#rest = undefined;
  }
}
