import { SERVER_EVENTS, type ServerEvent } from "./events.ts";

/** `live` once the server has said hello; `lost` when what is shown may be out of date. */
export type LiveState = "connecting" | "live" | "lost";

export interface LiveListener {
  onState(state: LiveState): void;
  onEvent(event: ServerEvent): void;
  /** The server refused the stream: find out why (an ended session, say). A new try follows. */
  onRefused(): void;
}

const RETRY_FIRST_MS = 1_000;
const RETRY_LONGEST_MS = 15_000;
/** A hidden page closes its connection after this time: a browser has few connections to one server. */
const HIDDEN_MS = 30_000;

/** The stream of live events: reconnects by itself, also after sleep and after a refusal. */
export class LiveConnection {
  readonly #listener: LiveListener;
  #source: EventSource | undefined;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #rest: ReturnType<typeof setTimeout> | undefined;
  #retryMs = RETRY_FIRST_MS;

  constructor(listener: LiveListener) {
    this.#listener = listener;
  }

  open(): void {
    document.addEventListener("visibilitychange", this.#onVisibility);
    addEventListener("online", this.renew);
    addEventListener("offline", this.#onOffline);
    this.#connect();
  }

  close(): void {
    document.removeEventListener("visibilitychange", this.#onVisibility);
    removeEventListener("online", this.renew);
    removeEventListener("offline", this.#onOffline);
    clearTimeout(this.#rest);
    this.#disconnect();
  }

  /** Drops the connection and makes another, for when it may be dead without knowing. */
  readonly renew = (): void => {
    this.#lose();
    this.#connect();
  };

  #connect(): void {
    this.#disconnect();
    const source = new EventSource("/api/event");
    this.#source = source;
    source.addEventListener("error", () => this.#onError(source));
    for (const kind of SERVER_EVENTS) {
      source.addEventListener(kind, (event: MessageEvent<string>) =>
        this.#onEvent({ kind, data: JSON.parse(event.data) }),
      );
    }
  }

  #disconnect(): void {
    clearTimeout(this.#retry);
    this.#source?.close();
    this.#source = undefined;
  }

  #lose(): void {
    this.#disconnect();
    this.#listener.onState("lost");
  }

  #onEvent(event: ServerEvent): void {
    if (event.kind === "hello") {
      this.#retryMs = RETRY_FIRST_MS;
      this.#listener.onState("live");
    }
    this.#listener.onEvent(event);
  }

  #onError(source: EventSource): void {
    this.#listener.onState("lost");
    // The browser tries again by itself when a connection breaks, but not when an answer was a refusal.
    if (source.readyState !== EventSource.CLOSED) return;
    this.#listener.onRefused();
    this.#retry = setTimeout(() => this.#connect(), this.#retryMs);
    this.#retryMs = Math.min(this.#retryMs * 2, RETRY_LONGEST_MS);
  }

  /** The network is gone: nothing tells the stream, which would wait for ever. */
  readonly #onOffline = (): void => this.#lose();

  readonly #onVisibility = (): void => {
    clearTimeout(this.#rest);
    if (document.hidden) this.#rest = setTimeout(() => this.#lose(), HIDDEN_MS);
    else if (this.#source === undefined) this.#connect();
  };
}
