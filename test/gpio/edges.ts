import type { Edge } from "../../src/domain/line.ts";

/** Collects a line's edges; a test waits for the edge that it has caused instead of for time. */
export class Edges {
  readonly seen: Edge[] = [];
  readonly #waiting: { count: number; resolve: () => void }[] = [];

  readonly onEdge = (edge: Edge): void => {
    this.seen.push(edge);
    for (const waiter of this.#waiting) if (this.seen.length >= waiter.count) waiter.resolve();
  };

  get levels(): readonly boolean[] {
    return this.seen.map((edge) => edge.active);
  }

  /** Resolves once `count` edges have come in all; mocha's timeout is the failure. */
  until(count: number): Promise<void> {
    if (this.seen.length >= count) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push({ count, resolve });
    return promise;
  }
}

/** For lines that must not fail. */
export function noFailure(error: Error): void {
  throw error;
}
