import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { compareSync, hashSync } from "bcryptjs";
import { expect } from "chai";
import type { PasswordHasher } from "../../src/domain/password.ts";
import { Appliance, type ApplianceOptions, PASSWORD } from "./appliance.ts";
import { LoopHolds } from "./loop-holds.ts";
import type { CrowdAnswer, CrowdTask } from "./sign-in-crowd.ts";

const CROWD = 40;
/** bcrypt of cost 10 takes tens of milliseconds on any machine: the loop was not held when it was less. */
const MIN_COMPARISON_MS = 10;

/** The control: what the real hasher does in its thread, on the one that serves. */
const onTheServingThread: PasswordHasher = {
  hash: async (password) => hashSync(password, 10),
  matches: async (password, hash) => hash !== null && compareSync(password, hash),
};

/** Has people sign in at once, and others ask something meanwhile. Gives the longest hold of the serving loop in ms. */
async function crowd(
  appliance: Appliance,
  count: number,
): Promise<CrowdAnswer & { readonly longestMs: number }> {
  const { email, cookie } = await appliance.addUser();
  const task: CrowdTask = { port: appliance.port, email, password: PASSWORD, cookie, count };
  const holds = new LoopHolds();
  holds.open();
  try {
    const worker = new Worker(new URL("./sign-in-crowd.ts", import.meta.url), { workerData: task });
    const [answer] = (await once(worker, "message")) as [CrowdAnswer];
    return { ...answer, longestMs: holds.longestMs };
  } finally {
    holds.close();
  }
}

describe(`${CROWD} people who sign in at once`, function () {
  this.timeout(120_000);

  /** Signs so many in and gives the longest hold of the serving loop, in ms. */
  async function longestHold(count: number, options?: ApplianceOptions): Promise<number> {
    const appliance = await Appliance.open(options);
    try {
      // What runs for the first time is compiled while it runs.
      await crowd(appliance, 4);
      const { loginStatuses, otherStatuses, longestMs } = await crowd(appliance, count);
      expect(loginStatuses).to.deep.equal(Array(count).fill(200));
      expect(new Set(otherStatuses)).to.deep.equal(new Set([200]));
      return longestMs;
    } finally {
      await appliance.close();
    }
  }

  it("all get in, and keep nobody else waiting for even half of one comparison", async () => {
    // The control: one comparison on the thread that serves is one hold.
    const oneComparisonMs = await longestHold(1, { passwords: onTheServingThread });
    expect(oneComparisonMs, "the control holds the loop").to.be.above(MIN_COMPARISON_MS);
    expect(await longestHold(CROWD)).to.be.below(oneComparisonMs / 2);
  });
});
