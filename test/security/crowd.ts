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
  readonly what: "ask" | "shake hands" | "ask and not read";
  readonly httpPort: number;
  readonly httpsPort: number;
  readonly addresses: readonly string[];
  readonly connectionsOfEach: number;
  /** Of a member, where one is needed. */
  readonly cookie: string;
  /** In turns. */
  readonly requests: readonly CrowdRequest[];
}

const PAUSE_MS = 100;

const task = JSON.parse(process.argv[2] ?? "") as CrowdTask;
const statuses: Record<number, number> = {};
let asked = 0;

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
      response.resume().once("close", () => ask(agent, localAddress));
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

for (const address of task.addresses) {
  const agent = new Agent({ keepAlive: true, maxSockets: task.connectionsOfEach });
  for (let index = 0; index < task.connectionsOfEach; index += 1) {
    if (task.what === "ask") ask(agent, address);
    else if (task.what === "shake hands") shakeHands(address);
    else askAndNotRead(address);
  }
}
process.send?.("begun");
process.once("message", () => process.send?.(statuses, () => process.exit()));
