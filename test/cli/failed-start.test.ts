import { once } from "node:events";
import { createServer } from "node:net";
import { expect } from "chai";
import { NotifySocket } from "../systemd/notify-socket.ts";
import { Appliance, PROCESS_TEST_MS, until } from "./program.ts";

/** What it waits, less what a timer may be early. */
const WAIT_MS = 4_900;

describe("A start that fails", function () {
  this.timeout(PROCESS_TEST_MS);
  let appliance: Appliance;

  beforeEach(async () => {
    appliance = await Appliance.make();
  });
  afterEach(() => appliance.close());

  /** Starts on a port that is taken; gives how long the process lived on after it had said so. */
  async function livedOnMs(environment: Readonly<Record<string, string>>): Promise<number> {
    const taken = createServer().listen(appliance.httpPort, "127.0.0.1");
    await once(taken, "listening");
    try {
      const child = appliance.spawn(["serve"], { environment });
      let said = "";
      child.stderr?.on("data", (chunk) => (said += chunk));
      const closed = once(child, "close");
      await until("it says what is wrong", () => said.includes("in use"));
      const saidMs = performance.now();
      expect((await closed)[0]).to.equal(1);
      return performance.now() - saidMs;
    } finally {
      taken.close();
    }
  }

  it("waits under systemd, which starts it again at once, so that there is no storm of starts", async () => {
    const systemd = new NotifySocket();
    try {
      expect(await livedOnMs({ NOTIFY_SOCKET: systemd.path })).to.be.above(WAIT_MS);
    } finally {
      systemd.close();
    }
  });

  it("ends at once where nobody starts it again", async () => {
    expect(await livedOnMs({})).to.be.below(WAIT_MS);
  });
});
