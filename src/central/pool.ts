import { type Cancel, SECOND_MS, type Timers } from "../domain/clock.ts";
import { FlancoError } from "../domain/error.ts";
import type { Connection } from "./database.ts";

/** Connections of one process. */
const MAX_CONNECTIONS = 8;
/** Requests that wait for one, and for how long. */
const MAX_WAITING = 64;
const WAIT_MS = 5 * SECOND_MS;

/** A way to the database. */
export interface Database {
  /** Runs on a connection that nothing else uses meanwhile. What it leaves open when it rejects is undone. */
  use<T>(run: (connection: Connection) => Promise<T>): Promise<T>;
}

interface Waiting {
  readonly begin: () => void;
  readonly cancel: Cancel;
}

/** A few connections that requests share. One that failed is replaced with the next request, so that a failover needs no more. */
export class ConnectionPool implements Database {
  readonly #connect: () => Promise<Connection>;
  readonly #timers: Timers;
  #idle: Connection[] = [];
  #inUse = 0;
  readonly #waiting: Waiting[] = [];

  constructor(connect: () => Promise<Connection>, timers: Timers) {
    this.#connect = connect;
    this.#timers = timers;
  }

  /** Rejects with `overloaded` too, where too many wait or one waits too long. */
  async use<T>(run: (connection: Connection) => Promise<T>): Promise<T> {
    await this.#begin();
    try {
      const connection = this.#takeIdle() ?? (await this.#connect());
      try {
        const result = await run(connection);
        this.#idle.push(connection);
        return result;
      } catch (error) {
        drop(connection);
        // The others may be as dead, and say so only when they are asked.
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
    for (let one = this.#idle.pop(); one !== undefined; one = this.#idle.pop()) if (!one.ended) return one;
    return undefined;
  }

  #dropIdle(): void {
    for (const connection of this.#idle.splice(0)) drop(connection);
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

  /** Gives the place to the one that has waited longest. */
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

/** Not waited for: over a network that is gone, it would take as long as the network. */
function drop(connection: Connection): void {
  connection.close().catch(() => {});
}

function crowded(): FlancoError {
  return new FlancoError("overloaded", "Too many requests wait for the company's database.", {
    hint: "Try again in a few seconds.",
    retryAfterSeconds: WAIT_MS / SECOND_MS,
  });
}
