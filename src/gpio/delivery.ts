import type { Edge } from "../domain/line.ts";

/**
 * Keeps the promise of `watch`: edges that arrive before its caller has the watched line wait, none is
 * delivered after the end, and the order never changes.
 */
export class Delivery {
  readonly #onEdge: (edge: Edge) => void;
  #waiting: Edge[] | null = [];
  #ended = false;

  constructor(onEdge: (edge: Edge) => void) {
    this.#onEdge = onEdge;
  }

  push(edge: Edge): void {
    if (this.#ended) return;
    if (this.#waiting === null) this.#onEdge(edge);
    else this.#waiting.push(edge);
  }

  /** Delivers from the next turn of the event loop on, when the promise of `watch` has resolved. */
  startSoon(): void {
    setImmediate(() => this.#flush());
  }

  /** Delivers what still waits, and nothing after it. */
  end(): void {
    this.#flush();
    this.#ended = true;
  }

  #flush(): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = null;
    for (const edge of waiting) this.#onEdge(edge);
  }
}
