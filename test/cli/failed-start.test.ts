import { once } from "node:events";
import { createServer } from "node:net";
import { expect } from "chai";
import { PROCESS_TEST_MS, Program } from "../rig/program.ts";
import { NotifySocket } from "../systemd/notify-socket.ts";

/** What it waits, less what a timer may be early. */
const WAIT_MS = 4_900;
/** What it writes in its log before it waits. */
const WAITS = "it waits, then ends";

describe("A start that fails", function () {
  this.timeout(PROCESS_TEST_MS);
  let appliance: Program;
  let systemd: NotifySocket;

  beforeEach(async () => {
    appliance = await Program.make();
    systemd = new NotifySocket();
  });
  afterEach(async () => {
    systemd.close();
    await appliance.close();
  });

  it("waits under systemd, which starts it again at once, so that there is no storm of starts", async () => {
    const taken = createServer().listen(appliance.httpPort, "127.0.0.1");
    await once(taken, "listening");
    const { exitCode, stderr } = await appliance.run(["serve"], {
      environment: { NOTIFY_SOCKET: systemd.path },
    });
    const endedMs = Date.now();
    taken.close();
    expect(exitCode, stderr).to.equal(1);
    expect(stderr).to.contain("in use");
    // From the moment that it wrote itself: a busy test hears of it later.
    const said = stderr.split("\n").find((line) => line.includes(WAITS)) ?? "";
    const { time } = JSON.parse(said) as { time: number };
    expect(endedMs - time).to.be.above(WAIT_MS);
  });
});
