import { constants } from "node:crypto";
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from "node:http";
import { createServer as createTlsServer, type Server as TlsServer } from "node:https";
import { BlockList, isIPv6, type Socket } from "node:net";
import { FlancoError } from "../domain/error.ts";
import type { Served } from "../tls/served.ts";
import { ConnectionLimit } from "./connection-limit.ts";
import { oneAtATime } from "./turns.ts";

const MAX_HEADER_BYTES = 8 * 1024;
const HEADERS_TIMEOUT_MS = 5_000;
const REQUEST_TIMEOUT_MS = 10_000;
/** How long a connection may take until TLS is agreed on. */
const HANDSHAKE_TIMEOUT_MS = 5_000;
/** Node enforces its timeouts only as often as this. */
const CHECK_EVERY_MS = 1_000;
/** Connections that the kernel keeps until they are looked at: beyond, others wait a second for each that is lost. */
const BACKLOG = 4_096;
/** How long requests under way may take once the service is to stop. */
const DRAIN_MS = 2_000;

const LIMITS: ServerOptions = {
  maxHeaderSize: MAX_HEADER_BYTES,
  headersTimeout: HEADERS_TIMEOUT_MS,
  requestTimeout: REQUEST_TIMEOUT_MS,
  connectionsCheckingInterval: CHECK_EVERY_MS,
};

/**
 * TLS 1.2 and 1.3, suites that authenticate what they encrypt, and keys that no later theft opens. Of TLS 1.2 the RSA
 * suites are for an administrator's certificate; the appliance's own key is ECDSA. A client that prefers ChaCha20
 * has no AES in its processor, and gets what it prefers.
 */
const TLS = {
  minVersion: "TLSv1.2",
  ciphers: [
    "TLS_AES_128_GCM_SHA256",
    "TLS_CHACHA20_POLY1305_SHA256",
    "TLS_AES_256_GCM_SHA384",
    "ECDHE-ECDSA-AES128-GCM-SHA256",
    "ECDHE-ECDSA-CHACHA20-POLY1305",
    "ECDHE-ECDSA-AES256-GCM-SHA384",
    "ECDHE-RSA-AES128-GCM-SHA256",
    "ECDHE-RSA-CHACHA20-POLY1305",
    "ECDHE-RSA-AES256-GCM-SHA384",
  ].join(":"),
  honorCipherOrder: true,
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION | constants.SSL_OP_PRIORITIZE_CHACHA,
} as const;

/** For how long browsers are told to accept no other certificate, at most. Half a year: less is no promise. */
const STRICT_MAX_MS = 180 * 86_400_000;

const LOOPBACK = ["127.0.0.1", "::1"];
/** Hosts that are all addresses of a machine. */
const ANY: ReadonlySet<string> = new Set(["", "::", "0.0.0.0"]);
/** A machine without IPv6 has no ::1: then 127.0.0.1 is loopback. */
const NO_SUCH_ADDRESS: ReadonlySet<string | undefined> = new Set(["EADDRNOTAVAIL", "EAFNOSUPPORT"]);

const loopbackAddresses = new BlockList();
loopbackAddresses.addSubnet("127.0.0.0", 8, "ipv4");
loopbackAddresses.addAddress("::1", "ipv6");

/** Where the service is to be reached. */
export interface Doors {
  /** Address of HTTPS; empty: all addresses. */
  readonly host: string;
  readonly httpsPort: number;
  readonly httpPort: number;
  /** Whether plain HTTP answers the network too, with what explains the way to HTTPS. */
  readonly explains: boolean;
}

/** HTTPS for the network and HTTP for loopback, serving one application; plain HTTP of the network serves another. */
export class Listeners {
  readonly #handler: RequestListener;
  readonly #plainHandler: RequestListener;
  #servers: Server[] = [];
  #tlsServer: TlsServer | undefined;
  readonly #nowMs: () => number;
  #served: Served | undefined;
  /** Every connection, also those that have not agreed on TLS yet, which the servers do not count. */
  readonly #sockets = new Set<Socket>();
  readonly #limit = new ConnectionLimit();

  /**
   * `plainHandler` is for what comes by plain HTTP from elsewhere than this machine.
   * @param nowMs Unix milliseconds
   */
  constructor(handler: RequestListener, plainHandler: RequestListener, nowMs: () => number) {
    this.#handler = handler;
    this.#plainHandler = plainHandler;
    this.#nowMs = nowMs;
  }

  /** Throws `unavailable` when a port is taken or not allowed. */
  async open(served: Served, { host, httpsPort, httpPort, explains }: Doors): Promise<void> {
    try {
      const { key, cert } = served;
      const options = { ...LIMITS, ...TLS, handshakeTimeout: HANDSHAKE_TIMEOUT_MS, key, cert };
      const answer: RequestListener = (request, response) => {
        if (this.#served?.own === false) {
          response.setHeader("Strict-Transport-Security", this.#strictFor(this.#served));
        }
        this.#handler(request, response);
      };
      const https = createTlsServer(options, oneAtATime(answer));
      this.#served = served;
      this.#tlsServer = https;
      await this.#listen(https, httpsPort, host === "" ? undefined : host);
      await this.#openPlain(host, httpPort, explains);
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  /** Serves this certificate to connections from here on; those that are open go on. */
  renew(served: Served): void {
    const { key, cert } = served;
    this.#tlsServer?.setSecureContext({ ...TLS, key, cert });
    this.#served = served;
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

  /**
   * Not beyond the certificate's own end: where nobody brings the next one, the appliance's own takes its place, and
   * browsers that were told to accept no such thing would be locked out.
   */
  #strictFor({ endsMs }: Served): string {
    const forMs = Math.min(STRICT_MAX_MS, Math.max(0, endsMs - this.#nowMs()));
    return `max-age=${Math.floor(forMs / 1_000)}`;
  }

  /** The network's address last: where it is all addresses, it is loopback's too. */
  async #openPlain(host: string, port: number, explains: boolean): Promise<void> {
    const everywhere = explains && ANY.has(host);
    if (everywhere && host !== "0.0.0.0") {
      await this.#listen(this.#plainServer(), port, host === "" ? undefined : host);
      return;
    }
    if (!everywhere) await this.#listenOnLoopback(port, "127.0.0.1");
    await this.#listenOnLoopback(port, "::1");
    if (explains && !isLoopbackHost(host)) await this.#listen(this.#plainServer(), port, host);
  }

  /** Plain HTTP, judged by where a connection ends and comes from: nothing that a request says can forge that. */
  #plainServer(): Server {
    const ofLoopback = new WeakSet<Socket>();
    const answer = oneAtATime((request, response) => {
      const handler = ofLoopback.has(request.socket) ? this.#handler : this.#plainHandler;
      handler(request, response);
    });
    const server = createServer(LIMITS, answer);
    // Who asks whether to send what it has is told no on the network, where everybody would read it.
    server.on("checkContinue", (request: IncomingMessage, response: ServerResponse) => {
      if (ofLoopback.has(request.socket)) response.writeContinue();
      answer(request, response);
    });
    // Once a connection: the path of a sale is short of time.
    return server.prependListener("connection", (socket: Socket) => {
      if (isOfLoopback(socket)) ofLoopback.add(socket);
    });
  }

  async #listenOnLoopback(port: number, address: string): Promise<void> {
    try {
      await this.#listen(this.#plainServer(), port, address);
    } catch (error) {
      const code = error instanceof FlancoError ? (error.cause as NodeJS.ErrnoException).code : undefined;
      if (address === LOOPBACK[0] || !NO_SUCH_ADDRESS.has(code)) throw error;
    }
  }

  async #listen(server: Server, port: number, host: string | undefined): Promise<void> {
    this.#limit.guard(server);
    server.on("connection", (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once("close", () => this.#sockets.delete(socket));
    });
    await new Promise<void>((resolve, reject) => {
      server.once("error", (error: NodeJS.ErrnoException) => reject(cannotListen(port, host, error)));
      server.listen({ port, backlog: BACKLOG, ...(host === undefined ? {} : { host }) }, resolve);
    });
    this.#servers.push(server);
  }
}

/** Both ends: a machine may be told to pass what comes from outside on to its loopback. */
function isOfLoopback({ localAddress, remoteAddress }: Socket): boolean {
  return isLoopbackAddress(localAddress) && isLoopbackAddress(remoteAddress);
}

function isLoopbackAddress(address: string | undefined): boolean {
  return address !== undefined && loopbackAddresses.check(address, isIPv6(address) ? "ipv6" : "ipv4");
}

function isLoopbackHost(host: string): boolean {
  return host === "localhost" || isLoopbackAddress(host);
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
