import type { Worker } from "node:worker_threads";
import { FlancoError } from "../domain/error.ts";
import { type PasswordHasher, passwordBytes } from "../domain/password.ts";
import { PASSWORD_MAX_BYTES } from "../domain/user.ts";
import { startThread } from "../thread.ts";
import type { PasswordAnswer, PasswordTask } from "./password-message.ts";

/** Tasks that may wait: at a quarter of a second each, more would not be answered in time. */
const MAX_WAITING = 256;

interface Waiting {
  resolve(result: string | boolean): void;
  reject(error: FlancoError): void;
}

/** A thread takes 10 MB, and days pass without a sign-in. */
const IDLE_MS = 60_000;

/** bcrypt in a worker thread, which is there while it is needed: forty sign-ins at once would stall the main one for seconds. */
export class WorkerPasswordHasher implements PasswordHasher {
  #open = false;
  #worker: Worker | undefined;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;
  #idle: NodeJS.Timeout | undefined;

  /** Its thread is started by the first task. */
  open(): void {
    this.#open = true;
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    this.#open = false;
    this.#worker = undefined;
    clearTimeout(this.#idle);
    await worker?.terminate();
    this.#fail();
  }

  #start(): Worker {
    const worker = startThread("password", { name: "flanco-password" });
    worker.unref();
    worker.on("message", (answer: PasswordAnswer) => {
      this.#take(answer.id)?.resolve(answer.result);
      if (this.#waiting.size === 0) this.#rest(worker);
    });
    worker.on("error", () => this.#bury(worker));
    worker.on("exit", () => this.#bury(worker));
    this.#worker = worker;
    return worker;
  }

  /** Nothing waits: the thread keeps no process alive, and ends when that goes on. */
  #rest(worker: Worker): void {
    worker.unref();
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => {
      if (this.#worker !== worker || this.#waiting.size > 0) return;
      this.#worker = undefined;
      void worker.terminate();
    }, IDLE_MS).unref();
  }

  /** What waited for a thread that died is refused; the next task starts another. */
  #bury(worker: Worker): void {
    // It is told twice, as an error and as an end, and there may be another thread by then.
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    this.#fail();
  }

  async hash(password: string): Promise<string> {
    return String(await this.#submit({ kind: "hash", password }));
  }

  async matches(password: string, hash: string | null): Promise<boolean> {
    // bcrypt would compare the first 72 bytes and call a longer password right.
    const candidate = passwordBytes(password) > PASSWORD_MAX_BYTES ? "" : password;
    const same = await this.#submit({ kind: "compare", password: candidate, hash });
    return same === true && candidate === password && hash !== null;
  }

  #submit(task: PasswordTask): Promise<string | boolean> {
    if (!this.#open) return Promise.reject(cannotCheck());
    if (this.#waiting.size >= MAX_WAITING) {
      return Promise.reject(
        new FlancoError("overloaded", "Too many people are signing in.", {
          hint: "Try again in a few seconds.",
        }),
      );
    }
    const worker = this.#worker ?? this.#start();
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      worker.ref();
      worker.postMessage({ id, task });
    });
  }

  #take(id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    return waiting;
  }

  #fail(): void {
    for (const id of [...this.#waiting.keys()]) {
      this.#take(id)?.reject(cannotCheck());
    }
  }
}

function cannotCheck(): FlancoError {
  return new FlancoError("unavailable", "Passwords cannot be checked.", { hint: "Try again in a second." });
}
