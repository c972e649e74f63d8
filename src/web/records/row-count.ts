const QUOTE = 0x22;
const LINE_FEED = 0x0a;

/** Counts the rows of comma-separated values as they come, in pieces of any size. A line break between quotes is none. */
export class RowCount {
  #rows = 0;
  #isQuoted = false;

  /** Finished rows so far, the header's left out. */
  get rows(): number {
    return Math.max(0, this.#rows - 1);
  }

  add(bytes: Uint8Array): void {
    for (const byte of bytes) {
      if (byte === QUOTE) this.#isQuoted = !this.#isQuoted;
      else if (byte === LINE_FEED && !this.#isQuoted) this.#rows += 1;
    }
  }
}
