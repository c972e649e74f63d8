import type { Ahead } from "./ahead.ts";
import { statusOf } from "./failure.ts";
import type { Json } from "./read.ts";
import { type Message, open, send } from "./send.ts";

const UNAUTHORIZED = 401;
/** How far changes had been told when an answer was read. */
const POSITION_HEADER = "x-flanco-at";

export interface ApiListener {
  /** The session has ended: told once. */
  onEnded(): void;
  /** Something was read; `at` is how far changes had been told then, null where that is not known, or it failed. */
  onRead(at: string | null): void;
}

/**
 * The server as one session sees it. Every method throws ApiFailure for an answer that is not 2xx. A 401 to
 * any request ends the session.
 */
export class Api {
  readonly #ahead: Ahead;
  readonly #listener: ApiListener;
  readonly #abort = new AbortController();

  /** `ahead`: what was asked for before. */
  constructor(ahead: Ahead, listener: ApiListener) {
    this.#ahead = ahead;
    this.#listener = listener;
  }

  /** Gives the body of a 2xx answer. */
  async get(path: string): Promise<Json> {
    let at: string | null = null;
    try {
      const { headers, body } = await this.#watch(this.#ahead.get(path, this.#abort.signal));
      at = headers.get(POSITION_HEADER);
      return body;
    } finally {
      this.#listener.onRead(at);
    }
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
    return this.#watch(open(this.#own({ method: "GET", path })));
  }

  /** Abandons what is under way. Later requests fail. */
  close(): void {
    this.#abort.abort();
  }

  async #send(message: Message): Promise<Json> {
    return (await this.#watch(send(this.#own(message)))).body;
  }

  /** As a message that is abandoned with the session. */
  #own(message: Message): Message {
    return { ...message, signal: this.#abort.signal };
  }

  async #watch<T>(answer: Promise<T>): Promise<T> {
    try {
      return await answer;
    } catch (error) {
      if (statusOf(error) === UNAUTHORIZED && !this.#abort.signal.aborted) {
        this.close();
        this.#listener.onEnded();
      }
      throw error;
    }
  }
}
