import DatabaseConstructor, { type Statement } from "better-sqlite3";

/** A text in quotes, or a parameter of a statement. */
const TEXT_OR_PARAMETER = /'[^']*'|[?:@]\w*/g;

/**
 * A connection that plans each statement once, at its first run.
 *
 * SQLite plans a statement again when a parameter is bound that its plan may depend on
 * (sqlite.org/c3ref/prepare.html), and better-sqlite3 binds at each run: most statements took longer
 * to plan than to run. With a plus before it a parameter keeps its value, and no plan depends on it.
 *
 * To plan all statements at the start would take 10 ms and 2 MB,
 * for some three hundred of which a quiet gateway runs a quarter.
 */
export class LedgerConnection extends DatabaseConstructor {
  override prepare<B extends unknown[] | object = unknown[], R = unknown>(sql: string) {
    const planned = sql.replace(TEXT_OR_PARAMETER, (part) => (part.startsWith("'") ? part : `+${part}`));
    const late: unknown = new LateStatement(() => super.prepare(planned));
    return late as ReturnType<typeof DatabaseConstructor.prototype.prepare<B, R>>;
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

/** The part of better-sqlite3's statements that is used here. A mistake in its SQL is thrown by its first run. */
class LateStatement implements Pick<Statement<unknown[]>, "run" | "get" | "all" | "iterate"> {
  readonly #prepare: () => Statement<unknown[]>;
  readonly #modes: ((statement: Statement<unknown[]>) => unknown)[] = [];
  #statement: Statement<unknown[]> | undefined;

  constructor(prepare: () => Statement<unknown[]>) {
    this.#prepare = prepare;
  }

  run(...parameters: unknown[]) {
    return this.#prepared().run(...parameters);
  }

  get(...parameters: unknown[]) {
    return this.#prepared().get(...parameters);
  }

  all(...parameters: unknown[]) {
    return this.#prepared().all(...parameters);
  }

  iterate(...parameters: unknown[]) {
    return this.#prepared().iterate(...parameters);
  }

  pluck(): this {
    return this.#with((statement) => statement.pluck());
  }

  raw(): this {
    return this.#with((statement) => statement.raw());
  }

  safeIntegers(): this {
    return this.#with((statement) => statement.safeIntegers());
  }

  #with(mode: (statement: Statement<unknown[]>) => unknown): this {
    this.#modes.push(mode);
    return this;
  }

  #prepared(): Statement<unknown[]> {
    if (this.#statement === undefined) {
      this.#statement = this.#prepare();
      for (const mode of this.#modes) mode(this.#statement);
    }
    return this.#statement;
  }
}
