import { once } from "node:events";
import { chmodSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import Koa from "koa";
import { FlancoError } from "../domain/error.ts";
import type { Log } from "../domain/log.ts";
import { OWNER_ONLY } from "../platform/durable-file.ts";
import { SocketName } from "../platform/socket-name.ts";
import { errorMiddleware } from "./errors.ts";
import { type Endpoint, otherMethod, routesOf, type Senders } from "./router.ts";

const MAX_CONNECTIONS = 16;

const NO_SESSIONS: Senders = {
  signedInOf: () => {
    throw new FlancoError("unauthorized", "Unauthorized");
  },
  positionOf: () => "",
  admit: () => {},
  refuse: () => {},
};

/**
 * The command line's door to the service: HTTP on a Unix
 * socket in the data directory that only its owner may open.
 */
export class ControlServer {
  readonly #path: string;
  readonly #server: Server;
  #socket: SocketName | undefined;

  constructor(path: string, endpoints: readonly Endpoint[], log: Log) {
    this.#path = path;
    this.#server = createServer(createControlApp(endpoints, log).callback());
    this.#server.maxConnections = MAX_CONNECTIONS;
    // The command ends the connection: if the service ended it first, a request could be lost.
    this.#server.keepAliveTimeout = 0;
  }

  async open(): Promise<void> {
    // The data directory is locked, so a socket that is there is of a process that has ended.
    rmSync(this.#path, { force: true });
    this.#socket = new SocketName(this.#path);
    await once(this.#server.listen(this.#socket.name), "listening");
    chmodSync(this.#path, OWNER_ONLY);
  }

  async close(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await closed;
    this.#socket?.[Symbol.dispose]();
  }
}

/**
 * The application of the operators. They need no session, and
 * are shown internal errors, because the machine is theirs.
 */
function createControlApp(endpoints: readonly Endpoint[], log: Log): Koa {
  const app = new Koa();
  app.silent = true;
  app.use(errorMiddleware(log, () => "error", true));
  app.use(routesOf(endpoints, NO_SESSIONS));
  app.use(otherMethod);
  app.use(() => {
    throw new FlancoError("not_found", "There is nothing at this path.");
  });
  return app;
}
