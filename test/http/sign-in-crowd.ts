import { setTimeout as pause } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";

const ASK_EVERY_MS = 5;

/** What a crowd signs in to, and with what. */
export interface CrowdTask {
  readonly port: number;
  readonly email: string;
  readonly password: string;
  /** A session's cookie, for the requests that are made meanwhile. */
  readonly cookie: string;
  readonly count: number;
}

export interface CrowdAnswer {
  readonly loginStatuses: readonly number[];
  readonly otherStatuses: readonly number[];
}

async function run({ port, email, password, cookie, count }: CrowdTask): Promise<CrowdAnswer> {
  const api = `http://127.0.0.1:${port}/api`;
  let going = true;
  const logins = Promise.all(
    Array.from({ length: count }, async () => {
      const response = await fetch(`${api}/login`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ email, password }),
      });
      await response.body?.cancel();
      return response.status;
    }),
  ).finally(() => {
    going = false;
  });
  const otherStatuses: number[] = [];
  while (going) {
    const response = await fetch(`${api}/verify`, { headers: { Cookie: cookie } });
    await response.body?.cancel();
    otherStatuses.push(response.status);
    await pause(ASK_EVERY_MS);
  }
  return { loginStatuses: await logins, otherStatuses };
}

// In a thread of its own, so that the clients' work is not taken for the service's.
parentPort?.postMessage(await run(workerData as CrowdTask));
