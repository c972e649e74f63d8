import { Agent, request } from "node:http";
import { connect } from "node:net";
import { connect as connectTls } from "node:tls";

/** A request that a crowd sends; with a body it is a POST. */
export interface CrowdRequest {
  readonly path: string;
  readonly body?: string;
}

/** What a crowd of clients does again and again, each client with an address of its own. */
export interface CrowdTask {
  /** To hold is to open a connection and never end what it begins to say. */
  readonly what: "ask" | "shake hands" | "ask and not read" | "hold";
  readonly httpPort: number;
  readonly httpsPort: number;
  readonly addresses: readonly string[];
  readonly connectionsOfEach: number;
  /** Of a member, where one is needed. */
  readonly cookie: string;
  /** In turns. */
  readonly requests: readonly CrowdRequest[];
  /** From an answer to the next request on a connection. */
  readonly pauseMs: number;
}

/** What has come of it. */
export interface CrowdAnswers {
  /** How often each status came. */
  readonly statuses: Readonly<Record<number, number>>;
  /** How often a connection that is held was opened, or tried. */
  readonly held: number;
}

const PAUSE_MS = 100;
/** The first bytes of an offer of TLS, whose rest never comes. */
const HALF_AN_OFFER = Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01]);
const HALF_A_HEAD = "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-A: ";
const DROP_EVERY_MS = 1_000;
/** How soon a held connection that was closed is opened again. */
const AGAIN_MS = 1_000;

const task = JSON.parse(process.argv[2] ?? "") as CrowdTask;
const statuses: Record<number, number> = {};
let asked = 0;
let held = 0;

function nextRequest(): CrowdRequest {
  asked += 1;
  return task.requests[asked % task.requests.length] ?? { path: "/" };
}

function ask(agent: Agent, localAddress: string): void {
  const { path, body } = nextRequest();
  const sent = request(
    {
      port: task.httpPort,
      host: "127.0.0.1",
      localAddress,
      agent,
      path,
      method: body === undefined ? "GET" : "POST",
      headers: { Cookie: task.cookie, ...(body === undefined ? {} : { "Content-Type": "application/json" }) },
    },
    (response) => {
      statuses[response.statusCode ?? 0] = (statuses[response.statusCode ?? 0] ?? 0) + 1;
      const again = () =>
        task.pauseMs > 0 ? setTimeout(ask, task.pauseMs, agent, localAddress) : ask(agent, localAddress);
      response.resume().once("close", again);
    },
  );
  sent.on("error", () => setTimeout(ask, PAUSE_MS, agent, localAddress));
  sent.end(body);
}

function shakeHands(localAddress: string): void {
  const socket = connect({ port: task.httpsPort, host: "127.0.0.1", localAddress });
  socket.on("error", () => {});
  const secure = connectTls({ socket, rejectUnauthorized: false });
  secure.on("error", () => {});
  secure.once("secureConnect", () => secure.destroy());
  socket.once("close", () => setTimeout(shakeHands, 1, localAddress));
}

function askAndNotRead(localAddress: string): void {
  const socket = connect({ port: task.httpPort, host: "127.0.0.1", localAddress });
  socket.on("error", () => {});
  socket.write(`GET ${nextRequest().path} HTTP/1.1\r\nHost: localhost\r\nCookie: ${task.cookie}\r\n\r\n`);
  socket.pause();
  socket.once("close", () => setTimeout(askAndNotRead, PAUSE_MS, localAddress));
}

/** `met` is called once the connection was accepted or refused. */
function hold(localAddress: string, isTls: boolean, met: () => void): void {
  held += 1;
  const socket = connect({ port: isTls ? task.httpsPort : task.httpPort, host: "127.0.0.1", localAddress });
  const dropping = setInterval(() => socket.writable && socket.write("a"), DROP_EVERY_MS);
  socket.on("error", () => {});
  socket.once("connect", () => {
    met();
    socket.write(isTls ? HALF_AN_OFFER : HALF_A_HEAD);
  });
  socket.once("close", () => {
    clearInterval(dropping);
    met();
    setTimeout(hold, AGAIN_MS, localAddress, isTls, () => {});
  });
}

const standing: Promise<void>[] = [];
for (const address of task.addresses) {
  const agent = new Agent({ keepAlive: true, maxSockets: task.connectionsOfEach });
  for (let index = 0; index < task.connectionsOfEach; index += 1) {
    if (task.what === "ask") ask(agent, address);
    else if (task.what === "shake hands") shakeHands(address);
    else if (task.what === "ask and not read") askAndNotRead(address);
    else standing.push(new Promise((resolve) => hold(address, index % 2 === 0, resolve)));
  }
}
await Promise.all(standing);
process.send?.("begun");
process.once("message", () =>
  process.send?.({ statuses, held } satisfies CrowdAnswers, () => process.exit()),
);
