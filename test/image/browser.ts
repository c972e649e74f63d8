import { X509Certificate } from "node:crypto";
import { request as requestHttp } from "node:http";
import { type RequestOptions, request as requestHttps } from "node:https";
import { checkServerIdentity } from "node:tls";
import type * as z from "zod";
import { listRecords } from "../../src/contract/record.ts";
import type { Ports } from "./gateway.ts";

const PASSWORD = "correct horse battery";
const D_ID = "7234";
const ROOM = "101";
const MAX_RECORDS = 200;

interface Answer {
  readonly status: number;
  readonly cookie: string | undefined;
  readonly text: string;
}

export type RecordRow = z.infer<typeof listRecords.answer>["data"][number];

/** A browser of the clinic's network: it comes by HTTPS, and trusts the authority that the gateway gave it once. */
export class Browser {
  readonly #ports: Ports;
  readonly #address: string;
  #authority = "";
  #cookie = "";

  /** `address` is the gateway's own, by which the browser asks for it. */
  constructor(ports: Ports, address: string) {
    this.#ports = ports;
    this.#address = address;
  }

  /** Takes the authority's certificate, as the page about trust gives it, and tells its fingerprint's digits. */
  async trust(): Promise<string> {
    const { status, text } = await this.#open("http", "GET", "/flanco-ca.crt", undefined, "latin1");
    if (status !== 200) throw new Error(`/flanco-ca.crt answered ${status}: ${text}`);
    const certificate = new X509Certificate(Buffer.from(text, "latin1"));
    this.#authority = certificate.toString();
    return certificate.fingerprint256.replaceAll(":", "");
  }

  async makeFirstUser(token: string, email: string): Promise<void> {
    await this.#send("POST", "/api/first-run", { token, email, name: "Ana", password: PASSWORD });
  }

  async signIn(email: string): Promise<void> {
    await this.#send("POST", "/api/login", { email, password: PASSWORD });
  }

  /** Registers a room and wires a line to it. */
  async wire(line: string, valor: number): Promise<void> {
    await this.#send("POST", "/api/device", {
      newDevice: {
        dId: D_ID,
        name: "Pasillo A",
        locationId: "hospital",
        locationName: "Hospital",
        actuators: [{ id: ROOM, value: false }],
      },
    });
    await this.#send("PUT", "/api/wiring", { wiring: { line, dId: D_ID, actuatorId: ROOM, valor } });
  }

  async records(): Promise<readonly RecordRow[]> {
    const text = await this.#send("GET", `/api/record?limit=${MAX_RECORDS}`);
    return listRecords.answer.parse(JSON.parse(text)).data;
  }

  async healthy(): Promise<boolean> {
    return (await this.#open("https", "GET", "/healthz")).status === 200;
  }

  async #send(method: string, path: string, body?: object): Promise<string> {
    const { status, cookie, text } = await this.#open("https", method, path, body);
    if (status !== 200 && status !== 201) throw new Error(`${method} ${path} answered ${status}: ${text}`);
    if (cookie !== undefined) this.#cookie = cookie;
    return text;
  }

  #open(
    way: "http" | "https",
    method: string,
    path: string,
    body?: object,
    encoding: BufferEncoding = "utf8",
  ): Promise<Answer> {
    const address = this.#address;
    const options: RequestOptions = {
      host: "127.0.0.1",
      port: this.#ports[way],
      method,
      path,
      agent: false,
      headers: {
        host: `${address}:${way === "https" ? 8443 : 8080}`,
        cookie: this.#cookie,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
    };
    const secure: RequestOptions = {
      ...options,
      ca: this.#authority,
      checkServerIdentity: (_host, certificate) => checkServerIdentity(address, certificate),
    };
    return new Promise((resolve, reject) => {
      const outgoing = way === "https" ? requestHttps(secure) : requestHttp(options);
      outgoing.once("error", reject);
      outgoing.once("response", (answer) => {
        let text = "";
        answer.setEncoding(encoding);
        answer.on("data", (chunk) => (text += chunk));
        answer.once("error", reject);
        answer.once("end", () => {
          const cookie = answer.headers["set-cookie"]?.find((entry) => entry.startsWith("auth_token="));
          resolve({ status: answer.statusCode ?? 0, cookie: cookie?.split(";")[0], text });
        });
      });
      outgoing.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }
}
