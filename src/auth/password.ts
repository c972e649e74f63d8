import type { Worker } from "node:worker_threads";
import { MINUTE_MS } from "../domain/clock.ts";
import { FlancoError } from "../domain/error.ts";
import { PASSWORD_MAX_BYTES, type PasswordHasher, passwordBytes } from "../domain/user.ts";
import { startThread } from "../thread.ts";
import type { PasswordTask } from "./password-thread.ts";

/** An idle thread would hold 10 MB for days. */
const IDLE_MS = MINUTE_MS;

type Result = string | boolean;

/**
 * Runs bcrypt in a worker thread, because forty sign-ins at once would stall the main thread for seconds. The first task
 * starts the thread.
 */
export class WorkerPasswordHasher implements PasswordHasher {
  #closed = false;
  #worker: Worker | undefined;
  /** The tasks that the thread has not answered, in its order. */
  #waiting: PromiseWithResolvers<Result>[] = [];
  #idle: NodeJS.Timeout | undefined;

  async close(): Promise<void> {
    this.#closed = true;
    await this.#end();
  }

  async hash(password: string): Promise<string> {
    return String(await this.#submit({ kind: "hash", password }));
  }

  async matches(password: string, hash: string | null): Promise<boolean> {
    // bcrypt compares only the first 72 bytes, and would accept a longer password.
    const candidate = passwordBytes(password) > PASSWORD_MAX_BYTES ? "" : password;
    const same = await this.#submit({ kind: "compare", password: candidate, hash });
    return same === true && candidate === password && hash !== null;
  }

  async #submit(task: PasswordTask): Promise<Result> {
    if (this.#closed) throw cannotCheck();
    const worker = this.#worker ?? this.#start();
    const answer = Promise.withResolvers<Result>();
    this.#waiting.push(answer);
    clearTimeout(this.#idle);
    worker.ref();
    worker.postMessage(task);
    return answer.promise;
  }

  #start(): Worker {
    const worker = startThread("password", { name: "flanco-password" });
    worker.on("message", (result: Result) => {
      if (this.#worker !== worker) return;
      this.#waiting.shift()?.resolve(result);
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
    for (const { reject } of waiting) reject(cannotCheck());
    await worker?.terminate();
  }
}

function cannotCheck(): FlancoError {
  return new FlancoError("unavailable", "Passwords cannot be checked.", { hint: "Try again in a second." });
}
