/** How long work may last in one turn of the event loop. Packets and edges are handled between turns. */
const TURN_MS = 5;

type Work = () => void;

/**
 * Shares the event loop among addresses. Work begins at once while the current turn of the loop
 * has been short. Otherwise it waits; then each address in turn begins one piece of work, for some
 * milliseconds in each turn of the loop. So an address that asks for much delays only itself.
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

  /** Begins this work, at once or later. Its continuations in resolved promises count as part of it. */
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
      // After the resolved promises of this piece.
      await new Promise<void>((resolve) => process.nextTick(resolve));
    }
    this.#isPlanned = false;
    if (this.#waiting.size > 0) this.#plan();
  }
}
