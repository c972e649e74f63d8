import { FlancoError } from "./error.ts";
import type { Id } from "./id.ts";
import type { Role } from "./member.ts";

/** The member of an account for whom a job is done. */
export interface Asker {
  readonly userId: Id;
  readonly memberId: Id;
  readonly role: Role;
}

/** How many jobs may run at once, and how many of one member may wait for their turn. */
export interface SlotBounds {
  /** What the jobs are, for the text of a refusal: `exports`. */
  readonly what: string;
  readonly inAll: number;
  /** One where it is left out. More are of one member each. */
  readonly ofAccount?: number;
  readonly waitingOfMember: number;
}

interface WaitingJob {
  readonly asker: Asker;
  readonly begin: () => void;
}

/**
 * Slots for long jobs: some for each account and a bounded number in all. Accounts take turns, so that none shuts
 * others out. Within an account owners come first, and then members by turns, so that no member shuts others out.
 */
export class JobSlots {
  readonly #bounds: SlotBounds;
  readonly #inside = new Set<Asker>();
  /** In the order of their turns. */
  #waiting: readonly WaitingJob[] = [];

  constructor(bounds: SlotBounds) {
    this.#bounds = bounds;
  }

  /**
   * Resolves with the function that frees the slot, once this member
   * has one. Throws `overloaded` when too many of the member's wait.
   */
  async take({ userId, memberId, role }: Asker): Promise<() => void> {
    // Of its own, because one member may have several jobs.
    const asker = { userId, memberId, role };
    if (this.#hasRoom(asker)) {
      this.#inside.add(asker);
    } else {
      const ahead = this.#waiting.filter((other) => other.asker.memberId === memberId).length;
      if (ahead >= this.#bounds.waitingOfMember) throw allTaken(this.#bounds.what);
      await new Promise<void>((begin) => {
        this.#waiting = [...this.#waiting, { asker, begin }];
      });
    }
    return () => {
      if (this.#inside.delete(asker)) this.#giveWay(asker);
    };
  }

  #hasRoom({ userId, memberId }: Asker): boolean {
    const { inAll, ofAccount = 1 } = this.#bounds;
    const own = [...this.#inside].filter((other) => other.userId === userId);
    return (
      this.#inside.size < inAll && own.length < ofAccount && own.every((other) => other.memberId !== memberId)
    );
  }

  #giveWay({ userId, memberId }: Asker): void {
    const nearness = ({ asker }: WaitingJob) =>
      Number(asker.userId === userId) + Number(asker.memberId === memberId);
    this.#waiting = this.#waiting.toSorted((one, other) => nearness(one) - nearness(other));
    const ready = this.#waiting.filter(({ asker }) => this.#hasRoom(asker));
    const [first] = ready;
    if (first === undefined) return;
    const next =
      ready.find(({ asker }) => asker.role === "owner" && asker.userId === first.asker.userId) ?? first;
    this.#waiting = this.#waiting.filter((one) => one !== next);
    this.#inside.add(next.asker);
    next.begin();
  }
}

function allTaken(what: string): FlancoError {
  return new FlancoError("overloaded", `Other ${what} are under way.`, {
    hint: "Try again when one of them is done.",
  });
}
