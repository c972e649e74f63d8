import type { BootMoment } from "../domain/boot.ts";
import type { LedgerWriter } from "../domain/ledger.ts";
import type { Log } from "../domain/log.ts";

/** A line that was unwatched for less than this has missed nothing: nobody switches a relay on and off faster. */
const UNNOTICED_MS = 250;

export interface UnwatchedDependencies {
  /** What the last process stored, by line. */
  readonly known: ReadonlyMap<string, BootMoment>;
  readonly writer: Pick<LedgerWriter, "noteUnwatched" | "keepUnwatched">;
  readonly log: Pick<Log, "warn">;
  readonly now: () => BootMoment;
}

/** Since when each wired line is not watched, across any number of processes. */
export class UnwatchedLines {
  readonly #dependencies: UnwatchedDependencies;
  /**
   * By line; null while it is watched. For a line that this process has not tried yet, as the
   * last process stored it; none for a line that is new, of which nothing could be missed.
   */
  readonly #since: Map<string, BootMoment | null>;

  constructor(dependencies: UnwatchedDependencies) {
    this.#dependencies = dependencies;
    this.#since = new Map(dependencies.known);
  }

  /**
   * Stores since when these lines, all that are wired, are not watched: since the last sign
   * of life of an earlier process, unless that has stored more. Call it before any of them is.
   */
  begin(lines: readonly string[], lastAlive: BootMoment): void {
    for (const line of lines) if (!this.#since.has(line)) this.#since.set(line, lastAlive);
    this.#store(this.#dependencies.writer.keepUnwatched(), lines);
  }

  /** Since when a line is not watched; undefined for one that was never watched, or is watched. */
  since(line: string): BootMoment | undefined {
    return this.#since.get(line) ?? undefined;
  }

  /** Whether a line has been unwatched for so short a time that it has missed nothing. */
  isUnnoticed(line: string): boolean {
    const since = this.since(line);
    return since !== undefined && this.#dependencies.now().monotonicMs - since.monotonicMs < UNNOTICED_MS;
  }

  /** Call when a line's watch has ended, or could not begin. `since`: from when on it was of no use. */
  ended(line: string, since = this.#dependencies.now()): void {
    if (this.#since.get(line) !== null) return;
    this.#since.set(line, since);
    this.#note(line, since);
  }

  /**
   * Call when a line's watch has begun. `isReported`: a sighting
   * carries `unwatchedSince`, with which the ledger ends the gap.
   */
  began(line: string, isReported: boolean): void {
    const before = this.#since.get(line);
    this.#since.set(line, null);
    if (!isReported && before != null) this.#note(line, null);
  }

  /** Forgets lines that are not wired, as the ledger does. */
  retain(isWired: (line: string) => boolean): void {
    for (const line of this.#since.keys()) if (!isWired(line)) this.#since.delete(line);
  }

  #note(line: string, since: BootMoment | null): void {
    this.#store(this.#dependencies.writer.noteUnwatched(line, since), [line]);
  }

  #store(stored: Promise<void>, lines: readonly string[]): void {
    const { log } = this.#dependencies;
    stored.catch((err: unknown) =>
      log.warn({ err, lines }, "since when these lines are not watched is not stored"),
    );
  }
}
