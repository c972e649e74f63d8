import { once } from "node:events";
import { createServer } from "node:net";
import { expect } from "chai";
import { PROCESS_TEST_MS, Program } from "../rig/program.ts";
import { NotifySocket } from "../systemd/notify-socket.ts";

/** What it waits, less what a timer may be early. */
const WAIT_MS = 4_900;
/** What it writes in its log before it waits. */
const WAITS = "it waits, then ends";

interface Failed {
  readonly stderr: string;
  /** When it was gone, in Unix milliseconds. */
  readonly endedMs: number;
  /** How long it was there after the test had heard what is wrong. */
  readonly livedOnMs: number;
}

describe("A start that fails", function () {
  this.timeout(PROCESS_TEST_MS);
  let appliance: Program;

  beforeEach(async () => {
    appliance = await Program.make();
  });
  afterEach(() => appliance.close());

  /** Starts on a port that is taken. */
  async function failedStart(environment: Readonly<Record<string, string>>): Promise<Failed> {
    const taken = createServer().listen(appliance.httpPort, "127.0.0.1");
    await once(taken, "listening");
    try {
      const child = appliance.spawn(["serve"], { environment });
      let stderr = "";
      let heardMs = Number.NaN;
      child.stderr?.on("data", (chunk) => {
        if (!stderr.includes("in use")) heardMs = performance.now();
        stderr += chunk;
      });
      const [exitCode] = await once(child, "close");
      expect(exitCode, stderr).to.equal(1);
      expect(stderr).to.contain("in use");
      return { stderr, endedMs: Date.now(), livedOnMs: performance.now() - heardMs };
    } finally {
      taken.close();
    }
  }

  it("waits under systemd, which starts it again at once, so that there is no storm of starts", async () => {
    const systemd = new NotifySocket();
    try {
      const { stderr, endedMs } = await failedStart({ NOTIFY_SOCKET: systemd.path });
      // From the moment that it wrote itself: a busy test hears of it later.
      const said = stderr.split("\n").find((line) => line.includes(WAITS)) ?? "";
      const { time } = JSON.parse(said) as { time: number };
      expect(endedMs - time).to.be.above(WAIT_MS);
    } finally {
      systemd.close();
    }
  });

  it("ends at once where no systemd starts it again", async () => {
    const { stderr, livedOnMs } = await failedStart({});
    expect(stderr).to.not.contain(WAITS);
    expect(livedOnMs).to.be.below(WAIT_MS);
  });
});
