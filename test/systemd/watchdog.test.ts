import { expect } from "chai";
import { Watchdog } from "../../src/systemd/systemd.ts";
import { until } from "../rig/until.ts";

const LIMIT_MS = 20;

describe("The watchdog", () => {
  const alive = (): void => {
    signs += 1;
  };
  let signs: number;
  let proofs: number;
  let watchdog: Watchdog;

  function start(probe: () => Promise<void>, onSilence: (error: unknown) => void = () => {}): void {
    signs = 0;
    proofs = 0;
    watchdog = new Watchdog({
      systemd: { alive },
      limitMs: LIMIT_MS,
      probe: () => {
        proofs += 1;
        return probe();
      },
      onSilence,
    });
    watchdog.open();
  }

  afterEach(() => watchdog.close());

  it("gives signs of life, one for each proof that the service works", async () => {
    const began = performance.now();
    start(async () => {});
    await until("signs of life", () => signs >= 10);
    expect(signs).to.equal(proofs);
    // Twice within the limit, and not in a busy loop either.
    expect(performance.now() - began).to.be.at.least((9 * LIMIT_MS) / 2 - LIMIT_MS);
  });

  it("is silent while the proof does not come, asks no second time, and goes on when it does", async () => {
    const { promise, resolve: prove } = Promise.withResolvers<void>();
    start(() => promise);
    const began = performance.now();
    await until("signs of life", () => performance.now() > began + 5 * LIMIT_MS);
    expect([signs, proofs]).to.deep.equal([0, 1]);
    prove();
    await until("signs of life", () => signs >= 2);
  });

  it("is silent, and says why, when the service proves that it does not work", async () => {
    const errors: unknown[] = [];
    start(
      () => Promise.reject(new Error("the disk")),
      (error) => errors.push(error),
    );
    await until("signs of life", () => errors.length >= 3);
    expect(signs).to.equal(0);
  });

  it("is silent after its end, also for a proof that comes late", async () => {
    const { promise, resolve: prove } = Promise.withResolvers<void>();
    start(() => promise);
    watchdog.close();
    prove();
    await new Promise((resolve) => setImmediate(resolve));
    expect(signs).to.equal(0);
  });
});
