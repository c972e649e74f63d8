import { Agent, request } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";

/** Somebody who tries passwords. */
export interface FloodTask {
  readonly port: number;
  /** The attacker's address on loopback. */
  readonly address: string;
  readonly emails: readonly string[];
  readonly perSecond: number;
  readonly lengthMs: number;
}

/** How often each status came; 0 for no answer. */
export type FloodAnswer = Readonly<Record<number, number>>;

async function run({ port, address, emails, perSecond, lengthMs }: FloodTask): Promise<FloodAnswer> {
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  const counts: Record<number, number> = {};
  const attempts: Promise<void>[] = [];
  const startMs = performance.now();
  for (let done = 0; performance.now() < startMs + lengthMs; done += 1) {
    const email = emails[done % emails.length] ?? "";
    attempts.push(
      attempt(email, `clave equivocada ${done}`).then((status) => {
        counts[status] = (counts[status] ?? 0) + 1;
      }),
    );
    await pause(Math.max(0, startMs + ((done + 1) * 1_000) / perSecond - performance.now()));
  }
  await Promise.all(attempts);
  agent.destroy();
  return counts;

  function attempt(email: string, password: string): Promise<number> {
    return new Promise((resolve) => {
      const outgoing = request(
        {
          host: "127.0.0.1",
          port,
          agent,
          localAddress: address,
          method: "POST",
          path: "/api/login",
          headers: { "Content-Type": "application/json" },
        },
        (response) => {
          response.resume();
          response.on("end", () => resolve(response.statusCode ?? 0));
        },
      );
      outgoing.on("error", () => resolve(0));
      outgoing.end(JSON.stringify({ email, password }));
    });
  }
}

// In a thread of its own, so that the attacker's work is not taken for the service's.
parentPort?.postMessage(await run(workerData as FloodTask));
