import { fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { Agent, request } from "node:https";
import { constants, setPriority } from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { type Answer, exchange, type Target } from "../rig/exchange.ts";
import type { Program } from "../rig/program.ts";
import type { CrowdAnswers, CrowdTask } from "./crowd.ts";

const OVERLOADED = 503;
const MAX_MS = 100;
/** Of fewer requests, one pause of the machine or of a slow disk is in the last hundredth. */
const REQUESTS_FOR_P99 = 1_000;
/** On a slow or busy machine a calm API itself is hardly faster than the promise. */
const MAX_TIMES_CALM = 3;

const CROWD = fileURLToPath(new URL("./crowd.ts", import.meta.url));
const BYTES_PER_KIB = 1_024;

export interface Ports {
  readonly httpPort: number;
  readonly httpsPort: number;
}

export interface RequestContent {
  readonly body?: unknown;
  readonly cookie?: string;
}

/** A client on the network. Each address of 127.0.0.0/8 is another client to the service. */
export class Client {
  readonly #ports: Ports;
  readonly #address: string;
  readonly #agent = new Agent({ rejectUnauthorized: false, keepAlive: false, maxCachedSessions: 0 });

  constructor(ports: Ports, address: string) {
    this.#ports = ports;
    this.#address = address;
  }

  /** One request by HTTPS on a connection of its own. Rejects when it is not answered. */
  send(method: string, path: string, sent?: RequestContent): Promise<Answer> {
    const to = { port: this.#ports.httpsPort, agent: this.#agent, open: request };
    return this.#send(to, method, path, sent);
  }

  /** The same by plain HTTP, which costs no handshake. */
  sendPlainly(method: string, path: string, sent?: RequestContent): Promise<Answer> {
    return this.#send({ port: this.#ports.httpPort, agent: false }, method, path, sent);
  }

  /** As the page does it: where too many sign in, it tries again, twice. The answer's time is that of all of it. */
  async signIn(email: string, password: string): Promise<Answer> {
    const began = performance.now();
    for (let triesLeft = 2; ; triesLeft -= 1) {
      const answer = await this.send("POST", "/api/login", { body: { email, password } });
      if (answer.status !== OVERLOADED || triesLeft === 0)
        return { ...answer, ms: performance.now() - began };
      await pause(Number(answer.headers["retry-after"]) * 1_000);
    }
  }

  #send(to: Target, method: string, path: string, { body, cookie }: RequestContent = {}): Promise<Answer> {
    const headers = {
      ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      ...(cookie === undefined ? {} : { Cookie: cookie }),
    };
    const text = body === undefined ? "" : JSON.stringify(body);
    return exchange({ ...to, localAddress: this.#address }, method, path, { headers, body: text });
  }
}

/**
 * Sends a crowd, in a process that gives way to the service: an attacker has a processor of its own. Resolves once all of it is at
 * work, to the function that ends it.
 */
export async function sendCrowd(
  appliance: Program,
  task: Partial<CrowdTask>,
): Promise<() => Promise<CrowdAnswers>> {
  const { httpPort, httpsPort } = appliance;
  const own = { what: "ask", addresses: ["127.0.0.66"], connectionsOfEach: 1, pauseMs: 0 } as const;
  const whole: CrowdTask = { ...own, cookie: "", requests: [], httpPort, httpsPort, ...task };
  const child = fork(CROWD, [JSON.stringify(whole)]);
  appliance.adopt(child);
  setPriority(child.pid ?? 0, constants.priority.PRIORITY_LOW);
  await once(child, "message");
  return async () => {
    const answered = once(child, "message");
    child.send("end");
    const [answers] = (await answered) as [CrowdAnswers];
    return answers;
  };
}

/** What a process holds in memory, by what the kernel says. */
export function residentBytes(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) * BYTES_PER_KIB;
}

/** How some requests of a kind were answered. */
export interface Latency {
  readonly count: number;
  /** How often each status came; 0: no answer. */
  readonly statuses: Readonly<Record<number, number>>;
  /** Not answered, or with another status than 200. */
  readonly failures: readonly string[];
  readonly p50Ms: number;
  readonly p90Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

/** Sends requests at a steady rate, without waiting for earlier answers, until `isOver`. */
export async function paced(
  perSecond: number,
  isOver: () => boolean,
  ask: (index: number) => Promise<Answer>,
): Promise<Latency> {
  const startMs = performance.now();
  const times: number[] = [];
  const failures: string[] = [];
  const statuses: Record<number, number> = {};
  const asked: Promise<void>[] = [];
  const askOnce = async (index: number): Promise<void> => {
    const { status, ms, error } = await ask(index).then(
      (answer) => ({ ...answer, error: undefined }),
      (reason: unknown) => ({ status: 0, ms: undefined, error: String(reason) }),
    );
    statuses[status] = (statuses[status] ?? 0) + 1;
    if (ms !== undefined) times.push(ms);
    if (status !== 200) failures.push(error ?? `status ${status}`);
  };
  for (let done = 0; !isOver(); done += 1) {
    asked.push(askOnce(done));
    await pause(Math.max(0, startMs + ((done + 1) * 1_000) / perSecond - performance.now()));
  }
  await Promise.all(asked);
  return {
    count: asked.length,
    statuses,
    failures,
    p50Ms: percentile(times, 50),
    p90Ms: percentile(times, 90),
    p99Ms: percentile(times, 99),
    maxMs: percentile(times, 100),
  };
}

/** The least value that this percentage of all does not exceed. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((sorted.length * percent) / 100) - 1)] ?? Number.NaN;
}

/** Prints the figures of an attack, and expects that the requests under it were answered, and as fast as promised. */
export function expectUndisturbed(
  attacked: Latency,
  calm: { readonly before: Latency; readonly after: Latency },
): void {
  for (const [what, { count, failures, p50Ms, p90Ms, p99Ms, maxMs }] of Object.entries({
    ...calm,
    attacked,
  })) {
    const ms = [p50Ms, p90Ms, p99Ms, maxMs].map((value) => value.toFixed(1)).join(" / ");
    const figures = `${ms} ms (median / 90th / 99th percentile / longest)`;
    console.log(`    ${what}: ${count} requests, ${failures.length} failures, ${figures}`);
  }
  expect(attacked.failures).to.deep.equal([]);
  const compared = attacked.count < REQUESTS_FOR_P99 ? "p90Ms" : "p99Ms";
  const calmMs = Math.max(calm.before[compared], calm.after[compared]);
  expect(attacked[compared], compared).to.be.below(Math.max(MAX_MS, MAX_TIMES_CALM * calmMs));
}
