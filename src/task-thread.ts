import type { Worker, WorkerOptions } from "node:worker_threads";
import type { FlancoError } from "./domain/error.ts";
import { startThread, type THREAD_SOURCES } from "./thread.ts";

/** An idle thread would hold 10 MB for days. */
const IDLE_MS = 60_000;

/** What a thread is started with, and the error of tasks that it cannot answer. */
export interface TaskThreadOptions extends Pick<WorkerOptions, "workerData" | "resourceLimits"> {
  readonly source: keyof typeof THREAD_SOURCES;
  readonly refusal: () => FlancoError;
}

/** A thread that answers tasks in their order. The first task starts it, and it ends when it was idle for a minute. */
export class TaskThread<Task, Answer> {
  readonly #options: TaskThreadOptions;
  #closed = false;
  #worker: Worker | undefined;
  /** The tasks that the thread has not answered, in its order. */
  #waiting: PromiseWithResolvers<Answer>[] = [];
  #idle: NodeJS.Timeout | undefined;

  constructor(options: TaskThreadOptions) {
    this.#options = options;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#end();
  }

  /** Rejects with the refusal when the thread dies or is closed first. */
  async submit(task: Task): Promise<Answer> {
    if (this.#closed) throw this.#options.refusal();
    const worker = this.#worker ?? this.#start();
    const answer = Promise.withResolvers<Answer>();
    this.#waiting.push(answer);
    clearTimeout(this.#idle);
    worker.ref();
    worker.postMessage(task);
    return answer.promise;
  }

  #start(): Worker {
    const { source, refusal: _, ...options } = this.#options;
    const worker = startThread(source, { name: `flanco-${source}`, ...options });
    worker.on("message", (answer: Answer) => {
      if (this.#worker !== worker) return;
      this.#waiting.shift()?.resolve(answer);
      if (this.#waiting.length > 0) return;
      // An idle thread does not keep the process alive.
      worker.unref();
      this.#idle = setTimeout(() => void this.#end(), IDLE_MS).unref();
    });
    // A thread that dies emits both. Another thread may run by then.
    for (const event of ["error", "exit"]) {
      worker.on(event, () => {
        if (this.#worker === worker) void this.#end();
      });
    }
    this.#worker = worker;
    return worker;
  }

  /** Ends the thread and refuses its tasks; the next task starts another. */
  async #end(): Promise<void> {
    const [worker, waiting] = [this.#worker, this.#waiting];
    this.#worker = undefined;
    this.#waiting = [];
    clearTimeout(this.#idle);
    for (const { reject } of waiting) reject(this.#options.refusal());
    await worker?.terminate();
  }
}
