// The floor: the least that a server can do that answers a post once it is on the disk. It parses JSON,
// inserts the same row into the same table with the same durability, and commits in the same groups:
// no session, no validation, no sums, no idempotency. Started by the benchmark with a database file as
// its argument; sends its port to the parent; stops on SIGTERM.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Worker } from "node:worker_threads";
import type { FloorPost, FloorThreadSettings } from "./floor-thread.ts";

/** One batch being committed, one ready to follow it. */
const MAX_IN_FLIGHT = 2;
const USER_ID = "0".repeat(24);
const SAVED = Buffer.from('{"status":"success","message":"Data saved successfully"}');

interface PendingPost {
  readonly post: FloorPost;
  readonly response: ServerResponse;
}

/** The floor's half of the group commit on the main thread. */
class FloorWriter {
  readonly #worker: Worker;
  #waiting: PendingPost[] = [];
  readonly #inFlight: PendingPost[][] = [];
  #scheduled = false;

  constructor(settings: FloorThreadSettings) {
    this.#worker = new Worker(new URL("./floor-thread.ts", import.meta.url), { workerData: settings });
    this.#worker.on("message", () => this.#settle());
    // Without its thread the floor stores nothing: end, so that the benchmark fails.
    this.#worker.on("error", (error: Error) => {
      console.error(error);
      process.exit(1);
    });
  }

  add(post: FloorPost, response: ServerResponse): void {
    this.#waiting.push({ post, response });
    if (this.#scheduled || this.#inFlight.length >= MAX_IN_FLIGHT) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#flush();
    });
  }

  close(): void {
    this.#worker.postMessage(null);
  }

  #flush(): void {
    if (this.#waiting.length === 0 || this.#inFlight.length >= MAX_IN_FLIGHT) return;
    const batch = this.#waiting;
    this.#waiting = [];
    this.#inFlight.push(batch);
    this.#worker.postMessage(batch.map(({ post }) => post));
  }

  #settle(): void {
    for (const { response } of this.#inFlight.shift() ?? []) {
      response.writeHead(201, { "Content-Type": "application/json", "Content-Length": SAVED.length });
      response.end(SAVED);
    }
    this.#flush();
  }
}

function serve(file: string): void {
  const writer = new FloorWriter({ file, userId: USER_ID });
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      writer.add(JSON.parse(Buffer.concat(chunks).toString("utf8")) as FloorPost, response);
    });
  });
  server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
  process.once("SIGTERM", () => {
    server.close(() => writer.close());
    server.closeIdleConnections();
    process.disconnect?.();
  });
}

serve(process.argv[2] ?? "");
