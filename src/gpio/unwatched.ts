import type { BootMoment } from "../domain/boot.ts";

/** Stores since when lines are not watched, for the next process. */
export interface UnwatchedKeeper {
  /** What the last process stored, by line; empty where it stored nothing. */
  read(): ReadonlyMap<string, BootMoment>;
  /** Never throws. Becomes durable some time after the call. */
  write(lines: ReadonlyMap<string, BootMoment>): void;
}

export interface UnwatchedDependencies {
  readonly keeper: UnwatchedKeeper;
  /** The last moment at which an earlier process is known to have run; undefined where there was none. */
  readonly lastAlive: BootMoment | undefined;
  readonly now: () => BootMoment;
}

/** Since when each wired line is not watched, across any number of processes. */
export class UnwatchedLines {
  readonly #dependencies: UnwatchedDependencies;
  /** By line; null while it is watched. A line that this process has not tried yet is as the last process left it. */
  readonly #since: Map<string, BootMoment | null>;

  constructor(dependencies: UnwatchedDependencies) {
    this.#dependencies = dependencies;
    this.#since = new Map(dependencies.keeper.read());
  }

  /** Since when a line was not watched; undefined for a line that was never watched, or is. */
  since(line: string): BootMoment | undefined {
    const since = this.#since.get(line);
    return since === undefined ? this.#dependencies.lastAlive : (since ?? undefined);
  }

  /** To be called when a line's watch has ended, or could not begin. */
  ended(line: string): void {
    const known = this.#since.get(line);
    if (known !== null && known !== undefined) return;
    const { lastAlive, now } = this.#dependencies;
    const since = known === null ? now() : lastAlive;
    if (since === undefined) return;
    this.#since.set(line, since);
    this.#write();
  }

  /** To be called when a line's watch has begun, and the time before has been reported. */
  began(line: string): void {
    const before = this.#since.get(line);
    this.#since.set(line, null);
    if (before !== null && before !== undefined) this.#write();
  }

  /** Forgets lines that are not wired. */
  retain(isWired: (line: string) => boolean): void {
    const gone = [...this.#since].filter(([line]) => !isWired(line));
    for (const [line] of gone) this.#since.delete(line);
    if (gone.some(([, since]) => since !== null)) this.#write();
  }

  #write(): void {
    this.#dependencies.keeper.write(
      new Map([...this.#since].flatMap(([line, since]) => (since === null ? [] : [[line, since]]))),
    );
  }
}
