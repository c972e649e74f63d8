import { createServer, type RequestListener, type Server, type ServerOptions } from "node:http";
import { createServer as createTlsServer, type Server as TlsServer } from "node:https";
import type { Socket } from "node:net";
import { FlancoError } from "../domain/error.ts";
import type { TlsIdentity } from "../tls/certificate.ts";

const MAX_HEADER_BYTES = 8 * 1024;
const HEADERS_TIMEOUT_MS = 5_000;
const REQUEST_TIMEOUT_MS = 10_000;
/** How long a connection may take until TLS is agreed on. */
const HANDSHAKE_TIMEOUT_MS = 5_000;
/** Node enforces its timeouts only as often as this. */
const CHECK_EVERY_MS = 1_000;
const MAX_CONNECTIONS = 512;
/** How long requests under way may take once the service is to stop. */
const DRAIN_MS = 2_000;

const LIMITS: ServerOptions = {
  maxHeaderSize: MAX_HEADER_BYTES,
  headersTimeout: HEADERS_TIMEOUT_MS,
  requestTimeout: REQUEST_TIMEOUT_MS,
  connectionsCheckingInterval: CHECK_EVERY_MS,
};

const MIN_TLS_VERSION = "TLSv1.2";

const LOOPBACK = ["127.0.0.1", "::1"];
/** A machine without IPv6 has no ::1: then 127.0.0.1 is loopback. */
const NO_SUCH_ADDRESS: ReadonlySet<string | undefined> = new Set(["EADDRNOTAVAIL", "EAFNOSUPPORT"]);

/** HTTPS for the network and HTTP for loopback, serving one application. */
export class Listeners {
  readonly #handler: RequestListener;
  #servers: Server[] = [];
  #tlsServer: TlsServer | undefined;
  /** Every connection, also those that have not agreed on TLS yet, which the servers do not count. */
  readonly #sockets = new Set<Socket>();

  constructor(handler: RequestListener) {
    this.#handler = handler;
  }

  /** Throws `unavailable` when a port is taken or not allowed. `host` empty: all addresses. */
  async open(identity: TlsIdentity, host: string, httpsPort: number, httpPort: number): Promise<void> {
    try {
      const tls = { handshakeTimeout: HANDSHAKE_TIMEOUT_MS, minVersion: MIN_TLS_VERSION } as const;
      const https = createTlsServer({ ...LIMITS, ...tls, ...identity }, this.#handler);
      this.#tlsServer = https;
      await this.#listen(https, httpsPort, host === "" ? undefined : host);
      for (const address of LOOPBACK) await this.#listenOnLoopback(httpPort, address);
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  /** Serves this identity to connections from here on; those that are open go on. */
  renew(identity: TlsIdentity): void {
    this.#tlsServer?.setSecureContext({ ...identity, minVersion: MIN_TLS_VERSION });
  }

  /** Stops taking requests; those under way have two seconds to end. */
  async close(): Promise<void> {
    const servers = this.#servers;
    this.#servers = [];
    this.#tlsServer = undefined;
    const timer = setTimeout(() => {
      for (const socket of this.#sockets) socket.destroy();
    }, DRAIN_MS);
    await Promise.all(servers.map(closeServer));
    clearTimeout(timer);
  }

  async #listenOnLoopback(port: number, address: string): Promise<void> {
    try {
      await this.#listen(createServer(LIMITS, this.#handler), port, address);
    } catch (error) {
      const code = error instanceof FlancoError ? (error.cause as NodeJS.ErrnoException).code : undefined;
      if (address === LOOPBACK[0] || !NO_SUCH_ADDRESS.has(code)) throw error;
    }
  }

  async #listen(server: Server, port: number, host: string | undefined): Promise<void> {
    server.maxConnections = MAX_CONNECTIONS;
    server.on("connection", (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once("close", () => this.#sockets.delete(socket));
    });
    await new Promise<void>((resolve, reject) => {
      server.once("error", (error: NodeJS.ErrnoException) => reject(cannotListen(port, host, error)));
      server.listen({ port, ...(host === undefined ? {} : { host }) }, resolve);
    });
    this.#servers.push(server);
  }
}

async function closeServer(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  await closed;
}

function cannotListen(port: number, host: string | undefined, cause: NodeJS.ErrnoException): FlancoError {
  const where = host === undefined ? `port ${port}` : `port ${port} of ${host}`;
  if (cause.code === "EADDRINUSE") {
    return new FlancoError("unavailable", `The ${where} is in use by another program.`, {
      hint: "Stop that program, or choose other ports with FLANCO_HTTPS_PORT and FLANCO_HTTP_PORT.",
      cause,
    });
  }
  return new FlancoError("unavailable", `Flanco cannot listen on ${where} (${cause.code}).`, {
    hint: "Check FLANCO_HOST, FLANCO_HTTPS_PORT and FLANCO_HTTP_PORT; ports below 1024 need a privilege.",
    cause,
  });
}
