import type { BootMoment } from "../domain/boot.ts";

/** Holds, for the process after this one, since when lines are not watched. */
export interface UnwatchedKeeper {
  /** What the process before has left; empty where it left nothing. */
  read(): ReadonlyMap<string, BootMoment>;
  /** Never throws; may take a while to become durable. */
  write(lines: ReadonlyMap<string, BootMoment>): void;
}

export interface UnwatchedDependencies {
  readonly keeper: UnwatchedKeeper;
  /** The last moment at which a process before this one is known to have run; undefined: none ever did. */
  readonly lastAlive: BootMoment | undefined;
  readonly now: () => BootMoment;
}

/**
 * Since when each wired line is not watched: from its loss, over as many processes as come and go meanwhile, to the
 * moment at which one watches it again.
 */
export class UnwatchedLines {
  readonly #dependencies: UnwatchedDependencies;
  /** By line; null while it is watched. Lines that this process has not tried are as the one before has left them. */
  readonly #since: Map<string, BootMoment | null>;

  constructor(dependencies: UnwatchedDependencies) {
    this.#dependencies = dependencies;
    this.#since = new Map(dependencies.keeper.read());
  }

  /** Since when a line that is watched from now on was not; undefined where it never was. */
  since(line: string): BootMoment | undefined {
    const since = this.#since.get(line);
    return since === undefined ? this.#dependencies.lastAlive : (since ?? undefined);
  }

  /** Nobody watches the line any more, or nobody could begin to. */
  note(line: string): void {
    const known = this.#since.get(line);
    if (known !== null && known !== undefined) return;
    const { lastAlive, now } = this.#dependencies;
    const since = known === null ? now() : lastAlive;
    if (since === undefined) return;
    this.#since.set(line, since);
    this.#keep();
  }

  /** The line is watched from here on, and the time before is on its way to the ledger. */
  watched(line: string): void {
    const before = this.#since.get(line);
    this.#since.set(line, null);
    if (before !== null && before !== undefined) this.#keep();
  }

  /** Forgets lines that are wired no more. */
  retain(isWired: (line: string) => boolean): void {
    const gone = [...this.#since].filter(([line]) => !isWired(line));
    for (const [line] of gone) this.#since.delete(line);
    if (gone.some(([, since]) => since !== null)) this.#keep();
  }

  #keep(): void {
    this.#dependencies.keeper.write(
      new Map([...this.#since].flatMap(([line, since]) => (since === null ? [] : [[line, since]]))),
    );
  }
}
