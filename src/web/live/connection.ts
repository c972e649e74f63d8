import { SERVER_EVENTS, type ServerEvent } from "./events.ts";
import { isAsNew } from "./loading.ts";

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
/** A stream that tells nothing for so long is dead: the server beats every 15 s (src/http/event.ts). */
const SILENCE_MS = 35_000;
/** How often that is looked at: by the time of day, because a timer stands still while the machine sleeps. */
const LOOK_MS = 1_000;
/** How much later than an answer a live stream may tell of the same change. */
const BEHIND_MS = 2_000;

/** The stream of live events: reconnects by itself, also after sleep and after a refusal. */
export class LiveConnection {
  readonly #listener: LiveListener;
  #source: EventSource | undefined;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #rest: ReturnType<typeof setTimeout> | undefined;
  #silenceTimer: ReturnType<typeof setInterval> | undefined;
  #retryMs = RETRY_FIRST_MS;
  /** The position up to which the stream has told all; empty before the first hello. */
  #at = "";
  /** Since when it has been silent. */
  #silentSinceMs = Date.now();
  #heardMs = Date.now();

  constructor(listener: LiveListener) {
    this.#listener = listener;
  }

  /** When the last event came, by this machine's clock, in Unix milliseconds; before the first, when the page began. */
  get heardMs(): number {
    return this.#heardMs;
  }

  open(): void {
    document.addEventListener("visibilitychange", this.#onVisibility);
    document.addEventListener("resume", this.#onReturn);
    addEventListener("pageshow", this.#onShow);
    addEventListener("online", this.renew);
    addEventListener("offline", this.#onOffline);
    this.#silentSinceMs = Date.now();
    this.#silenceTimer = setInterval(() => {
      if (this.#source !== undefined && this.#isSilent()) this.renew();
    }, LOOK_MS);
    this.#connect();
  }

  close(): void {
    document.removeEventListener("visibilitychange", this.#onVisibility);
    document.removeEventListener("resume", this.#onReturn);
    removeEventListener("pageshow", this.#onShow);
    removeEventListener("online", this.renew);
    removeEventListener("offline", this.#onOffline);
    clearTimeout(this.#rest);
    clearInterval(this.#silenceTimer);
    this.#disconnect();
  }

  /** Takes the position of an answer: a stream that does not come there soon is dead. */
  onRead(at: string): void {
    const source = this.#source;
    const isBehind = () => source !== undefined && source === this.#source && !isAsNew(this.#at, at);
    if (this.#at === "" || !isBehind()) return;
    setTimeout(() => isBehind() && this.renew(), BEHIND_MS);
  }

  /** Drops the connection and makes another, for when it may be dead without knowing. */
  readonly renew = (): void => {
    this.#lose();
    this.#silentSinceMs = Date.now();
    this.#connect();
  };

  #isSilent(): boolean {
    const silentMs = Date.now() - this.#silentSinceMs;
    // A negative one: the clock was set back.
    return silentMs < 0 || silentMs > SILENCE_MS;
  }

  #connect(): void {
    this.#disconnect();
    const source = new EventSource("/api/event");
    this.#source = source;
    source.addEventListener("error", () => this.#onError(source));
    for (const kind of SERVER_EVENTS) {
      source.addEventListener(kind, (event: MessageEvent<string>) =>
        this.#onEvent({ kind, data: JSON.parse(event.data) }, event.lastEventId),
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

  #onEvent(event: ServerEvent, at: string): void {
    this.#at = at;
    this.#heardMs = Date.now();
    this.#silentSinceMs = this.#heardMs;
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
    else this.#onReturn();
  };

  /**
   * The page was out of use, and the stream may have died meanwhile. One that was heard lately is replaced without a word of a
   * loss, so that nothing flickers.
   */
  readonly #onReturn = (): void => {
    if (document.hidden) return;
    if (this.#isSilent()) this.renew();
    else this.#connect();
  };

  readonly #onShow = (event: PageTransitionEvent): void => {
    if (event.persisted) this.#onReturn();
  };
}
