/** Something that is fetched. A failed refresh keeps what was there before. */
export type Part<T> =
  | { readonly kind: "waiting" }
  | { readonly kind: "ready"; readonly value: T }
  | { readonly kind: "failed" };

export function ready<T>(value: T): Part<T> {
  return { kind: "ready", value };
}

/** The value once it is there, else undefined. */
export function readyValue<T>(part: Part<T>): T | undefined {
  return part.kind === "ready" ? part.value : undefined;
}

/**
 * Runs a load when asked, one at a time and not more often than every `restMs`. Requests that come in between are
 * answered by one more run, so the last state is always fetched.
 */
export class Refresher {
  readonly #load: () => Promise<void>;
  readonly #restMs: number;
  #isLoading = false;
  #isClosed = false;
  #again = false;
  /** Set while it rests after a load. */
  #rest: ReturnType<typeof setTimeout> | undefined;

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
