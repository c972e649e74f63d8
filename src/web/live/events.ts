import type { EventData, EventName } from "../../contract/event.ts";

/** A room that was switched. `time` is Unix milliseconds. */
export type RoomChange = EventData["actuator"];

export type ServerEvent = {
  [Kind in keyof EventData]: { readonly kind: Kind; readonly data: EventData[Kind] };
}[keyof EventData];

export const SERVER_EVENTS = [
  "hello",
  "beat",
  "record",
  "void",
  "time",
  "actuator",
  "paid",
  "locations",
  "gap",
  "tests",
  "commission",
  "settlement",
] as const satisfies readonly EventName[];

/**
 * A change that the page is told. `missed`: changes may have been missed, so what was fetched must be fetched again. `round`:
 * the same now and then, where nothing tells of changes.
 */
export type LiveEvent =
  | Exclude<ServerEvent, { readonly kind: "hello" | "beat" }>
  | { readonly kind: "missed" | "round" };

export type LiveListener = (event: LiveEvent) => void;

/** Passes live events on to the parts of the page that listen. */
export class LiveEvents {
  readonly #listeners = new Set<LiveListener>();

  /** Returns the function that stops it. */
  listen(listener: LiveListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  tell(event: LiveEvent): void {
    for (const listener of this.#listeners) listener(event);
  }
}
