import { chmodSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { commandActor } from "../domain/audit.ts";
import { FlancoError } from "../domain/error.ts";
import type { Lines } from "../domain/lines.ts";
import type { Log } from "../domain/log.ts";
import { type ControlAnswer, controlRequest, describeSighting } from "./message.ts";
import type { LocalOperations } from "./operation.ts";
import { requireSocketPath } from "./socket-path.ts";

const OWNER_ONLY = 0o600;
const MAX_CONNECTIONS = 16;
/** What may wait for a watcher that does not read. Beyond it the watcher is cut off: its edges are shown, not kept. */
const MAX_UNREAD_BYTES = 256 * 1024;

/**
 * The service's door for the command line: a Unix socket in the data directory that only its owner may
 * open. One request a line, one answer a line, JSON both ways.
 */
export class ControlServer {
  readonly #path: string;
  readonly #operations: Pick<LocalOperations, "call">;
  readonly #lines: Lines;
  readonly #log: Log;
  #server: Server | undefined;
  readonly #sockets = new Set<Socket>();

  constructor(path: string, operations: Pick<LocalOperations, "call">, lines: Lines, log: Log) {
    this.#path = path;
    this.#operations = operations;
    this.#lines = lines;
    this.#log = log;
  }

  async open(): Promise<void> {
    requireSocketPath(this.#path);
    // The data directory is locked: a socket that is there is left over from a process that is gone.
    rmSync(this.#path, { force: true });
    const server = createServer((socket) => this.#serve(socket));
    server.maxConnections = MAX_CONNECTIONS;
    this.#server = server;
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(this.#path, resolve);
    });
    chmodSync(this.#path, OWNER_ONLY);
  }

  async close(): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    for (const socket of this.#sockets) socket.destroy();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on("close", () => this.#sockets.delete(socket));
    socket.on("error", (error) => this.#log.debug({ err: error }, "control connection lost"));
    const lines = createInterface({ input: socket });
    lines.on("error", (error) => this.#log.debug({ err: error }, "control connection lost"));
    lines.on("line", (line) => void this.#answer(socket, line));
  }

  async #answer(socket: Socket, line: string): Promise<void> {
    try {
      const request = controlRequest.parse(JSON.parse(line));
      if (request.kind === "watch") {
        this.#watch(socket);
        return;
      }
      send(socket, {
        kind: "output",
        output: await this.#operations.call(request.name, request.input as never, commandActor(request.by)),
      });
    } catch (error) {
      send(socket, { kind: "error", ...describeError(error) });
    }
  }

  #watch(socket: Socket): void {
    const stop = this.#lines.listen((sighting) => {
      if (socket.writableLength > MAX_UNREAD_BYTES) socket.destroy();
      else send(socket, { kind: "sighting", ...describeSighting(sighting) });
    });
    socket.on("close", stop);
    send(socket, { kind: "output", output: null });
  }
}

function send(socket: Socket, answer: ControlAnswer): void {
  if (socket.writable) socket.write(`${JSON.stringify(answer)}\n`);
}

function describeError(error: unknown) {
  if (error instanceof FlancoError) return { code: error.code, message: error.message, hint: error.hint };
  return { code: "internal" as const, message: error instanceof Error ? error.message : String(error) };
}
