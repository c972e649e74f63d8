import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { CHROMIUM_ARGUMENTS } from "../scripts/chromium.ts";
import { ScriptFailure } from "../scripts/command.ts";

/** A new window of Chromium 156 loads parts of itself for three seconds (those of its address bar), beside what it opens. */
const WINDOW_MS = 4_000;

type Json = Readonly<Record<string, unknown>>;

/** How a page is opened. */
export interface Visit {
  readonly url: string;
  readonly cookies: readonly { readonly name: string; readonly value: string; readonly url: string }[];
  /** How many times slower than this machine the page's processor is. */
  readonly throttle: number;
  /** How long it is left alone. */
  readonly forMs: number;
  /** What is asked of it then: an expression that gives JSON, or a promise of it. */
  readonly question: string;
}

/**
 * Debian's Chromium by its own protocol (https://chromedevtools.github.io/devtools-protocol/): a test driver would put
 * scripts of its own into the page, and take a part of the time that is measured.
 */
export class Chromium {
  readonly #child: ChildProcess;
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, PromiseWithResolvers<Json>>();
  #asked = 0;

  private constructor(child: ChildProcess, socket: WebSocket) {
    this.#child = child;
    this.#socket = socket;
    socket.addEventListener("message", ({ data }) => this.#take(JSON.parse(String(data))));
  }

  /** Starts it with a profile of its own. Throws ScriptFailure where it does not start. */
  static async launch(program: string, profile: string): Promise<Chromium> {
    const child = spawn(
      program,
      [
        "--headless=new",
        "--remote-debugging-port=0",
        `--user-data-dir=${profile}`,
        "--no-first-run",
        ...CHROMIUM_ARGUMENTS,
        "about:blank",
      ],
      { stdio: ["ignore", "ignore", "pipe"] },
    );
    for await (const line of createInterface({ input: child.stderr })) {
      const address = /ws:\/\/\S+/.exec(line)?.[0];
      if (address === undefined) continue;
      child.stderr.resume();
      const socket = new WebSocket(address);
      await once(socket, "open");
      return new Chromium(child, socket);
    }
    throw new ScriptFailure(`${program} ended before it could be asked anything`);
  }

  /** Opens an address in a browser that was never anywhere, leaves it alone, and gives its answer to the question. */
  async visit({ url, cookies, throttle, forMs, question }: Visit): Promise<unknown> {
    const { browserContextId } = await this.#send("Target.createBrowserContext");
    await this.#send("Storage.setCookies", { browserContextId, cookies });
    const { targetId } = await this.#send("Target.createTarget", { url: "about:blank", browserContextId });
    const { sessionId } = await this.#send("Target.attachToTarget", { targetId, flatten: true });
    await this.#send("Emulation.setCPUThrottlingRate", { rate: throttle }, sessionId);
    await pause(WINDOW_MS);
    await this.#send("Page.navigate", { url }, sessionId);
    await pause(forMs);
    const answer = await this.#send(
      "Runtime.evaluate",
      { expression: question, awaitPromise: true, returnByValue: true },
      sessionId,
    );
    await this.#send("Target.disposeBrowserContext", { browserContextId });
    return (answer["result"] as Json)["value"];
  }

  async close(): Promise<void> {
    const end = once(this.#child, "exit");
    await this.#send("Browser.close");
    await end;
  }

  async #send(method: string, params: Json = {}, sessionId?: unknown): Promise<Json> {
    this.#asked += 1;
    const answer = Promise.withResolvers<Json>();
    this.#waiting.set(this.#asked, answer);
    this.#socket.send(JSON.stringify({ id: this.#asked, method, params, sessionId }));
    const { result, error } = await answer.promise;
    if (error !== undefined) throw new ScriptFailure(`Chromium, ${method}: ${JSON.stringify(error)}`);
    return result as Json;
  }

  #take(message: Json): void {
    const id = Number(message["id"]);
    this.#waiting.get(id)?.resolve(message);
    this.#waiting.delete(id);
  }
}
