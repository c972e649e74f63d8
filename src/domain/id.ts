/** An identifier of the service: 24 lower-case hexadecimal digits, time first, so that ids sort by creation. */
export type Id = string;

const COUNTER_SPACE = 1n << 48n;
const TIME_SPACE = 1n << 48n;
const ID_DIGITS = 24;

/**
 * Makes ids of 48 bits of Unix milliseconds and 48 bits that start at a random place and count up.
 * Ids of one generator strictly increase, also within a millisecond and while the clock steps back.
 */
export class IdGenerator {
  readonly #nowMs: () => number;
  readonly #random48: () => number;
  #last = -1n;

  /** `random48` gives an integer from 0 to 2^48 - 1 from a source that others cannot guess. */
  constructor(nowMs: () => number, random48: () => number) {
    this.#nowMs = nowMs;
    this.#random48 = random48;
  }

  next(): Id {
    const time = BigInt(Math.max(0, Math.trunc(this.#nowMs()))) % TIME_SPACE;
    // Half of the counter's space is kept free, so that counting up does not run into the next millisecond.
    const fresh = time * COUNTER_SPACE + BigInt(Math.trunc(this.#random48() / 2));
    this.#last = fresh > this.#last ? fresh : this.#last + 1n;
    return this.#last.toString(16).padStart(ID_DIGITS, "0");
  }
}
