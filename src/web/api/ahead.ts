import { open } from "./send.ts";

/** For so long an answer waits for whoever takes it: later it would be old. */
const KEPT_MS = 10_000;

/** Requests that leave before anything is there to show their answers, each answer for the first who asks for its path. */
export class Ahead {
  readonly #answers = new Map<string, Promise<Response>>();

  /** Asks for each of the paths. */
  ask(paths: readonly string[]): void {
    for (const path of paths) {
      const answer = open({ method: "GET", path });
      // Whoever takes it hears of it; an answer that nobody takes is nobody's failure.
      answer.catch(() => {});
      this.#answers.set(path, answer);
    }
    setTimeout(() => this.#answers.clear(), KEPT_MS);
  }

  /** The answer to what was asked for before, or to a new request. Rejects as `open` of send.ts does. */
  get(path: string, signal?: AbortSignal): Promise<Response> {
    const answer = this.#answers.get(path);
    this.#answers.delete(path);
    return answer ?? open(signal === undefined ? { method: "GET", path } : { method: "GET", path, signal });
  }
}
