import { statusOf } from "./failure.ts";
import type { Json } from "./read.ts";
import { send } from "./send.ts";

const UNAUTHORIZED = 401;

/** The server as one session sees it. A 401 to any request ends the session, told once to whoever made this. */
export class Api {
  readonly #onEnded: () => void;
  readonly #abort = new AbortController();

  constructor(onEnded: () => void) {
    this.#onEnded = onEnded;
  }

  /** Gives the body of a 2xx answer. Throws ApiFailure. */
  async get(path: string): Promise<Json> {
    try {
      return await send({ method: "GET", path, signal: this.#abort.signal });
    } catch (error) {
      if (statusOf(error) === UNAUTHORIZED && !this.#abort.signal.aborted) {
        this.close();
        this.#onEnded();
      }
      throw error;
    }
  }

  /** Abandons what is under way. Later requests fail. */
  close(): void {
    this.#abort.abort();
  }
}
