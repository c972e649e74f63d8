import { statusOf } from "./failure.ts";
import type { Json } from "./read.ts";
import { type Message, open, send } from "./send.ts";

const UNAUTHORIZED = 401;

/**
 * The server as one session sees it. Every method throws ApiFailure for an answer that is not 2xx. A 401 to
 * any request ends the session, told once to whoever made this.
 */
export class Api {
  readonly #onEnded: () => void;
  readonly #abort = new AbortController();

  constructor(onEnded: () => void) {
    this.#onEnded = onEnded;
  }

  /** Gives the body of a 2xx answer. */
  get(path: string): Promise<Json> {
    return this.#send({ method: "GET", path });
  }

  post(path: string, body: unknown): Promise<Json> {
    return this.#send({ method: "POST", path, body });
  }

  put(path: string, body: unknown): Promise<Json> {
    return this.#send({ method: "PUT", path, body });
  }

  patch(path: string, body: unknown): Promise<Json> {
    return this.#send({ method: "PATCH", path, body });
  }

  delete(path: string): Promise<Json> {
    return this.#send({ method: "DELETE", path });
  }

  /** Gives a 2xx answer whose body is still to come, for what is read piece by piece. */
  stream(path: string): Promise<Response> {
    return this.#watch(open({ method: "GET", path, signal: this.#abort.signal }));
  }

  /** Abandons what is under way. Later requests fail. */
  close(): void {
    this.#abort.abort();
  }

  #send(message: Message): Promise<Json> {
    return this.#watch(send({ ...message, signal: this.#abort.signal }));
  }

  async #watch<T>(answer: Promise<T>): Promise<T> {
    try {
      return await answer;
    } catch (error) {
      if (statusOf(error) === UNAUTHORIZED && !this.#abort.signal.aborted) {
        this.close();
        this.#onEnded();
      }
      throw error;
    }
  }
}
