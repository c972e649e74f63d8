/** Something that is fetched, and its value once that is there. A failed refresh keeps what was there before. */
export type Part<T> =
  | { readonly kind: "waiting" | "failed"; readonly value?: undefined }
  | { readonly kind: "ready"; readonly value: T };

export function ready<T>(value: T): Part<T> {
  return { kind: "ready", value };
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

  /** Runs loads again once it was closed. */
  open(): void {
    this.#isClosed = false;
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

/**
 * Whether what was read from the server may lack a change that the stream of changes will not tell: one from after the
 * reading and before the stream began. Positions are `RUN:NUMBER`, as the server writes them: another run with every
 * start of the server, a larger number with every change.
 */
export class Freshness {
  /** Positions of what was read before the first stream; null for an answer that did not say, or did not come. */
  readonly #reads = new Set<string | null>();
  /** Where the stream began; undefined before the first. */
  #stream: string | undefined;

  /** Takes the position of an answer. True when the answer may lack a change. */
  onRead(at: string | null): boolean {
    if (this.#stream === undefined) {
      this.#reads.add(at);
      return false;
    }
    // An answer of another run is newer: the stream is about to break, and its next beginning tells.
    return at !== null && runOf(at) === runOf(this.#stream) && !isAsNew(at, this.#stream);
  }

  /** Takes the position where the stream begins. True when something may lack a change: always when it begins again. */
  onStream(at: string): boolean {
    const isAgain = this.#stream !== undefined;
    this.#stream = at;
    return isAgain || [...this.#reads].some((read) => read === null || !isAsNew(read, at));
  }
}

/** Whether one position is of the same run as another, and not before it. */
export function isAsNew(read: string, at: string): boolean {
  return runOf(read) === runOf(at) && numberOf(read) >= numberOf(at);
}

function runOf(position: string): string {
  return position.slice(0, position.lastIndexOf(":"));
}

function numberOf(position: string): number {
  return Number(position.slice(position.lastIndexOf(":") + 1));
}
