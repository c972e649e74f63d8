import { once } from "node:events";
import { createServer, IncomingMessage, type Server, ServerResponse } from "node:http";
import { type AddressInfo, connect, Socket } from "node:net";
import { mock } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { expect } from "chai";
import { RequestFlow, Turns } from "../../src/net/connections.ts";
import { LIMITS } from "../../src/net/front-door.ts";
import { until } from "../rig/until.ts";

const ANSWER_BYTES = 1_000_000;
const MAX_UNANSWERED = 16;
const HOST = "Host: localhost\r\n";
const ATTACKER = "192.0.2.66";
const TABLET = "192.0.2.20";

describe("Pipelined requests", () => {
  let flow: RequestFlow;
  let server: Server;
  let socket: Socket;
  let answers: string;
  let begun: string[];
  let underWay: number;
  let most: number;
  /** Called while a request is being answered. */
  let work: () => Promise<unknown>;

  beforeEach(async () => {
    begun = [];
    underWay = 0;
    most = 0;
    answers = "";
    work = () => turn();
    flow = new RequestFlow(30_000);
    server = createServer(flow.through((request, response) => void answer(request, response)));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    socket = connect((server.address() as AddressInfo).port, "127.0.0.1").setEncoding("latin1");
    socket.on("error", () => {});
    socket.on("data", (data) => {
      answers += data;
    });
  });
  afterEach(() => {
    socket.destroy();
    server.closeAllConnections();
    server.close();
  });

  /** Answers with what came. */
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    begun.push(`${request.method} ${request.url}`);
    underWay += 1;
    most = Math.max(most, underWay);
    let body = "";
    for await (const piece of request) body += piece;
    await work();
    underWay -= 1;
    response.end(`<${request.method} ${request.url} ${body}>`);
  }

  function get(count: number): string {
    return Array.from({ length: count }, (_, index) => `GET /${index} HTTP/1.1\r\n${HOST}\r\n`).join("");
  }

  function connections(): Promise<number> {
    return new Promise((resolve) => server.getConnections((_error, count) => resolve(count)));
  }

  const bodies = () => answers.match(/<[^>]*>/g) ?? [];

  it("are answered one after another, in order, with their bodies, although they come in one packet", async () => {
    socket.write(
      `GET /1 HTTP/1.1\r\n${HOST}\r\n` +
        `POST /2 HTTP/1.1\r\n${HOST}Content-Length: 3\r\n\r\ntwo` +
        `HEAD /3 HTTP/1.1\r\n${HOST}\r\n` +
        `POST /4 HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n2\r\nfo\r\n2\r\nur\r\n0\r\n\r\n` +
        `DELETE /5 HTTP/1.1\r\n${HOST}\r\n`,
    );
    await until("the last is answered", () => answers.includes("<DELETE /5 >"));
    expect(bodies()).to.deep.equal(["<GET /1 >", "<POST /2 two>", "<POST /4 four>", "<DELETE /5 >"]);
    expect(answers.match(/HTTP\/1\.1 200/g)).to.have.lengthOf(5);
    expect(begun).to.deep.equal(["GET /1", "POST /2", "HEAD /3", "POST /4", "DELETE /5"]);
    expect(most).to.equal(1);
  });

  it("end the connection with the first answer that is given once the service stops, and say so", async () => {
    work = () => Promise.resolve(flow.close());
    socket.write(`GET /a HTTP/1.1\r\n${HOST}\r\n`);
    await once(socket, "close");
    expect(answers).to.match(/Connection: close\r\n.*<GET \/a >/s);
  });

  it("wait for the rest of a body", async () => {
    const large = "x".repeat(300_000);
    socket.write(`${get(2)}POST /late HTTP/1.1\r\n${HOST}Content-Length: ${large.length}\r\n\r\n`);
    await until("it is begun with", () => begun.includes("POST /late"));
    socket.write(`${large}${get(1)}`);
    await until("all are answered", () => bodies().length === 4);
    expect(bodies()[2]).to.have.lengthOf(large.length + "<POST /late >".length);
    expect(most).to.equal(1);
  });

  it(`continue as long as at most ${MAX_UNANSWERED} are unanswered`, async () => {
    for (let round = 1; round <= 20; round += 1) {
      socket.write(get(MAX_UNANSWERED));
      await until("all are answered", () => bodies().length === round * MAX_UNANSWERED);
    }
    expect(most).to.equal(1);
  });

  it(`close the connection when more than ${MAX_UNANSWERED} are unanswered, and those not begun are dropped`, async () => {
    const gate = Promise.withResolvers<void>();
    work = () => gate.promise;
    socket.write(get(1_000));
    await once(socket, "close");
    gate.resolve();
    await until("the first is done", () => underWay === 0);
    await turn();
    expect(begun).to.deep.equal(["GET /0"]);
    expect(answers).to.equal("");
  });

  it("are dropped once the client has hung up", async () => {
    const gate = Promise.withResolvers<void>();
    work = () => gate.promise;
    socket.write(get(3));
    await until("the first is begun with", () => begun.length === 1);
    expect(await connections()).to.equal(1);
    socket.destroy();
    await until("the service knows", async () => (await connections()) === 0);
    gate.resolve();
    await until("the first is done", () => underWay === 0);
    await turn();
    expect(begun).to.deep.equal(["GET /0"]);
  });
});

/** What the kernel holds of a connection. It takes more once a third of that is free. */
const KERNEL_BYTES = 300_000;

/** A connection whose client takes its answer as the test says. Like Node's, it counts a write as done when all of it is. */
class TakingSocket extends Socket {
  override readonly remoteAddress = "192.0.2.1";
  override writable = true;
  override destroyed = false;
  override bytesWritten = 0;
  override writableLength = 0;
  #kernelBytes = 0;
  #restOfWrite = 0;

  give(bytes: number): void {
    this.bytesWritten += bytes;
    this.writableLength = bytes;
    this.#restOfWrite = bytes;
    this.#hand();
  }

  takeOff(bytes: number): void {
    this.#kernelBytes = Math.max(0, this.#kernelBytes - bytes);
    if (this.#kernelBytes <= (KERNEL_BYTES * 2) / 3) this.#hand();
  }

  #hand(): void {
    const taken = Math.min(this.#restOfWrite, KERNEL_BYTES - this.#kernelBytes);
    this.#kernelBytes += taken;
    this.#restOfWrite -= taken;
    if (this.#restOfWrite === 0) this.writableLength = 0;
  }

  override destroy(): this {
    this.destroyed = true;
    return this;
  }
}

describe("A client's pace", () => {
  let flow: RequestFlow;
  let socket: TakingSocket;

  beforeEach(() => {
    mock.timers.enable({ apis: ["setInterval"] });
    flow = new RequestFlow(LIMITS.paceMs);
    flow.open();
    socket = new TakingSocket();
    const listener = flow.through(() => {});
    const request = new IncomingMessage(socket);
    listener(request, new ServerResponse(request));
  });
  afterEach(() => {
    flow.close();
    mock.timers.reset();
  });

  /** The answer is given in pieces, each when the one before was taken. The client takes so much between two looks. */
  function looksUntilCut(pieceBytes: number, takes: number): number | null {
    for (let look = 1; look <= ANSWER_BYTES / LIMITS.paceMs + 10; look += 1) {
      socket.takeOff(takes);
      while (socket.writableLength === 0 && socket.bytesWritten < ANSWER_BYTES) {
        socket.give(Math.min(pieceBytes, ANSWER_BYTES - socket.bytesWritten));
      }
      mock.timers.tick(LIMITS.paceMs);
      if (socket.destroyed) return look;
    }
    return null;
  }

  for (const pieceBytes of [16_384, 65_536, ANSWER_BYTES]) {
    it(`of 1 kB/s is enough for an answer that is given by ${pieceBytes} bytes`, () => {
      expect(looksUntilCut(pieceBytes, LIMITS.paceMs)).to.equal(null);
      expect(socket.bytesWritten).to.equal(ANSWER_BYTES);
    });

    it(`of nothing ends its connection once 1 kB/s would have taken the ${pieceBytes} bytes that it was given`, () => {
      const given = Math.min(ANSWER_BYTES, KERNEL_BYTES + pieceBytes);
      expect(looksUntilCut(pieceBytes, 0)).to.be.within(
        Math.floor(given / LIMITS.paceMs),
        Math.ceil(given / LIMITS.paceMs) + 2,
      );
    });
  }

  it("is not judged while its answer is being made", () => {
    mock.timers.tick(100 * LIMITS.paceMs);
    expect(socket.destroyed).to.equal(false);
    expect(looksUntilCut(ANSWER_BYTES, LIMITS.paceMs)).to.equal(null);
  });
});

describe("Turns of addresses", () => {
  let nowMs: number;
  let turns: Turns;
  let done: string[];

  beforeEach(() => {
    nowMs = 0;
    turns = new Turns(() => nowMs);
    done = [];
  });

  /** Work of so many milliseconds, done in a promise as a request's is. */
  function begin(address: string, costMs: number): void {
    turns.begin(address, () => {
      void Promise.resolve().then(() => {
        nowMs += costMs;
        done.push(address);
      });
    });
  }

  it("are not waited for while there is little work", async () => {
    for (let count = 0; count < 4; count += 1) {
      begin(ATTACKER, 1);
      await Promise.resolve();
      expect(done).to.have.lengthOf(count + 1);
    }
  });

  it("come to an address with one request after one each of the others, however many those have", async () => {
    for (let count = 0; count < 100; count += 1) {
      for (let host = 0; host < 4; host += 1) begin(`10.0.0.${host}`, 4);
      await Promise.resolve();
    }
    const before = done.length;
    begin(TABLET, 1);
    await until("the tablet had its turn", () => done.includes(TABLET));
    expect(done.indexOf(TABLET) - before).to.be.at.most(2 * 4);
    await until("all is done", () => done.length === 401);
  });

  it("leave the event loop to others after some milliseconds", async () => {
    for (let count = 0; count < 40; count += 1) {
      begin(ATTACKER, 1);
      await Promise.resolve();
    }
    let most = 0;
    while (done.length < 40) {
      const before = done.length;
      await turn();
      most = Math.max(most, done.length - before);
    }
    expect(most).to.be.within(1, 5);
  });
});
