import { expect } from "chai";
import { ConnectionPool } from "../../src/company/connection-pool.ts";
import type { Timers } from "../../src/domain/clock.ts";
import { FlancoError } from "../../src/domain/error.ts";
import type { Connection } from "../../src/notify/database.ts";
import { codeOf } from "../rig/rejection.ts";

/** Timers that end when the test says so. */
class HeldTimers implements Timers {
  readonly #pending = new Set<() => void>();

  after(_delayMs: number, callback: () => void): () => void {
    this.#pending.add(callback);
    return () => void this.#pending.delete(callback);
  }

  fire(): void {
    for (const callback of this.#pending) callback();
  }
}

describe("The connections to a company's database", () => {
  const made: { ended: boolean; closed: boolean }[] = [];
  const timers = new HeldTimers();
  let pool: ConnectionPool;

  beforeEach(() => {
    made.length = 0;
    pool = new ConnectionPool(async () => {
      const state = { ended: false, closed: false };
      made.push(state);
      const connection: Connection = {
        query: async () => [],
        get ended() {
          return state.ended;
        },
        close: async () => {
          state.closed = true;
        },
      };
      return connection;
    }, timers);
  });

  /** Takes a connection until it is released. */
  function hold(): { readonly done: Promise<void>; readonly release: () => void } {
    const { promise, resolve } = Promise.withResolvers<void>();
    return { done: pool.use(() => promise), release: resolve };
  }

  it("are shared by requests that come after each other", async () => {
    for (let count = 0; count < 5; count += 1) await pool.use(async () => {});
    expect(made).to.have.length(1);
  });

  it("are eight at most: a further request waits for the first that is released", async () => {
    const held = Array.from({ length: 8 }, hold);
    const order: string[] = [];
    const ninth = pool.use(async () => void order.push("ninth"));
    const tenth = pool.use(async () => void order.push("tenth"));
    await new Promise(setImmediate);
    expect(order).to.deep.equal([]);
    held[3]?.release();
    await Promise.all([ninth, tenth]);
    expect(order).to.deep.equal(["ninth", "tenth"]);
    expect(made).to.have.length(8);
    for (const { release } of held) release();
    await Promise.all(held.map(({ done }) => done));
  });

  it("are refused to a request that waited too long, or that finds too many waiting", async () => {
    const held = Array.from({ length: 8 }, hold);
    const waiting = Array.from({ length: 64 }, () => codeOf(() => pool.use(async () => {})));
    expect(await codeOf(() => pool.use(async () => {}))).to.equal("overloaded");
    timers.fire();
    expect(new Set(await Promise.all(waiting))).to.deep.equal(new Set(["overloaded"]));
    for (const { release } of held) release();
    await Promise.all(held.map(({ done }) => done));
    await pool.use(async () => {});
  });

  it("are given back after a minute without work", async () => {
    await pool.use(async () => {});
    timers.fire();
    expect(made.map(({ closed }) => closed)).to.deep.equal([true]);
    const held = hold();
    await new Promise(setImmediate);
    timers.fire();
    expect(made.map(({ closed }) => closed)).to.deep.equal([true, false]);
    held.release();
    await held.done;
  });

  it("are made anew after a failure, and where the database has ended them", async () => {
    const away = new FlancoError("unavailable", "The database gives no answer.");
    const both = [hold(), hold()];
    await new Promise(setImmediate);
    for (const { release } of both) release();
    await Promise.all(both.map(({ done }) => done));
    expect(await codeOf(() => pool.use(() => Promise.reject(away)))).to.equal("unavailable");
    expect(made.map(({ closed }) => closed)).to.deep.equal([true, true]);
    await pool.use(async () => {});
    expect(made).to.have.length(3);
    for (const state of made) state.ended = true;
    await pool.use(async () => {});
    expect(made).to.have.length(4);
    pool.close();
    expect(made[3]?.closed).to.equal(true);
  });
});
