import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { ScriptFailure } from "../scripts/command.ts";

/** What the load process is asked: one window of requests to one server. */
export interface Job {
  readonly port: number;
  /** Cookie header; empty: none. */
  readonly cookie: string;
  /** Where to post records; null: none. */
  readonly posts: { readonly path: string; readonly connections: number } | null;
  /** Summaries to ask for beside the posts, or alone; null: none. */
  readonly summaries: {
    readonly path: string;
    readonly connections: number;
    /** Requests a second over all connections; null: closed loop, the next one when one is answered. */
    readonly perSecond: number | null;
  } | null;
  /** Time under load before the window opens. */
  readonly rampMs: number;
  readonly windowMs: number;
}

/** What one kind of request came to. Latencies are of the window alone. */
export interface Answered {
  /** Answers with success within the window, per second. */
  readonly perSecond: number;
  /** All answers with success, also before and after the window. */
  readonly acknowledged: number;
  readonly latencyMs: { readonly min: number; readonly median: number; readonly p99: number };
}

export interface JobResult {
  readonly posts: Answered | null;
  readonly summaries: Answered | null;
}

export type JobAnswer = { readonly result: JobResult } | { readonly failure: string };

/** The process that makes the load, seen from the benchmark. */
export class LoadProcess {
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;

  constructor() {
    this.#child = fork(join(import.meta.dirname, "load.ts"));
    this.#ended = once(this.#child, "exit");
  }

  /** Runs one job; one at a time. Throws ScriptFailure when any answer was not a success. */
  async run(job: Job): Promise<JobResult> {
    const answered = once(this.#child, "message") as Promise<[JobAnswer]>;
    this.#child.send(job);
    const first = await Promise.race([answered, this.#ended.then(() => undefined)]);
    if (first === undefined) throw new ScriptFailure("the load process ended");
    const [answer] = first;
    if ("failure" in answer) throw new ScriptFailure(`under load: ${answer.failure}`);
    return answer.result;
  }

  async close(): Promise<void> {
    this.#child.kill();
    await this.#ended;
  }
}
