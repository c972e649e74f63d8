import { type Answer, type Message, send } from "./send.ts";

/** For so long an answer waits for whoever takes it: later it would be old. */
const KEPT_MS = 10_000;
/** What a view may wait for its answers so as to be drawn once: less than a person notices. */
const PATIENCE_MS = 150;

/** Requests that leave before anything is there to show their answers, each answer for the first who asks for its path. */
export class Ahead {
  readonly #send: (message: Message) => Promise<Answer>;
  readonly #answers = new Map<string, Promise<Answer>>();

  /** `request`: how one is sent. */
  constructor(request = send) {
    this.#send = request;
  }

  /** Asks for each of the paths. */
  ask(paths: readonly string[]): void {
    for (const path of paths) {
      const answer = this.#send({ method: "GET", path });
      // Whoever takes it hears of it; an answer that nobody takes is nobody's failure.
      answer.catch(() => {});
      this.#answers.set(path, answer);
    }
    setTimeout(() => this.#answers.clear(), KEPT_MS);
  }

  /** Resolves once every answer that nobody took has come or failed, and soon in any case. */
  async settled(): Promise<void> {
    await Promise.race([
      Promise.allSettled(this.#answers.values()),
      new Promise((resolve) => setTimeout(resolve, PATIENCE_MS)),
    ]);
  }

  /** The answer to what was asked for before, or to a new request. Rejects as `send` of send.ts does. */
  get(path: string, signal?: AbortSignal): Promise<Answer> {
    const answer = this.#answers.get(path);
    this.#answers.delete(path);
    return (
      answer ?? this.#send(signal === undefined ? { method: "GET", path } : { method: "GET", path, signal })
    );
  }
}
