import { createServer, type RequestListener, type Server, type ServerOptions } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { FlancoError } from "../domain/error.ts";
import type { TlsIdentity } from "../tls/certificate.ts";

const MAX_HEADER_BYTES = 8 * 1024;
const HEADERS_TIMEOUT_MS = 5_000;
const REQUEST_TIMEOUT_MS = 10_000;
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

const LOOPBACK = ["127.0.0.1", "::1"];
/** A machine without IPv6 has no ::1: then 127.0.0.1 is loopback. */
const NO_SUCH_ADDRESS: ReadonlySet<string | undefined> = new Set(["EADDRNOTAVAIL", "EAFNOSUPPORT"]);

/** HTTPS for the network and HTTP for loopback, serving one application. */
export class Listeners {
  readonly #handler: RequestListener;
  #servers: Server[] = [];

  constructor(handler: RequestListener) {
    this.#handler = handler;
  }

  /** Throws `unavailable` when a port is taken or not allowed. `host` empty: all addresses. */
  async open(identity: TlsIdentity, host: string, httpsPort: number, httpPort: number): Promise<void> {
    try {
      const https = createTlsServer({ ...LIMITS, ...identity, minVersion: "TLSv1.2" }, this.#handler);
      await this.#listen(https, httpsPort, host === "" ? undefined : host);
      for (const address of LOOPBACK) await this.#listenOnLoopback(httpPort, address);
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  /** Stops taking requests; those under way have two seconds to end. */
  async close(): Promise<void> {
    const servers = this.#servers;
    this.#servers = [];
    await Promise.all(servers.map(closeServer));
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
  const timer = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
  await closed;
  clearTimeout(timer);
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
