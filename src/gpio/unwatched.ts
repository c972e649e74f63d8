import type { BootMoment } from "../domain/boot.ts";

/** A line that was unwatched for less than this has missed nothing: a relay switches more slowly. */
const UNNOTICED_MS = 100;

export interface UnwatchedDependencies {
  /** What the last process stored, by line. */
  readonly known: ReadonlyMap<string, BootMoment>;
  /** Stores since when a line is not watched, or null. Never throws. */
  readonly note: (line: string, since: BootMoment | null) => void;
  /** The last moment at which an earlier process is known to have run; undefined where there was none. */
  readonly lastAlive: BootMoment | undefined;
  readonly now: () => BootMoment;
}

/** Since when each wired line is not watched, across any number of processes. */
export class UnwatchedLines {
  readonly #dependencies: UnwatchedDependencies;
  /**
   * By line; null while it is watched. For a line that this
   * process has not tried yet, as the last process stored it.
   */
  readonly #since: Map<string, BootMoment | null>;

  constructor(dependencies: UnwatchedDependencies) {
    this.#dependencies = dependencies;
    this.#since = new Map(dependencies.known);
  }

  /** Since when a line is not watched; undefined for one that was never watched, or is watched. */
  since(line: string): BootMoment | undefined {
    const since = this.#since.get(line);
    return since === undefined ? this.#dependencies.lastAlive : (since ?? undefined);
  }

  /** Whether a line has been unwatched for so short a time that it has missed nothing. */
  isUnnoticed(line: string): boolean {
    const since = this.since(line);
    return since !== undefined && this.#dependencies.now().monotonicMs - since.monotonicMs < UNNOTICED_MS;
  }

  /** Call when a line's watch has ended, or could not begin. */
  ended(line: string): void {
    const known = this.#since.get(line);
    if (known !== null && known !== undefined) return;
    const { lastAlive, now, note } = this.#dependencies;
    const since = known === null ? now() : lastAlive;
    if (since === undefined) return;
    this.#since.set(line, since);
    note(line, since);
  }

  /**
   * Call when a line's watch has begun. `isReported`: a sighting
   * carries `unwatchedSince`, with which the ledger ends the gap.
   */
  began(line: string, isReported: boolean): void {
    const before = this.#since.get(line);
    this.#since.set(line, null);
    if (!isReported && before !== null && before !== undefined) this.#dependencies.note(line, null);
  }

  /** Forgets lines that are not wired, as the ledger does. */
  retain(isWired: (line: string) => boolean): void {
    for (const line of this.#since.keys()) if (!isWired(line)) this.#since.delete(line);
  }
}
