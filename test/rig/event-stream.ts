import type { IncomingMessage } from "node:http";
import type { EventData, EventName } from "../../src/contract/event.ts";

export type LiveEvent = {
  readonly [Name in EventName]: { readonly event: Name; readonly data: EventData[Name] };
}[EventName];

/** An open page: reads the appliance's live events as a browser does. */
export class EventStream {
  readonly response: IncomingMessage;
  readonly #events: LiveEvent[] = [];
  #text = "";
  #onEvent: (() => void) | undefined;
  #ended = false;

  private constructor(response: IncomingMessage) {
    this.response = response;
    response.setEncoding("utf8");
    response.on("data", (chunk: string) => this.#read(chunk));
    response.on("close", () => {
      this.#ended = true;
      this.#onEvent?.();
    });
  }

  /** Resolves with the answer's head, whatever its status. */
  static async open(by: { begin(path: string): Promise<IncomingMessage> }): Promise<EventStream> {
    return new EventStream(await by.begin("/api/event"));
  }

  /** The next event; undefined once the service has ended the stream. */
  async next(): Promise<LiveEvent | undefined> {
    while (this.#events.length === 0 && !this.#ended) {
      await new Promise<void>((resolve) => {
        this.#onEvent = resolve;
      });
    }
    return this.#events.shift();
  }

  /** Hangs up, as a page that is closed. */
  close(): void {
    this.response.destroy();
  }

  #read(chunk: string): void {
    this.#text += chunk;
    const blocks = this.#text.split("\n\n");
    this.#text = blocks.pop() ?? "";
    for (const block of blocks) this.#take(block);
    this.#onEvent?.();
  }

  #take(block: string): void {
    const fields = new Map(block.split("\n").map((line) => line.split(/: (.*)/, 2) as [string, string]));
    const event = fields.get("event");
    // A beat tells of no change.
    if (event === undefined || event === "beat") return;
    this.#events.push({ event, data: JSON.parse(fields.get("data") ?? "null") } as LiveEvent);
  }
}
