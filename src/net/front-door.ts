import { constants } from "node:crypto";
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from "node:http";
import { createServer as createTlsServer, type Server as TlsServer } from "node:https";
import { BlockList, isIPv6, type Socket } from "node:net";
import type { Config } from "../contract/config/schema.ts";
import { type Clock, type ClockTrust, DAY_MS } from "../domain/clock.ts";
import { FlancoError } from "../domain/error.ts";
import type { Fault } from "../domain/fault.ts";
import { isOfTrust, type TrustedAuthority, type TrustSource } from "../domain/gateway.ts";
import type { Log } from "../domain/log.ts";
import { type Reach, TRUST_PATH } from "../domain/member.ts";
import { AnnouncedName } from "./announced-name.ts";
import { ConnectionSlots, RequestFlow } from "./connections.ts";
import { isLoopback, isPrivateAddress, KnownHosts, networkAddresses, readHostNames } from "./host-names.ts";
import { CertificateRenewal, type ServedCertificate } from "./renewal.ts";
import { fingerprintLines } from "./tls/keyed-certificate.ts";

/**
 * Bounds of size and time of one connection, in bytes and
 * milliseconds; the first six are options of Node's servers.
 */
export const LIMITS = {
  maxHeaderSize: 8 * 1024,
  /** What a connection takes of an answer beyond what its client has taken, before it says that it is full. */
  highWaterMark: 16 * 1024,
  headersTimeout: 5_000,
  requestTimeout: 10_000,
  handshakeTimeout: 5_000,
  /** How often Node looks for requests beyond their time. */
  connectionsCheckingInterval: 1_000,
  /** How often the pace is checked at which clients take their answers. */
  paceMs: 30_000,
  /** Time for requests under way to end when the service stops. */
  drainMs: 2_000,
};

/**
 * Connections that the kernel holds until they are accepted.
 * A client whose first packet is dropped waits a second.
 */
const BACKLOG = 4_096;

/**
 * TLS 1.2 and 1.3 with authenticated encryption and forward secrecy only. The RSA
 * suites of TLS 1.2 serve an administrator's certificate; the appliance's own key is
 * ECDSA. A client that prefers ChaCha20, because its processor has no AES, gets it.
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

/** Longest `Strict-Transport-Security`: half a year. */
const STRICT_MAX_MS = 180 * DAY_MS;

/** Values of the setting `host` that mean all addresses of the machine. */
const ANY: ReadonlySet<string> = new Set(["", "::", "0.0.0.0"]);
/** A machine without IPv6 has no ::1. */
const NO_SUCH_ADDRESS: ReadonlySet<string | undefined> = new Set(["EADDRNOTAVAIL", "EAFNOSUPPORT"]);

const loopbackAddresses = new BlockList();
loopbackAddresses.addSubnet("127.0.0.0", 8, "ipv4");
loopbackAddresses.addAddress("::1", "ipv6");

/** The settings that say where to listen. With `trust_page` plain HTTP answers the network too. */
export type PortSettings = Pick<Config, "host" | "https_port" | "http_port" | "trust_page">;

/**
 * HTTPS for the network and plain HTTP for loopback serve
 * one application; plain HTTP of the network serves another.
 */
export class Listeners {
  readonly #handler: RequestListener;
  readonly #plainHandler: RequestListener;
  readonly #nowMs: () => number;
  readonly #limits: typeof LIMITS;
  readonly #slots = new ConnectionSlots();
  readonly #flow: RequestFlow;
  #servers: Server[] = [];
  #tlsServer: TlsServer | undefined;
  #served: ServedCertificate | undefined;

  /**
   * `plainHandler` answers plain HTTP from other machines, and everywhere what explains how to trust this one.
   * @param nowMs Unix milliseconds
   */
  constructor(
    handler: RequestListener,
    plainHandler: RequestListener,
    nowMs: () => number,
    limits: typeof LIMITS = LIMITS,
  ) {
    this.#handler = handler;
    this.#plainHandler = plainHandler;
    this.#nowMs = nowMs;
    this.#limits = limits;
    this.#flow = new RequestFlow(limits.paceMs);
  }

  /** Throws `unavailable` when a port is taken or not allowed. */
  async open(served: ServedCertificate, doors: PortSettings): Promise<void> {
    try {
      const { key, cert } = served;
      const options = { ...this.#limits, ...TLS, key, cert };
      const answer: RequestListener = (request, response) => {
        if (this.#served?.own === false) {
          response.setHeader("Strict-Transport-Security", this.#strictFor(this.#served));
        }
        this.#handler(request, response);
      };
      this.#flow.open();
      const https = createTlsServer(options, this.#flow.through(answer));
      this.#served = served;
      this.#tlsServer = https;
      await this.#listen(https, doors.https_port, doors.host);
      await this.#openPlain(doors);
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  /** Serves this certificate to new connections; open connections keep theirs. */
  renew(served: ServedCertificate): void {
    const { key, cert } = served;
    this.#tlsServer?.setSecureContext({ ...TLS, key, cert });
    this.#served = served;
  }

  /** Stops taking requests; those under way have two seconds to end. */
  async close(): Promise<void> {
    const servers = this.#servers;
    this.#servers = [];
    this.#tlsServer = undefined;
    this.#flow.close();
    const timer = setTimeout(() => this.#slots.destroyAll(), this.#limits.drainMs);
    // Idle connections end at once.
    await Promise.all(servers.map((server) => server[Symbol.asyncDispose]()));
    clearTimeout(timer);
  }

  /**
   * The header's value. It ends with the certificate: after that the appliance's own
   * certificate may be served, which a strict browser would not let its user accept.
   */
  #strictFor({ endsMs }: ServedCertificate): string {
    const forMs = Math.min(STRICT_MAX_MS, Math.max(0, endsMs - this.#nowMs()));
    return `max-age=${Math.floor(forMs / 1_000)}`;
  }

  /** Listens on the network's address last, because it includes loopback where it stands for all addresses. */
  async #openPlain({ host, http_port: port, trust_page }: PortSettings): Promise<void> {
    const everywhere = trust_page && ANY.has(host);
    if (everywhere && host !== "0.0.0.0") {
      await this.#listen(this.#plainServer(), port, host);
      return;
    }
    if (!everywhere) await this.#listen(this.#plainServer(), port, "127.0.0.1");
    await this.#listenOnIpv6Loopback(port);
    if (trust_page && host !== "localhost" && !isLoopbackAddress(host))
      await this.#listen(this.#plainServer(), port, host);
  }

  /** Chooses the handler by the connection's two addresses alone, because a request can claim any origin. */
  #plainServer(): Server {
    const ofLoopback = new WeakSet<Socket>();
    const answer = this.#flow.through((request, response) => {
      const isWhole = ofLoopback.has(request.socket) && !isOfTrust(request.url);
      const handler = isWhole ? this.#handler : this.#plainHandler;
      handler(request, response);
    });
    const server = createServer(this.#limits, answer);
    // A client on the network that offers a body (Expect: 100-continue) must not send it unencrypted.
    server.on("checkContinue", (request: IncomingMessage, response: ServerResponse) => {
      if (ofLoopback.has(request.socket)) response.writeContinue();
      answer(request, response);
    });
    // Decided once per connection, because a post must be fast. By both addresses,
    // because a machine may forward connections from outside to its loopback.
    return server.prependListener("connection", (socket: Socket) => {
      const ends = [socket.localAddress, socket.remoteAddress];
      if (ends.every(isLoopbackAddress)) ofLoopback.add(socket);
    });
  }

  async #listenOnIpv6Loopback(port: number): Promise<void> {
    try {
      await this.#listen(this.#plainServer(), port, "::1");
    } catch (error) {
      const code = error instanceof FlancoError ? (error.cause as NodeJS.ErrnoException).code : undefined;
      if (!NO_SUCH_ADDRESS.has(code)) throw error;
    }
  }

  /** With an empty host on all addresses. */
  async #listen(server: Server, port: number, host: string): Promise<void> {
    this.#slots.guard(server);
    await new Promise<void>((resolve, reject) => {
      server.once("error", (error: NodeJS.ErrnoException) => reject(cannotListen(port, host, error)));
      server.listen({ port, backlog: BACKLOG, ...(host === "" ? {} : { host }) }, resolve);
    });
    this.#servers.push(server);
  }
}

function isLoopbackAddress(address: string | undefined): boolean {
  return address !== undefined && loopbackAddresses.check(address, isIPv6(address) ? "ipv6" : "ipv4");
}

function cannotListen(port: number, host: string, cause: NodeJS.ErrnoException): FlancoError {
  const where = host === "" ? `port ${port}` : `port ${port} of ${host}`;
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

export interface FrontDoorDependencies {
  readonly config: PortSettings & Pick<Config, "certificates_dir">;
  /** Reads the configured further names and addresses of this machine. */
  readonly hostNames: () => readonly string[];
  readonly dataDirectory: { readonly tls: string; readonly certificates: string };
  /** Answers plain HTTP from other machines. */
  readonly trustPage: (source: TrustSource) => RequestListener;
  readonly clock: Clock;
  readonly trust: ClockTrust;
  readonly log: Log;
}

/** The service's side to the network: known host names, the certificate, and the ports. */
export class FrontDoor {
  readonly #dependencies: FrontDoorDependencies;
  readonly #announced = new AnnouncedName();
  readonly #hosts: KnownHosts;
  readonly #renewal: CertificateRenewal;
  #handler: RequestListener = () => {};
  #opening: Promise<void> | undefined;
  #listeners: Listeners | undefined;

  constructor(dependencies: FrontDoorDependencies) {
    const { config, dataDirectory, hostNames, clock, trust, log } = dependencies;
    this.#dependencies = dependencies;
    this.#hosts = new KnownHosts(hostNames, () => this.announcedName());
    this.#renewal = new CertificateRenewal({
      directories: { own: dataDirectory.tls, dropIn: config.certificates_dir || dataDirectory.certificates },
      clock,
      trust,
      log,
      readHost: () => readHostNames(hostNames(), this.announcedName()),
      onRenewed: (served) => this.#certify(served),
    });
  }

  /** Whether a host name or address, in lower case and without brackets, is this machine's. */
  isKnownHost(name: string): boolean {
    return this.#hosts.has(name);
  }

  /** By which avahi announces this machine; null without it. */
  announcedName(): string | null {
    return this.#announced.get();
  }

  /** The authority that browsers must be told to trust; null while an administrator's certificate is served. */
  trustedAuthority(): TrustedAuthority | null {
    const cert = this.#renewal.authority();
    return cert === null ? null : { cert, fingerprint: fingerprintLines(cert) };
  }

  /** As the network reaches it now: its addresses may change. */
  reach(): Reach {
    const { host, https_port, http_port, trust_page } = this.#dependencies.config;
    const addresses = networkAddresses(host).filter((one) => !isLoopback(one));
    // The appliance's own certificate names private ones alone.
    const address = addresses.find(isPrivateAddress) ?? addresses[0];
    if (address === undefined) return { page: null, trust: null };
    const isExplained = trust_page && this.trustedAuthority() !== null;
    return {
      page: new URL(`https://${address}:${https_port}`).origin,
      trust: isExplained ? new URL(TRUST_PATH, `http://${address}:${http_port}`).href : null,
    };
  }

  /** Until when the certificate holds that is served, in Unix milliseconds; null before one is. */
  certificateEndsMs(): number | null {
    return this.#renewal.endsMs();
  }

  faults(): readonly Fault[] {
    return this.#renewal.faults();
  }

  /** Looks for new certificates at once. */
  reloadCertificates(): Promise<void> {
    return this.#renewal.check();
  }

  /**
   * Answers requests by `handler` from now on. The first call opens the ports, and makes
   * a certificate first where there is none. Rejects with `unavailable` for a port.
   */
  serve(handler: RequestListener): Promise<void> {
    this.#handler = handler;
    this.#opening ??= this.#open();
    return this.#opening;
  }

  /** Stops taking requests, waits for those under way, and stops renewing certificates. */
  async close(): Promise<void> {
    this.#announced.close();
    await this.#opening?.catch(() => {});
    await this.#listeners?.close();
    await this.#renewal.close();
  }

  async #open(): Promise<void> {
    const { config, clock, trustPage } = this.#dependencies;
    const plainHandler = trustPage({
      authority: () => this.trustedAuthority(),
      isKnownHost: (name) => this.isKnownHost(name),
      httpsPort: config.https_port,
    });
    const handler: RequestListener = (request, response) => this.#handler(request, response);
    const listeners = new Listeners(handler, plainHandler, () => clock.nowMs());
    void this.#announced.open();
    const served = await this.#renewal.open();
    this.#certify(served);
    // Set before the ports open, so that a certificate that comes meanwhile is served too.
    this.#listeners = listeners;
    await listeners.open(served, config);
  }

  #certify(served: ServedCertificate): void {
    this.#hosts.certify(served.cert);
    this.#listeners?.renew(served);
  }
}
