/** Work of one turn of the event loop. Packets and edges are looked at between turns. */
const TURN_MS = 5;

type Work = () => void;

/**
 * Shares the event loop among addresses. Work is begun at once while the current turn of the loop has been short. Beyond that it waits,
 * and is begun one piece of each address after another, some milliseconds in each turn: an address that asks for much
 * delays itself.
 */
export class Turns {
  readonly #nowMs: () => number;
  /** In the order of their turns. */
  readonly #waiting = new Map<string, Work[]>();
  #beganMs = 0;
  #isPlanned = false;

  /** @param nowMs monotonic milliseconds */
  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs;
  }

  /** Begins this work, at once or later. What it does in promises that are already resolved counts too. */
  begin(address: string, work: Work): void {
    if (!this.#isPlanned) {
      this.#beganMs = this.#nowMs();
      this.#plan();
    }
    if (this.#waiting.size === 0 && this.#isShort()) {
      work();
      return;
    }
    const own = this.#waiting.get(address);
    if (own === undefined) this.#waiting.set(address, [work]);
    else own.push(work);
  }

  #isShort(): boolean {
    return this.#nowMs() - this.#beganMs < TURN_MS;
  }

  #plan(): void {
    this.#isPlanned = true;
    setImmediate(() => void this.#turn());
  }

  async #turn(): Promise<void> {
    this.#beganMs = this.#nowMs();
    for (const [address, [next, ...others]] of this.#waiting) {
      if (!this.#isShort()) break;
      this.#waiting.delete(address);
      if (others.length > 0) this.#waiting.set(address, others);
      next?.();
      // Once the promises of this piece are through.
      await new Promise<void>((resolve) => process.nextTick(resolve));
    }
    this.#isPlanned = false;
    if (this.#waiting.size > 0) this.#plan();
  }
}
