import { Agent, type IncomingMessage, request } from "node:http";
import { createInterface } from "node:readline";

const PORT = 8080;
const agent = new Agent({ keepAlive: true });

export interface Answer {
  readonly status: number;
  readonly text: string;
}

/** The service's API as a device in the corridor uses it: plain HTTP on loopback, one session. */
export class Client {
  #cookie = "";

  /** Throws unless the answer is a success. */
  async send(
    method: string,
    path: string,
    body: unknown,
    headers: Record<string, string> = {},
  ): Promise<void> {
    const answer = await this.#open(method, path, JSON.stringify(body), headers);
    const cookie = answer.headers["set-cookie"]?.[0]?.split(";")[0];
    if (cookie !== undefined) this.#cookie = cookie;
    let text = "";
    for await (const chunk of answer) text += String(chunk);
    if ((answer.statusCode ?? 0) >= 300)
      throw new Error(`${method} ${path} answered ${answer.statusCode}: ${text}`);
  }

  /** Hears of every change, one call an event, until the service ends. Resolves once it is listening. */
  async listen(onEvent: (event: string, data: string) => void): Promise<void> {
    const answer = await this.#open("GET", "/api/event", null, {});
    if (answer.statusCode !== 200) throw new Error(`GET /api/event answered ${answer.statusCode}.`);
    // The service ends the stream when it stops, and so may its end be.
    answer.on("error", () => {});
    let event = "";
    const lines = createInterface({ input: answer });
    const hello = new Promise<void>((resolve) => {
      lines.on("line", (line) => {
        if (line.startsWith("event: ")) event = line.slice("event: ".length);
        if (!line.startsWith("data: ")) return;
        if (event === "hello") resolve();
        onEvent(event, line.slice("data: ".length));
      });
    });
    await hello;
  }

  #open(
    method: string,
    path: string,
    body: string | null,
    headers: Record<string, string>,
  ): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const outgoing = request(
        {
          host: "127.0.0.1",
          port: PORT,
          method,
          path,
          agent,
          headers: {
            cookie: this.#cookie,
            ...(body === null ? {} : { "content-type": "application/json" }),
            ...headers,
          },
        },
        resolve,
      );
      outgoing.once("error", reject);
      outgoing.end(body ?? undefined);
    });
  }
}
