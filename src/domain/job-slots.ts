import { FlancoError } from "./error.ts";
import type { Id } from "./id.ts";

/** How many jobs may run at once, one of each user, and how many of one user may wait for their turn. */
export interface SlotBounds {
  /** What the jobs are, for the text of a refusal: `exports`. */
  readonly what: string;
  readonly inAll: number;
  readonly waitingOfUser: number;
}

interface Waiting {
  readonly userId: Id;
  readonly begin: () => void;
}

/** Slots for long jobs: one for each user, so that no account shuts others out, and a bounded number in all. */
export class JobSlots {
  readonly #bounds: SlotBounds;
  readonly #inside = new Set<Id>();
  /** In the order of their arrival. */
  readonly #waiting: Waiting[] = [];

  constructor(bounds: SlotBounds) {
    this.#bounds = bounds;
  }

  /**
   * Resolves with the function that frees the slot, once this
   * user has one. Throws `overloaded` when too many wait.
   */
  async take(userId: Id): Promise<() => void> {
    if (this.#hasRoom(userId)) {
      this.#inside.add(userId);
    } else {
      const ahead = this.#waiting.filter((other) => other.userId === userId).length;
      if (ahead >= this.#bounds.waitingOfUser) throw allTaken(this.#bounds.what);
      await new Promise<void>((begin) => this.#waiting.push({ userId, begin }));
    }
    let isInside = true;
    return () => {
      if (isInside) this.#leave(userId);
      isInside = false;
    };
  }

  #hasRoom(userId: Id): boolean {
    return this.#inside.size < this.#bounds.inAll && !this.#inside.has(userId);
  }

  #leave(userId: Id): void {
    this.#inside.delete(userId);
    const index = this.#waiting.findIndex((waiting) => this.#hasRoom(waiting.userId));
    if (index < 0) return;
    const [next] = this.#waiting.splice(index, 1);
    if (next === undefined) return;
    this.#inside.add(next.userId);
    next.begin();
  }
}

function allTaken(what: string): FlancoError {
  return new FlancoError("overloaded", `Other ${what} are under way.`, {
    hint: "Try again when one of them is done.",
  });
}
