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

function isAsNew(read: string, at: string): boolean {
  return runOf(read) === runOf(at) && numberOf(read) >= numberOf(at);
}

function runOf(position: string): string {
  return position.slice(0, position.lastIndexOf(":"));
}

function numberOf(position: string): number {
  return Number(position.slice(position.lastIndexOf(":") + 1));
}
