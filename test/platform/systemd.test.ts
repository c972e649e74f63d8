import { closeSync, fstatSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { expect } from "chai";
import { connectSystemd, feedWatchdog, passedDescriptors, watchdogMs } from "../../src/platform/systemd.ts";
import { KeptLog } from "../http/fakes.ts";
import { forEachTest } from "../rig/standing.ts";
import { TemporaryDirectory } from "../rig/temporary-directory.ts";
import { until } from "../rig/until.ts";
import { type Message, NotifySocket } from "./notify-socket.ts";

const PID = 4711;

describe("systemd, through its socket", () => {
  const socket = forEachTest(() => new NotifySocket());
  const log = forEachTest(() => new KeptLog());
  const systemd = forEachTest(async () => {
    const connected = await connectSystemd(
      {
        NOTIFY_SOCKET: socket.path,
        WATCHDOG_USEC: "10000000",
        WATCHDOG_PID: String(process.pid),
      },
      process.pid,
      log,
    );
    return connected ?? expect.fail(`libc did not load: ${log.warnings}`);
  });

  it("receives each message, with one assignment per line", () => {
    systemd.starting("Adding up\nREADY=1");
    systemd.ready("Watching 8 of 8 wired lines.");
    systemd.status("Watching 7 of 8 wired lines.");
    systemd.alive();
    systemd.stopping();
    expect(socket.receiveAll().map(({ lines }) => lines)).to.deep.equal([
      ["STATUS=Adding up READY=1", "EXTEND_TIMEOUT_USEC=60000000"],
      ["STATUS=Watching 8 of 8 wired lines.", "READY=1"],
      ["STATUS=Watching 7 of 8 wired lines."],
      ["WATCHDOG=1"],
      ["STOPPING=1"],
    ]);
  });

  it("receives duplicates of descriptors by name, and the message to drop them", () => {
    using directory = new TemporaryDirectory();
    const fds = ["first", "second"].map((text) => {
      writeFileSync(directory.file(text), text);
      return openSync(directory.file(text), "r");
    });
    systemd.keep("line/GPIO17", fds);
    for (const fd of fds) closeSync(fd);
    const message = socket.receive();
    expect(message?.lines).to.deep.equal(["FDSTORE=1", "FDNAME=line/GPIO17"]);
    const texts = message?.descriptors.map((fd) => readFileSync(fd, "utf8"));
    for (const fd of message?.descriptors ?? []) closeSync(fd);
    expect(texts).to.deep.equal(["first", "second"]);
    systemd.forget("line/GPIO17");
    expect(socket.receive()?.lines).to.deep.equal(["FDSTOREREMOVE=1", "FDNAME=line/GPIO17"]);
  });

  it("is never waited for while it takes nothing; what it must know comes later, with descriptors that were closed", async () => {
    const fd = openSync("/dev/null", "r");
    // The kernel holds some ten messages, or some hundred.
    for (let sent = 0; sent < 2_000; sent += 1) systemd.alive();
    systemd.keep("line/GPIO17", [fd]);
    closeSync(fd);
    systemd.forget("line/GPIO27");
    systemd.status("left out");
    const received: Message[] = [];
    await until("both are there", () => {
      received.push(...socket.receiveAll());
      return received.some(({ lines }) => lines.includes("FDSTOREREMOVE=1"));
    });
    const [kept, ...others] = received.filter(({ lines }) => !lines.includes("WATCHDOG=1"));
    expect(kept?.lines).to.deep.equal(["FDSTORE=1", "FDNAME=line/GPIO17"]);
    expect(kept?.descriptors.map((one) => fstatSync(one).rdev)).to.deep.equal([statSync("/dev/null").rdev]);
    for (const one of kept?.descriptors ?? []) closeSync(one);
    expect(others.map(({ lines }) => lines)).to.deep.equal([["FDSTOREREMOVE=1", "FDNAME=line/GPIO27"]]);
    systemd.alive();
    expect(socket.receive()?.lines).to.deep.equal(["WATCHDOG=1"]);
    expect(log.warnings).to.deep.equal([]);
  });

  it("returns the stored descriptors once, and the watchdog's time", () => {
    expect(systemd.watchdogMs).to.equal(10_000);
    expect([...systemd.take()]).to.deep.equal([]);
  });

  it("does not stop the service when it cannot be notified", () => {
    rmSync(socket.path);
    systemd.alive();
    expect(log.warnings).to.deep.equal(["systemd could not be notified"]);
  });

  it("is undefined where it did not start the process", async () => {
    expect(await connectSystemd({}, process.pid, log)).to.equal(undefined);
  });
});

describe("The environment that systemd sets", () => {
  it("names the passed descriptors, of which several can have one name", () => {
    const passed = passedDescriptors(
      { LISTEN_PID: "4711", LISTEN_FDS: "4", LISTEN_FDNAMES: "line/a:line/b:line/a:stored" },
      PID,
    );
    expect([...passed]).to.deep.equal([
      ["line/a", [3, 5]],
      ["line/b", [4]],
      ["stored", [6]],
    ]);
  });

  it("is ignored when it names another process, and may be empty", () => {
    expect([passedDescriptors({}, PID).size, watchdogMs({}, PID)]).to.deep.equal([0, null]);
    const passed = passedDescriptors({ LISTEN_PID: "4712", LISTEN_FDS: "1", LISTEN_FDNAMES: "a" }, PID);
    expect(passed.size).to.equal(0);
    expect(watchdogMs({ WATCHDOG_PID: "4712", WATCHDOG_USEC: "1000" }, PID)).to.equal(null);
  });

  it("may omit names", () => {
    expect([...passedDescriptors({ LISTEN_PID: "4711", LISTEN_FDS: "1" }, PID)]).to.deep.equal([["", [3]]]);
  });

  it("gives the watchdog's time, for any process or for this one", () => {
    expect(watchdogMs({ WATCHDOG_USEC: "10000000" }, PID)).to.equal(10_000);
    expect(watchdogMs({ WATCHDOG_USEC: "500", WATCHDOG_PID: "4711" }, PID)).to.equal(0.5);
  });
});

/** What the watchdog waits at most for a sign of life. */
const LIMIT_MS = 20;

describe("The watchdog", () => {
  const alive = (): void => {
    signs += 1;
  };
  let signs: number;
  let proofs: number;
  let end: () => void;

  function start(probe: () => Promise<void>, onSilence: (error: unknown) => void = () => {}): void {
    signs = 0;
    proofs = 0;
    end = feedWatchdog({
      systemd: { alive },
      limitMs: LIMIT_MS,
      probe: () => {
        proofs += 1;
        return probe();
      },
      onSilence,
    });
  }

  afterEach(() => end());

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
    end();
    prove();
    await new Promise((resolve) => setImmediate(resolve));
    expect(signs).to.equal(0);
  });
});
