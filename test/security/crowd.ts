import { Agent, request } from "node:http";
import { connect } from "node:net";
import { connect as connectTls } from "node:tls";

/** What a crowd of clients does, each client with an address of its own. */
export interface CrowdTask {
  readonly what: "unreadable sign-ins" | "handshakes" | "reports that are not read";
  readonly httpPort: number;
  readonly httpsPort: number;
  readonly addresses: readonly string[];
  readonly connectionsOfEach: number;
  /** Of a member, where one is needed. */
  readonly cookie: string;
  /** The report's path. */
  readonly path: string;
}

const VALUES = `[${Array(20_000).fill("{}").join()}]`;

const task = JSON.parse(process.argv[2] ?? "") as CrowdTask;
let isOver = false;

function post(agent: Agent, localAddress: string): void {
  if (isOver) return;
  const options = {
    port: task.httpPort,
    host: "127.0.0.1",
    localAddress,
    agent,
    method: "POST",
    path: "/api/login",
  };
  const sent = request({ ...options, headers: { "Content-Type": "application/json" } }, (response) => {
    response.resume().once("close", () => post(agent, localAddress));
  });
  sent.on("error", () => setTimeout(post, 100, agent, localAddress));
  sent.end(VALUES);
}

function shakeHands(localAddress: string): void {
  if (isOver) return;
  const socket = connect({ port: task.httpsPort, host: "127.0.0.1", localAddress });
  socket.on("error", () => {});
  const secure = connectTls({ socket, rejectUnauthorized: false });
  secure.on("error", () => {});
  secure.once("secureConnect", () => secure.destroy());
  socket.once("close", () => setTimeout(shakeHands, 1, localAddress));
}

function askAndWait(localAddress: string): void {
  if (isOver) return;
  const socket = connect({ port: task.httpPort, host: "127.0.0.1", localAddress });
  socket.on("error", () => {});
  socket.write(`GET ${task.path} HTTP/1.1\r\nHost: localhost\r\nCookie: ${task.cookie}\r\n\r\n`);
  socket.pause();
  socket.once("close", () => setTimeout(askAndWait, 100, localAddress));
}

for (const address of task.addresses) {
  const agent = new Agent({ keepAlive: true, maxSockets: task.connectionsOfEach });
  for (let index = 0; index < task.connectionsOfEach; index += 1) {
    if (task.what === "handshakes") shakeHands(address);
    else if (task.what === "unreadable sign-ins") post(agent, address);
    else askAndWait(address);
  }
}
process.send?.("begun");
process.once("message", () => {
  isOver = true;
  process.exit();
});
