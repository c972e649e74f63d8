import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import { expect } from "chai";
import { RequestFlow } from "../../src/net/request-flow.ts";
import { until } from "../rig/until.ts";

const MAX_UNANSWERED = 16;
const HOST = "Host: localhost\r\n";

describe("Pipelined requests", () => {
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
    server = createServer(
      new RequestFlow(30_000).through((request, response) => void answer(request, response)),
    );
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
