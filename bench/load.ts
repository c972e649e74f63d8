// The load, in a process of its own, so that it shares no event loop with what it measures. Forked by
// the benchmark; takes one job at a time and answers each.

import { performance } from "node:perf_hooks";
import { ScriptFailure } from "../scripts/command.ts";
import { SECOND_MS } from "../src/domain/clock.ts";
import { Connection } from "./connection.ts";
import type { Answered, Job, JobAnswer, JobResult } from "./load-process.ts";

const HTTP_CREATED = 201;
const HTTP_OK = 200;
/** Bodies that one connection posts in turn. */
const BODIES = 16;

/** The times between which answers count. */
interface Window {
  readonly fromMs: number;
  readonly untilMs: number;
}

/** One kind of request on several connections. */
class Stream {
  readonly #status: number;
  readonly #window: Window;
  readonly #latenciesMs: number[] = [];
  #acknowledged = 0;

  constructor(status: number, window: Window) {
    this.#status = status;
    this.#window = window;
  }

  /**
   * Asks every `everyMs` from `firstMs` on, or when the answer is there if that is later, until the window closes; resolves with
   * the last answer. 0 is a closed loop.
   */
  ask(connection: Connection, requests: readonly Buffer[], everyMs = 0, firstMs = 0): Promise<void> {
    return new Promise((resolve, reject) => {
      let dueMs = firstMs;
      let turn = 0;
      const next = (): void => {
        const sentMs = performance.now();
        const request = requests[turn % requests.length];
        turn += 1;
        if (request === undefined || sentMs >= this.#window.untilMs) {
          resolve();
          return;
        }
        const onAnswer = (status: number): void => {
          dueMs = Math.max(dueMs + everyMs, sentMs);
          if (this.#count(status, sentMs)) onTime();
          else reject(new ScriptFailure(`an answer with status ${status}`));
        };
        connection.ask(request, onAnswer, reject);
      };
      const onTime = (): void => {
        const waitMs = dueMs - performance.now();
        if (waitMs <= 0) next();
        else setTimeout(next, waitMs);
      };
      onTime();
    });
  }

  /** Throws when there is nothing to tell of: figures of nothing would pass for quick ones. */
  result(): Answered {
    if (this.#latenciesMs.length === 0) {
      throw new ScriptFailure(
        "nothing was answered in the time that counts: the machine is too busy to measure",
      );
    }
    const sorted = Float64Array.from(this.#latenciesMs).sort();
    const at = (share: number): number => sorted[Math.floor(share * (sorted.length - 1))] ?? 0;
    const seconds = (this.#window.untilMs - this.#window.fromMs) / SECOND_MS;
    return {
      perSecond: sorted.length / seconds,
      acknowledged: this.#acknowledged,
      latencyMs: { min: at(0), median: at(0.5), p99: at(0.99) },
    };
  }

  #count(status: number, sentMs: number): boolean {
    if (status !== this.#status) return false;
    this.#acknowledged += 1;
    const nowMs = performance.now();
    if (nowMs >= this.#window.fromMs && nowMs < this.#window.untilMs) this.#latenciesMs.push(nowMs - sentMs);
    return true;
  }
}

async function run(job: Job): Promise<JobResult> {
  const { port, posts, summaries, rampMs, windowMs } = job;
  const connections = await Promise.all(
    Array.from({ length: (posts?.connections ?? 0) + (summaries?.connections ?? 0) }, () =>
      Connection.open(port),
    ),
  );
  try {
    const startMs = performance.now();
    const window = { fromMs: startMs + rampMs, untilMs: startMs + rampMs + windowMs };
    const posting = new Stream(HTTP_CREATED, window);
    const reading = new Stream(HTTP_OK, window);
    await Promise.all(
      connections.map((connection, index) => {
        if (posts !== null && index < posts.connections) {
          return posting.ask(connection, postRequests(job, posts.path, index));
        }
        if (summaries === null) return undefined;
        const request = getRequest(job, summaries.path);
        if (summaries.perSecond === null) return reading.ask(connection, [request]);
        const everyMs = (summaries.connections * SECOND_MS) / summaries.perSecond;
        const offsetMs = ((index - (posts?.connections ?? 0)) * everyMs) / summaries.connections;
        return reading.ask(connection, [request], everyMs, startMs + offsetMs);
      }),
    );
    return {
      posts: posts === null ? null : posting.result(),
      summaries: summaries === null ? null : reading.result(),
    };
  } finally {
    for (const connection of connections) connection.close();
  }
}

/** Posts of one corridor's rooms, at a few prices. */
function postRequests(job: Job, path: string, connection: number): Buffer[] {
  return Array.from({ length: BODIES }, (_, index) => {
    const body = JSON.stringify({
      locationName: `Clínica ${connection % 4}`,
      deviceName: `Pasillo ${connection % 8}`,
      deviceId: `6741a2b3c4d5e6f7${String(connection % 32).padStart(8, "0")}`,
      habitacion: String(100 + index),
      valor: 2.5 + (index % 4) * 0.75,
      createdTime: Date.now(),
    });
    const headers = [
      `POST ${path} HTTP/1.1`,
      `Host: 127.0.0.1:${job.port}`,
      "Content-Type: application/json",
      `Content-Length: ${Buffer.byteLength(body)}`,
      ...(job.cookie === "" ? [] : [`Cookie: ${job.cookie}`]),
    ];
    return Buffer.from(`${headers.join("\r\n")}\r\n\r\n${body}`);
  });
}

function getRequest(job: Job, path: string): Buffer {
  return Buffer.from(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${job.port}\r\nCookie: ${job.cookie}\r\n\r\n`);
}

process.on("message", async (job: Job) => {
  let answer: JobAnswer;
  try {
    answer = { result: await run(job) };
  } catch (error) {
    answer = { failure: error instanceof Error ? error.message : String(error) };
  }
  process.send?.(answer);
});
