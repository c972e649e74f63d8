import type { LiveEvent } from "../api/live-event.ts";

/** Told to whoever listens, as live events come. */
export type NewsListener = (event: LiveEvent) => void;

/** Where live events can be listened to. `hello` means: whatever was missed before, ask for it anew. */
export class News {
  readonly #listeners = new Set<NewsListener>();

  /** Gives back the way to stop. */
  listen(listener: NewsListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  readonly tell = (event: LiveEvent): void => {
    for (const listener of this.#listeners) listener(event);
  };
}
