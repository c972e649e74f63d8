import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect } from "chai";
import type { Operations } from "../../src/control/operation.ts";
import { ControlServer } from "../../src/control/server.ts";
import type { Lines } from "../../src/domain/lines.ts";
import type { Log } from "../../src/domain/log.ts";
import type { Sighting } from "../../src/domain/sale.ts";
import { FakeLines } from "../http/fakes.ts";

const SILENT: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
/** Far more than a socket's own buffers and what the server lets wait. */
const MANY = 50_000;
const AT_ONCE = 500;
const NO_OPERATIONS: Operations = { call: () => Promise.reject(new Error("none")) };

/** Lines whose levels the test tells. */
class ToldLines extends FakeLines implements Lines {
  readonly listeners = new Set<(sighting: Sighting) => void>();

  override listen(listener?: (sighting: Sighting) => void): () => void {
    if (listener === undefined) return () => {};
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  tell(sequence: number): void {
    for (const listener of [...this.listeners]) {
      listener({
        line: "SIM0",
        deviceId: "d",
        actuatorId: "101",
        activeLow: false,
        active: sequence % 2 === 1,
        timeMs: 1,
        monotonicNs: 1n,
        source: { bootId: "boot", request: 1, sequence },
        provisional: false,
        missed: 0,
      });
    }
  }
}

describe("the control socket's watch", () => {
  let directory: string;
  let lines: ToldLines;
  let server: ControlServer;
  let socket: Socket;

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), "flanco-control-"));
    lines = new ToldLines();
    const path = join(directory, "control.sock");
    server = new ControlServer(path, NO_OPERATIONS, lines, SILENT);
    await server.open();
    socket = connect(path);
    socket.on("error", () => {});
    socket.write('{"kind":"watch"}\n');
  });

  afterEach(async () => {
    socket.destroy();
    await server.close();
    rmSync(directory, { recursive: true });
  });

  it("cuts off who does not read, so that what waits for it stays bounded", async () => {
    await once(socket, "readable");
    expect(lines.listeners.size).to.equal(1);
    for (let sequence = 1; sequence <= MANY; sequence += 1) {
      lines.tell(sequence);
      if (sequence % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    expect(lines.listeners.size).to.equal(0);
  });

  it("shows who reads every edge, however many they are", async () => {
    let told = 0;
    let sent = 0;
    let shown = 0;
    for await (const line of createInterface({ input: socket })) {
      if (line.includes('"sighting"')) shown += 1;
      // Some at a time, as fast as they are read.
      if (shown === told) {
        for (told += AT_ONCE; sent < told; sent += 1) lines.tell(sent);
      }
      if (shown >= MANY) break;
    }
    expect(lines.listeners.size).to.equal(1);
  });
});
