import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import type { Log } from "../../src/domain/log.ts";
import { connectSystemd, type Systemd } from "../../src/systemd/connect.ts";
import { NotifySocket } from "./notify-socket.ts";

describe("systemd, through its own library", () => {
  let socket: NotifySocket;
  let systemd: Systemd;
  let warnings: string[];
  const log: Log = {
    debug: () => {},
    info: () => {},
    warn: (_fields, message) => warnings.push(message),
    error: () => {},
  };

  beforeEach(async () => {
    warnings = [];
    socket = new NotifySocket();
    // The library asks the C environment, which Node's is.
    process.env["NOTIFY_SOCKET"] = socket.path;
    const connected = await connectSystemd(
      { NOTIFY_SOCKET: socket.path, WATCHDOG_USEC: "10000000", WATCHDOG_PID: String(process.pid) },
      process.pid,
      log,
    );
    if (connected === undefined) throw new Error(`libsystemd did not load: ${warnings}`);
    systemd = connected;
  });

  afterEach(() => {
    delete process.env["NOTIFY_SOCKET"];
    socket.close();
  });

  it("hears each message, one line an assignment", () => {
    systemd.manager.starting("Adding up\nREADY=1");
    systemd.manager.ready("Watching 8 of 8 wired lines.");
    systemd.manager.status("Watching 7 of 8 wired lines.");
    systemd.manager.alive();
    systemd.manager.stopping();
    expect(socket.receiveAll().map(({ lines }) => lines)).to.deep.equal([
      ["STATUS=Adding up READY=1", "EXTEND_TIMEOUT_USEC=60000000"],
      ["STATUS=Watching 8 of 8 wired lines.", "READY=1"],
      ["STATUS=Watching 7 of 8 wired lines."],
      ["WATCHDOG=1"],
      ["STOPPING=1"],
    ]);
  });

  it("is handed descriptors that outlive ours, by name, and told to drop them", () => {
    const directory = mkdtempSync(join(tmpdir(), "flanco-store-"));
    try {
      const fds = ["first", "second"].map((text) => {
        writeFileSync(join(directory, text), text);
        return openSync(join(directory, text), "r");
      });
      systemd.store.keep("line/GPIO17", fds);
      for (const fd of fds) closeSync(fd);
      const message = socket.receive();
      expect(message?.lines).to.deep.equal(["FDSTORE=1", "FDNAME=line/GPIO17"]);
      const texts = message?.descriptors.map((fd) => readFileSync(fd, "utf8"));
      for (const fd of message?.descriptors ?? []) closeSync(fd);
      expect(texts).to.deep.equal(["first", "second"]);
      systemd.store.forget("line/GPIO17");
      expect(socket.receive()?.lines).to.deep.equal(["FDSTOREREMOVE=1", "FDNAME=line/GPIO17"]);
    } finally {
      rmSync(directory, { recursive: true });
    }
  });

  it("gives what it kept once, and says how long it waits", () => {
    expect(systemd.watchdogMs).to.equal(10_000);
    expect([...systemd.store.take()]).to.deep.equal([]);
  });

  it("does not hold the service up when it cannot be told", () => {
    rmSync(socket.path);
    systemd.manager.alive();
    expect(warnings).to.deep.equal(["systemd did not hear"]);
  });

  it("is nobody where it did not start the process", async () => {
    expect(await connectSystemd({}, process.pid, log)).to.equal(undefined);
  });
});
