import { request as plainRequest } from "node:http";
import { Agent, request } from "node:https";
import type { Appliance } from "../cli/program.ts";

export interface Sent {
  readonly body?: unknown;
  readonly cookie?: string;
}

export interface Answered {
  readonly status: number;
  readonly body: string;
  /** The session's cookie, where one was set. */
  readonly cookie: string | undefined;
  /** From the first byte of the connection to the last of the answer. */
  readonly ms: number;
}

/** Somebody on the clinic's network: all of 127.0.0.0/8 is this machine, and each address of it another client. */
export class Client {
  readonly #appliance: Appliance;
  readonly #address: string;
  readonly #agent = new Agent({ rejectUnauthorized: false, keepAlive: false, maxCachedSessions: 0 });

  constructor(appliance: Appliance, address: string) {
    this.#appliance = appliance;
    this.#address = address;
  }

  /** One request by HTTPS on a connection of its own. Rejects when it is not answered. */
  send(method: string, path: string, sent: Sent = {}): Promise<Answered> {
    return this.#send(request, { port: this.#appliance.httpsPort, agent: this.#agent }, method, path, sent);
  }

  /** The same by plain HTTP, which costs no handshake. */
  sendPlainly(method: string, path: string, sent: Sent = {}): Promise<Answered> {
    return this.#send(plainRequest, { port: this.#appliance.httpPort, agent: false }, method, path, sent);
  }

  async signIn(email: string, password: string): Promise<Answered> {
    return this.send("POST", "/api/login", { body: { email, password } });
  }

  #send(
    open: typeof request | typeof plainRequest,
    to: { readonly port: number; readonly agent: Agent | false },
    method: string,
    path: string,
    { body, cookie = "" }: Sent,
  ): Promise<Answered> {
    const began = performance.now();
    const text = body === undefined ? undefined : JSON.stringify(body);
    const typed = text === undefined ? {} : { "Content-Type": "application/json" };
    return new Promise((resolve, reject) => {
      const headers = { ...typed, ...(cookie === "" ? {} : { Cookie: cookie }) };
      const options = { ...to, host: "127.0.0.1", localAddress: this.#address, method, path, headers };
      const outgoing = open(options, (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () =>
          resolve({
            status: response.statusCode ?? 0,
            body: Buffer.concat(chunks).toString(),
            cookie: response.headers["set-cookie"]?.[0]?.split(";")[0],
            ms: performance.now() - began,
          }),
        );
      });
      outgoing.on("error", reject);
      outgoing.end(text);
    });
  }
}
