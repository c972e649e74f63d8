/** How far changes have been told: `RUN:NUMBER`, another run with every start of the server. */
interface Position {
  readonly run: string;
  readonly number: number;
}

/**
 * Whether what was read from the server may lack a change that nobody will tell any more: one from after it was
 * read and before the stream of changes began. Positions are as the server writes them.
 */
export class Freshness {
  /** Of what was read before the first stream; "unknown" where one of it did not say, null for nothing. */
  #oldest: Position | "unknown" | null = null;
  /** Where the stream began; undefined before the first. */
  #stream: Position | "unknown" | undefined;

  /** Notes something that was read, or not: null where nobody knows how old it is. True when it may lack a change. */
  onRead(at: string | null): boolean {
    const read = positionOf(at);
    if (this.#stream === undefined) {
      this.#oldest = this.#oldest === null ? read : olderOf(this.#oldest, read);
      return false;
    }
    // Of another run it is newer: the stream is about to break, and its next beginning tells.
    const isOfRun = read !== "unknown" && this.#stream !== "unknown" && read.run === this.#stream.run;
    return isOfRun && isBefore(read, this.#stream);
  }

  /**
   * Notes that the stream begins. True when something may lack a change: always when it begins again, for
   * nobody knows what of that which was to be read anew has come.
   */
  onStream(at: string): boolean {
    const position = positionOf(at);
    const isFirst = this.#stream === undefined;
    this.#stream = position;
    return !isFirst || (this.#oldest !== null && isBefore(this.#oldest, position));
  }
}

function olderOf(one: Position | "unknown", other: Position | "unknown"): Position | "unknown" {
  if (one === "unknown" || other === "unknown" || one.run !== other.run) return "unknown";
  return one.number < other.number ? one : other;
}

function isBefore(one: Position | "unknown", other: Position | "unknown"): boolean {
  if (one === "unknown" || other === "unknown") return true;
  return one.run !== other.run || one.number < other.number;
}

function positionOf(at: string | null): Position | "unknown" {
  const [, run, digits] = /^(.+):(\d+)$/.exec(at ?? "") ?? [];
  return run === undefined ? "unknown" : { run, number: Number(digits) };
}
