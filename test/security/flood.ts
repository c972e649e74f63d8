import { Agent } from "node:http";
import { parentPort, workerData } from "node:worker_threads";
import { exchange } from "../rig/exchange.ts";
import { paced } from "./client.ts";

/** A client that guesses passwords. */
export interface FloodTask {
  readonly port: number;
  /** The attacker's address on loopback. */
  readonly localAddress: string;
  readonly emails: readonly string[];
  readonly perSecond: number;
  readonly lengthMs: number;
}

// In a thread of its own, so that the attacker's work does not delay the measured clients. Posts how often each status came.
const { port, localAddress, emails, perSecond, lengthMs } = workerData as FloodTask;
// Fewer connections than one address may hold.
const agent = new Agent({ keepAlive: true, maxSockets: 16 });
const endMs = performance.now() + lengthMs;
const isOver = () => performance.now() >= endMs;
const { statuses } = await paced(perSecond, isOver, (index) => {
  const email = emails[index % emails.length];
  const body = JSON.stringify({ email, password: `clave equivocada ${index}` });
  const headers = { "Content-Type": "application/json" };
  return exchange({ port, agent, localAddress }, "POST", "/api/login", { headers, body });
});
agent.destroy();
parentPort?.postMessage(statuses);
