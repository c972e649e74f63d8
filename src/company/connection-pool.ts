import { type Cancel, SECOND_MS, type Timers } from "../domain/clock.ts";
import { FlancoError } from "../domain/error.ts";
import { type Connection, drop, IDLE_MS, type Parameters, type PasswordOf } from "../notify/database.ts";
import { readSecret } from "../platform/secret-file.ts";

/** The most connections of one process. */
const MAX_CONNECTIONS = 8;
/** How many requests may wait for a connection, and how long each. */
const MAX_WAITING = 64;
const WAIT_MS = 5 * SECOND_MS;

/**
 * Reads passwords from a file in the format of PostgreSQL's own programs: lines
 * `host:port:database:user:password`, in which `*` matches anything, and a backslash
 * escapes a colon or a backslash. Throws `config`, and `invalid` where no line matches.
 */
export function passwordInPassFile(file: string): PasswordOf {
  return ({ host, port }, { database, user }) => {
    const wanted = [host, String(port), database, user];
    const hint = "It must hold a line host:port:database:user:password that fits; PGPASSFILE names it.";
    for (const line of readSecret(file).split(/\r?\n/)) {
      const fields = [...line.matchAll(/((?:\\.|[^:\\])*)(?::|$)/g)].map(([, field = ""]) =>
        field.replaceAll(/\\(.)/g, "$1"),
      );
      const [password] = fields.slice(wanted.length);
      if (!line.startsWith("#") && password !== undefined && password !== "") {
        if (wanted.every((value, index) => fields[index] === "*" || fields[index] === value)) return password;
      }
    }
    throw new FlancoError("invalid", `There is no password for ${user}@${host}:${port} in ${file}.`, {
      hint,
    });
  };
}

/** Runs a statement, in which `@company` is the company. */
export type CompanyQuery = <Row extends object>(sql: string, values?: Parameters) => Promise<Row[]>;

export function companyQuery(connection: Connection, company: number): CompanyQuery {
  return (sql, values) => connection.query(sql, { ...values, company });
}

/** A way to the database. */
export interface Database {
  /**
   * Runs something on a connection that nothing else uses
   * meanwhile. When it rejects, an open transaction is rolled back.
   */
  use<T>(run: (connection: Connection) => Promise<T>): Promise<T>;
}

interface IdleConnection {
  readonly connection: Connection;
  readonly cancel: Cancel;
}

interface WaitingCall {
  readonly begin: () => void;
  readonly cancel: Cancel;
}

/**
 * A few connections that requests share. The next request replaces
 * a failed connection, so that a failover needs nothing else.
 */
export class ConnectionPool implements Database {
  readonly #connect: () => Promise<Connection>;
  readonly #timers: Timers;
  #idle: IdleConnection[] = [];
  #inUse = 0;
  readonly #waiting: WaitingCall[] = [];

  constructor(connect: () => Promise<Connection>, timers: Timers) {
    this.#connect = connect;
    this.#timers = timers;
  }

  /** Rejects also with `overloaded`, where too many requests wait or this one waits too long. */
  async use<T>(run: (connection: Connection) => Promise<T>): Promise<T> {
    await this.#begin();
    try {
      const connection = this.#takeIdle() ?? (await this.#connect());
      try {
        const result = await run(connection);
        this.#keep(connection);
        return result;
      } catch (error) {
        drop(connection);
        // The idle connections may be dead too, which only their next statement would show.
        if (error instanceof FlancoError && error.code === "unavailable") this.#dropIdle();
        throw error;
      }
    } finally {
      this.#end();
    }
  }

  /** Call when nothing uses it. */
  close(): void {
    this.#dropIdle();
  }

  #takeIdle(): Connection | undefined {
    for (let one = this.#idle.pop(); one !== undefined; one = this.#idle.pop()) {
      one.cancel();
      if (!one.connection.ended) return one.connection;
    }
    return undefined;
  }

  #keep(connection: Connection): void {
    const cancel = this.#timers.after(IDLE_MS, () => {
      this.#idle = this.#idle.filter((one) => one.connection !== connection);
      drop(connection);
    });
    this.#idle.push({ connection, cancel });
  }

  #dropIdle(): void {
    for (const { connection, cancel } of this.#idle.splice(0)) {
      cancel();
      drop(connection);
    }
  }

  async #begin(): Promise<void> {
    if (this.#inUse < MAX_CONNECTIONS) {
      this.#inUse += 1;
      return;
    }
    if (this.#waiting.length >= MAX_WAITING) throw crowded();
    await new Promise<void>((begin, reject) => {
      const cancel = this.#timers.after(WAIT_MS, () => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        reject(crowded());
      });
      const waiting = { begin, cancel };
      this.#waiting.push(waiting);
    });
  }

  /** Gives a free place to the request that has waited longest. */
  #end(): void {
    const next = this.#waiting.shift();
    if (next === undefined) {
      this.#inUse -= 1;
      return;
    }
    next.cancel();
    next.begin();
  }
}

function crowded(): FlancoError {
  return new FlancoError("overloaded", "Too many requests wait for the company's database.", {
    hint: "Try again in a few seconds.",
    retryAfterSeconds: WAIT_MS / SECOND_MS,
  });
}
