import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { compareSync, hashSync } from "bcryptjs";
import { expect } from "chai";
import type { PasswordHasher } from "../../src/domain/password.ts";
import { Appliance, PASSWORD } from "./appliance.ts";
import { LoopHolds } from "./loop-holds.ts";
import type { CrowdAnswer, CrowdTask } from "./sign-in-crowd.ts";

const CROWD = 40;
/** What signing in may delay any other request by. */
const MAX_HOLD_MS = 20;

/** The control: what the real hasher does in its thread, on the one that serves. */
const onTheServingThread: PasswordHasher = {
  hash: async (password) => hashSync(password, 10),
  matches: async (password, hash) => hash !== null && compareSync(password, hash),
};

/** Has people sign in at once, and others ask something meanwhile. Gives the longest hold of the serving loop in ms. */
async function crowd(
  appliance: Appliance,
  count = CROWD,
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
  this.timeout(60_000);

  // The collector of garbage may take its time on a busy machine; comparing passwords takes it every time.
  this.retries(2);

  it(`all get in, and keep nobody else waiting for more than ${MAX_HOLD_MS} ms`, async () => {
    const appliance = await Appliance.open();
    try {
      // What runs for the first time is compiled while it runs.
      await crowd(appliance, 4);
      const { loginStatuses, otherStatuses, longestMs } = await crowd(appliance);
      expect(loginStatuses).to.deep.equal(Array(CROWD).fill(200));
      expect(new Set(otherStatuses)).to.deep.equal(new Set([200]));
      expect(otherStatuses.length).to.be.above(CROWD);
      expect(longestMs).to.be.at.most(MAX_HOLD_MS);
    } finally {
      await appliance.close();
    }
  });

  it("would keep them waiting if passwords were compared on the thread that serves", async () => {
    const appliance = await Appliance.open({ passwords: onTheServingThread });
    try {
      const { loginStatuses, longestMs } = await crowd(appliance);
      expect(loginStatuses).to.deep.equal(Array(CROWD).fill(200));
      expect(longestMs).to.be.above(MAX_HOLD_MS);
    } finally {
      await appliance.close();
    }
  });
});
