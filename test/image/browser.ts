import { X509Certificate } from "node:crypto";
import { Agent, request } from "node:https";
import { checkServerIdentity } from "node:tls";
import type * as z from "zod";
import type { listRecords } from "../../src/contract/record.ts";
import { Api, D_ID } from "../guest/inside/api.ts";
import { ROOMS } from "../guest/report.ts";
import { exchange } from "../rig/exchange.ts";
import type { Ports } from "./gateway.ts";

const MAX_RECORDS = 200;
/** Emulated, and the machine may be busy. */
const ANSWER_MS = 300_000;

export type RecordRow = z.infer<typeof listRecords.answer>["data"][number];

/** A browser of the clinic's network: it comes by HTTPS, and trusts the authority that the gateway gave it once. */
export class Browser extends Api {
  readonly #ports: Ports;
  readonly #address: string;
  #agent = new Agent();

  /** `address` is the gateway's own, by which the browser asks for it. */
  constructor(ports: Ports, address: string) {
    super("");
    this.#ports = ports;
    this.#address = address;
  }

  /** Takes the authority's certificate, as the page about trust gives it, and tells its fingerprint's digits. */
  async trust(): Promise<string> {
    const headers = { host: `${this.#address}:8080` };
    const to = { port: this.#ports.http, agent: false, answerMs: ANSWER_MS } as const;
    const { status, bytes } = await exchange(to, "GET", "/flanco-ca.crt", { headers });
    if (status !== 200) throw new Error(`/flanco-ca.crt answered ${status}: ${bytes}`);
    const certificate = new X509Certificate(bytes);
    this.#agent = new Agent({
      maxCachedSessions: 0,
      ca: certificate.toString(),
      checkServerIdentity: (_host, leaf) => checkServerIdentity(this.#address, leaf),
    });
    return certificate.fingerprint256.replaceAll(":", "");
  }

  /** Registers a device and wires a line to its first room. */
  async wireLine(line: string, valor: number): Promise<void> {
    await this.register();
    await this.ask("PUT", "/api/wiring", { wiring: { line, dId: D_ID, actuatorId: ROOMS[0], valor } });
  }

  records(): Promise<readonly RecordRow[]> {
    return this.ask("GET", `/api/record?limit=${MAX_RECORDS}`);
  }

  async healthy(): Promise<boolean> {
    return (await this.fetch("/healthz", "GET", {})).status === 200;
  }

  protected override async fetch(
    path: string,
    method: string,
    headers: Readonly<Record<string, string>>,
    body = "",
  ): Promise<Response> {
    const to = { port: this.#ports.https, agent: this.#agent, open: request, answerMs: ANSWER_MS };
    const named = { ...headers, host: `${this.#address}:8443` };
    const answer = await exchange(to, method, path, { headers: named, body });
    const cookies = answer.headers["set-cookie"] ?? [];
    return new Response(answer.body, {
      status: answer.status,
      headers: cookies.map((cookie): [string, string] => ["set-cookie", cookie]),
    });
  }
}
