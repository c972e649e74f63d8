import type { LiveEvent } from "../api/live-event.ts";

/** What is told of the server. `behind`: changes may have been missed; whatever was fetched is to be fetched anew. */
export type NewsEvent = Exclude<LiveEvent, { readonly kind: "hello" }> | { readonly kind: "behind" };

/** Told to whoever listens, as it comes. */
export type NewsListener = (event: NewsEvent) => void;

/** Where news can be listened to. */
export class News {
  readonly #listeners = new Set<NewsListener>();

  /** Gives back the way to stop. */
  listen(listener: NewsListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  readonly tell = (event: NewsEvent): void => {
    for (const listener of this.#listeners) listener(event);
  };
}
