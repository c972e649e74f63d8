import { chmodSync, writeFileSync } from "node:fs";
import type { IncomingHttpHeaders, Server } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import { DAY_MS } from "../../src/domain/clock.ts";
import type { Notice } from "../../src/domain/notice.ts";
import { leafValidity, makeAuthority, makeLeaf } from "../../src/net/tls/authority.ts";
import type { KeyedCertificate } from "../../src/net/tls/keyed-certificate.ts";
import { TemporaryDirectory } from "../rig/temporary-directory.ts";

export const KEY = "0123456789abcdef0123456789abcdef";
const HOST = {
  names: ["localhost"],
  addresses: ["127.0.0.1"],
  publicAddresses: [],
  alternatives: [],
  announced: null,
};

export const A_NOTICE: Notice = {
  id: "0d5b7d2e-2f0a-4d0c-9d55-5a2f6f0f7b11",
  kind: "fault_begun",
  madeMs: Date.UTC(2026, 10, 24, 9, 30),
  language: "es",
  subject: "Clínica: el disco está lleno",
  text: "El disco está lleno.\nAvise a su técnico hoy mismo.",
  details: { code: "disk_full" },
};

/** Certificates of a receiver, and the files of its sender's settings. */
export class Secrets {
  readonly directory = new TemporaryDirectory();
  readonly authorityFile = this.directory.file("authority.pem");
  readonly passwordFile = this.write("password", "a mail password\n");
  readonly keyFile = this.write("key", `${KEY}\n`);
  good: KeyedCertificate = { key: "", cert: "" };
  expired: KeyedCertificate = { key: "", cert: "" };

  async open(): Promise<this> {
    const nowMs = Date.now();
    const authority = await makeAuthority(HOST, nowMs);
    writeFileSync(this.authorityFile, authority.cert);
    this.good = await makeLeaf(authority, HOST, leafValidity(nowMs));
    this.expired = await makeLeaf(authority, HOST, { fromMs: nowMs - 2 * DAY_MS, toMs: nowMs - DAY_MS });
    return this;
  }

  write(name: string, text: string, mode = 0o600): string {
    const file = this.directory.file(name);
    writeFileSync(file, text);
    chmodSync(file, mode);
    return file;
  }

  remove(): void {
    this.directory.remove();
  }
}

/** A real mail server that keeps what it takes. */
export class MailReceiver {
  readonly taken: { readonly to: readonly string[]; readonly text: string }[] = [];
  readonly tried: (string | undefined)[] = [];
  /** What it does with a message, before it answers. */
  onMessage: () => Promise<void> = async () => {};
  readonly #server: SMTPServer;

  constructor({ key, cert }: KeyedCertificate, options: SMTPServerOptions = {}) {
    this.#server = new SMTPServer({
      key,
      cert,
      authOptional: false,
      logger: false,
      closeTimeout: 100,
      onAuth: ({ username, password }, _session, done) => {
        this.tried.push(username);
        if (username === "clinica" && password === "a mail password") done(null, { user: username });
        else done(Object.assign(new Error("wrong"), { responseCode: 535 }));
      },
      onRcptTo: ({ address }, _session, done) =>
        done(address.startsWith("nobody") ? Object.assign(new Error("no"), { responseCode: 550 }) : null),
      onData: (stream, { envelope }, done) => {
        const pieces: Buffer[] = [];
        stream.on("data", (piece: Buffer) => pieces.push(piece));
        stream.on("end", () => {
          const to = envelope.rcptTo.map(({ address }) => address);
          this.taken.push({ to, text: Buffer.concat(pieces).toString() });
          this.onMessage().then(() => done(null, "queued"), done);
        });
      },
      ...options,
    });
    this.#server.on("error", () => {});
  }

  /** Gives its port. */
  async open(): Promise<number> {
    const listening = this.#server.listen(0, "127.0.0.1");
    await new Promise((resolve) => listening.once("listening", resolve));
    return (listening.address() as AddressInfo).port;
  }

  close(): Promise<void> {
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }
}

export interface ReceivedPost {
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A real HTTPS receiver that keeps what it is sent. */
export class HookReceiver {
  readonly posted: ReceivedPost[] = [];
  status = 204;
  headers: Record<string, string> = {};
  /** What its answers say. */
  text = "";
  /** It ends an answer's body, and not only its headers. */
  endsAnswers = true;
  /** It takes the request, and answers only when it is closed. */
  stalls = false;
  /** It takes the request, and ends the connection without an answer. */
  hangsUp = false;
  readonly #server: Server;

  constructor({ key, cert }: KeyedCertificate) {
    this.#server = createServer({ key, cert }, (request, response) => {
      const pieces: Buffer[] = [];
      request.on("data", (piece: Buffer) => pieces.push(piece));
      request.on("end", () => {
        const { method, url: path, headers } = request;
        this.posted.push({ method, path, headers, body: Buffer.concat(pieces).toString() });
        if (this.hangsUp) request.socket.destroy();
        else if (!this.stalls) {
          response.writeHead(this.status, this.headers).flushHeaders();
          response.write(this.text);
          if (this.endsAnswers) response.end();
        }
      });
    });
  }

  /** Gives its port. */
  async open(port = 0): Promise<number> {
    await new Promise<void>((resolve) => this.#server.listen(port, "127.0.0.1", () => resolve()));
    return (this.#server.address() as AddressInfo).port;
  }

  /** How many connections are open. */
  connections(): Promise<number> {
    return new Promise((resolve) => this.#server.getConnections((_error, count) => resolve(count)));
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
