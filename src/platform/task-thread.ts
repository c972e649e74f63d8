import { readlinkSync } from "node:fs";
import { getPriority, setPriority } from "node:os";
import { basename } from "node:path";
import type { Worker, WorkerOptions } from "node:worker_threads";
import type { FlancoError } from "../domain/error.ts";
import { startThread, type THREAD_SOURCES } from "./thread.ts";

/** A thread that is idle for this long ends: it would hold 10 MB for days. */
const IDLE_MS = 60_000;

/** The options of a thread, and the error for tasks that it cannot answer. */
export interface TaskThreadOptions extends Pick<WorkerOptions, "workerData" | "resourceLimits"> {
  readonly source: keyof typeof THREAD_SOURCES;
  readonly refusal: () => FlancoError;
  /** How long the thread may work on one task, and the error of a task that takes longer. By default any time. */
  readonly deadline?: { readonly ms: number; readonly refusal: () => FlancoError };
}

interface WaitingTask<Task, Answer> extends PromiseWithResolvers<Answer> {
  readonly task: Task;
}

/**
 * A thread that answers tasks in their order. The first task starts it, and it ends after an idle
 * minute. A task beyond its deadline ends it, too; then another thread does the waiting tasks.
 */
export class TaskThread<Task, Answer> {
  readonly #options: TaskThreadOptions;
  #closed = false;
  #worker: Worker | undefined;
  /** The tasks that the thread has not answered, in its order. */
  #waiting: WaitingTask<Task, Answer>[] = [];
  #idle: NodeJS.Timeout | undefined;
  #late: NodeJS.Timeout | undefined;

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
    const answer = Promise.withResolvers<Answer>();
    this.#post({ task, ...answer });
    return answer.promise;
  }

  #post(waiting: WaitingTask<Task, Answer>): void {
    const worker = this.#worker ?? this.#start();
    // Sent before it is added to the waiting tasks: one that cannot be sent would get the answer of the next.
    worker.postMessage(waiting.task);
    if (this.#waiting.push(waiting) === 1) this.#beginFirst();
    clearTimeout(this.#idle);
    worker.ref();
  }

  /** Begins the deadline of the first waiting task, on which the thread works from now on. */
  #beginFirst(): void {
    const { deadline } = this.#options;
    clearTimeout(this.#late);
    if (deadline === undefined || this.#waiting.length === 0) return;
    this.#late = setTimeout(() => {
      const [first, ...others] = this.#waiting;
      this.#waiting = [];
      void this.#end();
      first?.reject(deadline.refusal());
      for (const other of others) this.#post(other);
    }, deadline.ms);
  }

  #start(): Worker {
    const { source, workerData, resourceLimits } = this.#options;
    const worker = startThread(source, {
      name: `flanco-${source}`,
      workerData,
      ...(resourceLimits === undefined ? {} : { resourceLimits }),
    });
    worker.on("message", (answer: Answer) => {
      if (this.#worker !== worker) return;
      this.#waiting.shift()?.resolve(answer);
      this.#beginFirst();
      if (this.#waiting.length > 0) return;
      // An idle thread does not keep the process alive.
      worker.unref();
      this.#idle = setTimeout(() => void this.#end(), IDLE_MS).unref();
    });
    // A thread that dies emits both events. Another thread may run by the second.
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
    clearTimeout(this.#late);
    for (const { reject } of waiting) reject(this.#options.refusal());
    await worker?.terminate();
  }
}

/** Gives a thread a third of the processor time that the service's own threads get while both are busy. */
const NICER = 5;
const MOST_NICE = 19;

/** Lowers the priority of this thread alone, which Linux allows: serving and recording come first. */
export function giveWay(): void {
  try {
    const thread = Number(basename(readlinkSync("/proc/thread-self")));
    setPriority(thread, Math.min(MOST_NICE, getPriority(thread) + NICER));
  } catch {
    // A sandbox may forbid it, or have no /proc. Then the threads share the processor equally.
  }
}
