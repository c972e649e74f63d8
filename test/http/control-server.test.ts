import { once } from "node:events";
import { lstatSync, mkdirSync, readdirSync } from "node:fs";
import { get, type IncomingMessage } from "node:http";
import { createServer, type Socket } from "node:net";
import { dirname, join } from "node:path";
import { expect } from "chai";
import { ControlClient } from "../../src/cli/api-access.ts";
import { watchLines } from "../../src/contract/line.ts";
import { ACCOUNT_HEADER, OPERATOR_HEADER } from "../../src/contract/operator.ts";
import { listGaps } from "../../src/contract/record.ts";
import { importWirings, setWiring } from "../../src/contract/wiring.ts";
import { commandActor } from "../../src/domain/audit.ts";
import { type ErrorCode, FlancoError } from "../../src/domain/error.ts";
import type { Lines } from "../../src/domain/line.ts";
import type { Member } from "../../src/domain/member.ts";
import type { Sighting } from "../../src/domain/sale.ts";
import type { Accounts } from "../../src/http/account.ts";
import { ControlServer, operatorEndpoints } from "../../src/http/control-server.ts";
import { streamOf } from "../../src/http/line.ts";
import { type Endpoint, isOperators, NOBODY, routesOf, serve } from "../../src/http/router.ts";
import { aSighting } from "../domain/sighting.ts";
import { Appliance } from "../rig/appliance.ts";
import { operationsOf } from "../rig/description.ts";
import { rejection } from "../rig/rejection.ts";
import { forEachTest } from "../rig/standing.ts";
import { TemporaryDirectory } from "../rig/temporary-directory.ts";
import { until } from "../rig/until.ts";
import { aDevice, BODIES } from "./bodies.ts";
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

/** The members of two accounts. */
const ANA: Member = {
  id: "a".repeat(24),
  userId: "a".repeat(24),
  role: "owner",
  name: "Ana",
  email: "ana@example.org",
};
const EVA: Member = { ...ANA, id: "e".repeat(24), userId: "e".repeat(24), email: "eva@example.org" };

function accounts(...members: readonly Member[]): Accounts {
  return {
    members: () => members,
    credentials: (email) => {
      const member = members.find((one) => one.email === email);
      return member && { member, passwordHash: null };
    },
  };
}

/** A generous bound for a busy machine. */
const LONG_MS = 10_000;

describe("The control socket", () => {
  const directory = forEachTest(() => new TemporaryDirectory());
  const lines = forEachTest(() => new ToldLines());
  const log = forEachTest(() => new KeptLog());
  let path: string;
  let server: ControlServer | undefined;
  let client: ControlClient | undefined;

  beforeEach(() => {
    path = directory.file("control.sock");
  });

  afterEach(async () => {
    client?.close();
    await server?.close();
  });

  async function open(
    endpoints: readonly Endpoint[],
    by = "",
    members: readonly Member[] = [ANA],
  ): Promise<ControlClient> {
    server = new ControlServer(path, endpoints, accounts(...members), log);
    await server.open();
    client = await ControlClient.connect(path, { by });
    if (client === undefined) throw new Error("No service listens.");
    return client;
  }

  const wiring = { line: "SIM0", dId: "7234", actuatorId: "101", valor: 4.5 };
  const wires = (seen: unknown[]) =>
    serve(
      setWiring,
      async ({ body, userId, signedIn, by }) => void seen.push(body, userId, signedIn.role, by),
    );
  const lists = (seen: unknown[]) =>
    serve(listGaps, ({ query, userId }) => {
      seen.push(query, userId);
      return { data: [], next: null };
    });

  it("carries body and query, defaults filled in, the answer, and the name of the user behind it", async () => {
    const seen: unknown[] = [];
    const connected = await open([wires(seen), lists(seen)], "root (josé 火)");
    expect(await connected.ask(setWiring, { body: { wiring } })).to.deep.equal({ status: "success" });
    const listed = await connected.ask(listGaps, { query: { limit: "7", before: undefined } });
    expect(listed).to.deep.equal({ status: "success", data: [], next: null });
    expect(seen).to.deep.equal([
      { wiring: { ...wiring, activeLow: false, bias: "as-is", debounceMs: 50, rearmMs: 0 } },
      ANA.userId,
      "owner",
      commandActor("root (josé 火)"),
      { limit: 7 },
      ANA.userId,
    ]);
  });

  it("acts for the account that the command names, and asks for it where there are several", async () => {
    const seen: unknown[] = [];
    const connected = await open([lists(seen)], "", [ANA, EVA]);
    await connected.ask(listGaps, { query: {} }, EVA.email);
    expect(seen).to.deep.equal([{}, EVA.userId]);
    for (const [account, text] of [
      [
        undefined,
        "It is not clear which account is meant. Name it with --account and the e-mail of one of its members.",
      ],
      [
        "nobody@example.org",
        "There is no user with the e-mail nobody@example.org. flanco user list shows who there is.",
      ],
    ] as const) {
      expect((await rejection(connected.ask(listGaps, { query: {} }, account))).message).to.equal(text);
    }
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
      const connected = await open([
        serve(setWiring, () => {
          throw new FlancoError(code, "It did not work.", { hint: "Try again." });
        }),
      ]);
      const failed = await rejection(connected.ask(setWiring, { body: { wiring } }));
      expect(failed).to.include({ code: shown, message: "It did not work. Try again." });
    });
  }

  it("names the field of an input that does not fit", async () => {
    const connected = await open([wires([])]);
    const wrong = { ...wiring, debounceMs: -1 };
    const { message } = await rejection(connected.ask(setWiring, { body: { wiring: wrong } }));
    expect(message).to.equal("debounceMs: must be at least 0.");
  });

  it("serves 16 connections at a time and refuses more", async () => {
    const connected = await open([lists([])]);
    await connected.ask(listGaps, { query: {} });
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
    const connected = await open([lists([])]);
    expect((await connected.ask(listGaps, { query: {} })).data).to.deep.equal([]);
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
        const failed = await rejection(Promise.resolve(client?.ask(listGaps, { query: {} })));
        expect(failed).to.include({ code: "unavailable", message: text });
        stop();
      });
    }
  });

  describe("with a watch of lines", () => {
    const watches = () => serve(watchLines, () => streamOf(lines));

    it("cuts off a watcher that does not read, so that what waits for it stays bounded", async () => {
      await open([watches()]);
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
      const connected = await open([watches()]);
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

describe("What only an operator may do", () => {
  const appliance = forEachTest(() => Appliance.open());
  /** Everything that the control socket serves. */
  const table = () => [
    ...appliance.table,
    ...operatorEndpoints({
      reader: appliance.reader,
      writer: appliance.writer,
      rotateSecret: async () => 0,
      acknowledged: () => {},
      clockCorrected: () => {},
    }),
  ];
  const declared = () =>
    table()
      .filter(isOperators)
      .map(({ declaration }) => declaration);
  /** What a client of the network may send to pass for one. */
  const claims = (email: string) => ({ [OPERATOR_HEADER]: "root", [ACCOUNT_HEADER]: email });

  it("is not there on the network, with a session or without one, whatever headers are sent", async () => {
    const user = await appliance.addUser();
    const { cookie } = user;
    expect(declared()).to.have.length.above(10);
    for (const { method, path } of declared()) {
      for (const headers of [{}, { cookie }, claims(user.email), { cookie, ...claims(user.email) }]) {
        const answer = await appliance.api[method](path).set(headers);
        // A path of both has no such method on the network.
        expect(answer.status, `${method} ${path}`).to.be.oneOf([404, 405]);
      }
    }
  });

  it("is not in the API's description, which has all else that the control socket serves", async () => {
    const described = operationsOf(await appliance.description()).map(
      ({ method, path }) => `${method} ${path}`,
    );
    for (const endpoint of table()) {
      const { method, path } = endpoint.declaration;
      expect(described.includes(`${method} ${path}`), path).to.equal(!isOperators(endpoint));
    }
  });

  it("gets no route among the network's, also where it stands in their table", async () => {
    const endpoints = [serve(importWirings, async () => {})];
    const senders = {
      signedInOf: async () => NOBODY,
      positionOf: () => null,
      admit: () => {},
      refuse: () => {},
    };
    expect(() => routesOf(endpoints, senders)).to.throw("/api/wiring/import is the operator's alone.");
    routesOf(endpoints, { ...senders, operatorOf: () => commandActor("root") });
  });

  it("makes no member of the network an operator: the headers of commands mean nothing there", async () => {
    const [ana, eva] = [await appliance.addUser(), await appliance.addUser()];
    await eva.post("/api/device", aDevice()).expect(200);
    const headers = claims(eva.email);
    await appliance.api.get("/api/device").set(headers).expect(401);
    const { body } = await appliance.api
      .get("/api/device")
      .set({ cookie: ana.cookie, ...headers })
      .expect(200);
    expect(body.data).to.deep.equal([]);
    await appliance.api
      .put("/api/letterhead")
      .set({ cookie: ana.cookie, ...headers })
      .send(BODIES["put /api/letterhead"])
      .expect(200);
    expect(appliance.newestAudit(ana.id)).to.include({ way: "network", who: ana.email });
  });

  it("is on a path and method of its own", () => {
    const routes = table().map(({ declaration: { method, path } }) => `${method} ${path}`);
    expect(new Set(routes).size).to.equal(routes.length);
  });
});
