import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { ScriptFailure } from "../scripts/command.ts";
import type { Job, JobAnswer, JobResult } from "./job.ts";

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
