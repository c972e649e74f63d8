import { once } from "node:events";
import { lstatSync, mkdirSync, readdirSync } from "node:fs";
import { get, type IncomingMessage } from "node:http";
import { createServer, type Socket } from "node:net";
import { dirname, join } from "node:path";
import { expect } from "chai";
import { ControlClient } from "../../src/cli/control-client.ts";
import { declarationOf, OPERATIONS, type OperationName, watchLines } from "../../src/contract/operator.ts";
import { commandActor } from "../../src/domain/audit.ts";
import { type ErrorCode, FlancoError } from "../../src/domain/error.ts";
import type { Lines } from "../../src/domain/line.ts";
import type { Sighting } from "../../src/domain/sale.ts";
import { ControlServer } from "../../src/http/control-server.ts";
import { type OperatorTable, operatorEndpoints } from "../../src/http/operator.ts";
import { aSighting } from "../domain/sighting.ts";
import { Appliance } from "../rig/appliance.ts";
import { rejection } from "../rig/rejection.ts";
import { forEachTest } from "../rig/standing.ts";
import { TemporaryDirectory } from "../rig/temporary-directory.ts";
import { until } from "../rig/until.ts";
import { FakeLines, KeptLog } from "./fakes.ts";

/** Lines of some 70 bytes: far more than a socket's own buffers and what the server lets wait. */
const MANY = 50_000;
/** Twice what the server lets wait. */
const ENOUGH = 8_000;
const AT_ONCE = 500;
const TOO_MANY = 17;

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
      listener(aSighting(sequence % 2 === 1, sequence, { line: "SIM0" }));
    }
  }
}

/** Operations of which a test gives those that it uses. */
function tableOf(runs: Partial<OperatorTable>): OperatorTable {
  const refuse = () => {
    throw new Error("This operation is no part of the test.");
  };
  // Object.fromEntries does not know that these are all names.
  return {
    ...(Object.fromEntries(
      Object.keys(OPERATIONS).map((name) => [name, refuse]),
    ) as unknown as OperatorTable),
    ...runs,
  };
}

/** A generous bound for a busy machine. */
const LONG_MS = 10_000;

describe("The control socket", () => {
  const directory = forEachTest(() => new TemporaryDirectory());
  let path: string;
  let lines: ToldLines;
  let log: KeptLog;
  let server: ControlServer | undefined;
  let client: ControlClient | undefined;

  beforeEach(() => {
    path = directory.file("control.sock");
    lines = new ToldLines();
    log = new KeptLog();
  });

  afterEach(async () => {
    client?.close();
    await server?.close();
  });

  async function open(runs: Partial<OperatorTable>, by = ""): Promise<ControlClient> {
    server = new ControlServer(path, operatorEndpoints(tableOf(runs), lines), log);
    await server.open();
    client = await ControlClient.connect(path, { by });
    if (client === undefined) throw new Error("No service listens.");
    return client;
  }

  it("carries an operation's input, defaults filled in, its answer, and the name of the user behind it", async () => {
    const seen: unknown[] = [];
    const connected = await open(
      {
        setWiring: ({ row }, by) => {
          seen.push(row, by);
        },
        listAudit: (search) => {
          seen.push(search);
          return [];
        },
      },
      "root (josé 火)",
    );
    const row = { line: "SIM0", device: "7234", actuator: "101", valor: 4.5 };
    expect(await connected.call("setWiring", { row })).to.equal(null);
    expect(await connected.call("listAudit", { limit: 7, sinceMs: 0 })).to.deep.equal([]);
    expect(seen).to.deep.equal([
      { ...row, active_low: false, bias: "as-is", debounce_ms: 50, rearm_ms: 0 },
      commandActor("root (josé 火)"),
      { limit: 7, sinceMs: 0 },
    ]);
  });

  it("takes as many lines as one import may wire", async () => {
    let rows = 0;
    const connected = await open({
      importWiring: (input) => {
        rows = input.rows.length;
      },
    });
    const long = "á".repeat(200);
    const row = { line: long, device: long, actuator: long, valor: 4.5, user: long };
    await connected.call("importWiring", { rows: Array.from({ length: 1_000 }, () => row) });
    expect(rows).to.equal(1_000);
  });

  for (const [code, shown] of [
    ["not_found", "not_found"],
    ["conflict", "conflict"],
    ["invalid", "invalid"],
    ["unavailable", "unavailable"],
    ["overloaded", "unavailable"],
    ["damaged", "internal"],
  ] as const satisfies readonly (readonly [ErrorCode, ErrorCode])[]) {
    it(`carries an error of the code ${code} with its text and what to do`, async () => {
      const connected = await open({
        voidRecord: () => {
          throw new FlancoError(code, "It did not work.", { hint: "Try again." });
        },
      });
      const failed = await rejection(connected.call("voidRecord", { recordId: 1, reason: "test" }));
      expect(failed).to.include({ code: shown, message: "It did not work. Try again." });
    });
  }

  it("names the field of an input that does not fit", async () => {
    const connected = await open({});
    const row = { line: "SIM0", device: "7234", actuator: "101", valor: 4.5, debounce_ms: -1 };
    const { message } = await rejection(connected.call("setWiring", { row }));
    expect(message).to.equal("debounce_ms: must be at least 0.");
  });

  it("serves 16 connections at a time and refuses more", async () => {
    const connected = await open({ listUsers: () => [] });
    await connected.call("listUsers", {});
    const sockets = Array.from({ length: TOO_MANY }, () => get({ socketPath: path, path: "/" }));
    const ends = await Promise.allSettled(
      sockets.map(async (request) => {
        const [answer] = (await once(request, "response")) as [IncomingMessage];
        return answer.statusCode;
      }),
    );
    for (const request of sockets) request.destroy();
    expect(ends.filter(({ status }) => status === "fulfilled")).to.have.length.at.most(16);
    expect(ends.some(({ status }) => status === "rejected")).to.equal(true);
  });

  it("is found at a path that is longer than a socket's name may be, and leaves nothing there", async () => {
    path = directory.file("x".repeat(100), "control.sock");
    expect(await ControlClient.connect(path)).to.equal(undefined);
    mkdirSync(dirname(path));
    const connected = await open({ listUsers: () => [] });
    expect(await connected.call("listUsers", {})).to.deep.equal([]);
    expect(lstatSync(path).mode & 0o777).to.equal(0o600);
    connected.close();
    client = undefined;
    await server?.close();
    server = undefined;
    expect(readdirSync(dirname(path))).to.deep.equal([]);
    expect(await ControlClient.connect(path)).to.equal(undefined);
  });

  describe("as its client finds it", () => {
    it("is not there where no service listens", async () => {
      expect(await ControlClient.connect(path)).to.equal(undefined);
      expect(await ControlClient.connect(join(path, "below"))).to.equal(undefined);
    });

    /** A service that takes connections and does this with what it reads. */
    async function fake(onData: (socket: Socket) => void): Promise<() => void> {
      const sockets = new Set<Socket>();
      const listening = createServer((socket) => {
        sockets.add(socket);
        socket.on("error", () => {});
        socket.on("data", () => onData(socket));
      }).listen(path);
      await once(listening, "listening");
      return () => {
        for (const socket of sockets) socket.destroy();
        listening.close();
      };
    }

    for (const [what, answerMs, onData, text] of [
      ["that hangs", 50, () => {}, "The service has not answered for 0.05 seconds."],
      ["that ends", LONG_MS, (socket: Socket) => socket.destroy(), "The service ended before it answered."],
      [
        "of another version",
        LONG_MS,
        (socket: Socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 18\r\n\r\n{"status":"other"}'),
        "The service's answer is not of this version of flanco.",
      ],
    ] as const) {
      it(`does not wait for a service ${what}, and says so`, async () => {
        const stop = await fake(onData);
        client = await ControlClient.connect(path, { answerMs });
        const failed = await rejection(Promise.resolve(client?.call("listUsers", {})));
        expect(failed).to.include({ code: "unavailable", message: text });
        stop();
      });
    }
  });

  describe("with a watch of lines", () => {
    it("cuts off a watcher that does not read, so that what waits for it stays bounded", async () => {
      await open({});
      const request = get({ socketPath: path, path: watchLines.path });
      request.on("error", () => {}).on("response", (answer) => answer.on("error", () => {}));
      await until("the watch has begun", () => lines.listeners.size === 1);
      for (let sequence = 1; sequence <= MANY; sequence += 1) {
        lines.tell(sequence);
        if (sequence % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
      }
      expect(lines.listeners.size).to.equal(0);
    });

    it("shows a watcher that reads every edge, however many they are, until the service ends", async () => {
      const connected = await open({});
      const shown: number[] = [];
      let sent = 0;
      const send = () => {
        for (const end = sent + AT_ONCE; sent < end; sent += 1) lines.tell(sent);
      };
      const watching = (async () => {
        for await (const { sequence } of connected.watch()) {
          shown.push(sequence);
          if (shown.length === ENOUGH) void server?.close();
          else if (shown.length === sent) send();
        }
      })();
      await until("the watch has begun", () => lines.listeners.size === 1);
      send();
      await watching;
      expect(shown).to.deep.equal(Array.from({ length: ENOUGH }, (_, sequence) => sequence));
    });
  });
});

describe("The operator's endpoints", () => {
  const names = Object.keys(OPERATIONS) as OperationName[];
  const declared = [...names.map(declarationOf), watchLines];

  it("are not there on the network, with a session or without one", async () => {
    await using appliance = await Appliance.open();
    const { cookie } = await appliance.addUser();
    for (const { method, path } of declared) {
      for (const headers of [{}, { cookie }]) {
        const answer = await appliance.api[method](path).set(headers);
        expect(answer.status, `${method} ${path}`).to.equal(404);
      }
    }
  });

  it("are each on a path of their own, and need no session", () => {
    const routes = declared.map(({ method, path }) => `${method} ${path}`);
    expect(new Set(routes).size).to.equal(routes.length);
    expect(declared.filter(({ roles }) => roles !== null)).to.deep.equal([]);
    expect(routes.filter((route) => !route.includes(" /api/operator/"))).to.deep.equal([]);
  });
});
