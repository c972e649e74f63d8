import { expect } from "chai";
import { MAX_LOCATIONS_OF_USER } from "../../src/domain/location.ts";
import { aDevice, aLocation, aRecord, JSON_BODIES } from "../http/bodies.ts";
import { Conformance, type Description } from "../http/openapi-description.ts";
import { aWiring } from "../http/wired-line.ts";
import type { RunningService } from "../rig/program.ts";
import { PASSWORD } from "../rig/program.ts";

interface Sent {
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
  /** Sent as it is, in place of a JSON body. */
  readonly raw?: { readonly type: string; readonly text: string };
}

const NOBODY = "0123456789abcdef01234567";
const TOO_LONG = 65_537;
/** What only a ledger in trouble, a crowd, two first users at once, or another program's lines bring: test/http does. */
const ONLY_IN_TROUBLE = / (429|500|503)$|\/(first-run|line\/\w+) 409$/;

/** Everything that a client can ask of the API and be told, asked of a running service and held to its own description. */
export class ApiWalk {
  readonly #service: RunningService;
  readonly #description: Description;
  readonly #conformance: Conformance;
  #cookie = "";

  private constructor(service: RunningService, description: Description) {
    this.#service = service;
    this.#description = description;
    this.#conformance = new Conformance(description);
  }

  /** Walks the API of a service that has no user yet. */
  static async walk(service: RunningService): Promise<void> {
    const description = (await (await service.get("/api/openapi.json")).json()) as Description;
    const walk = new ApiWalk(service, description);
    await walk.#signIn();
    await walk.#places();
    await walk.#lines();
    await walk.#read();
    await walk.#remove();
    await walk.#fill();
    await walk.#mistakes();
    const unseen = walk.#conformance.unseen().filter((name) => !ONLY_IN_TROUBLE.test(name));
    expect(unseen, "described, and did not happen").to.deep.equal([]);
  }

  async #signIn(): Promise<void> {
    const account = { name: "Ana", email: "ana@example.org", password: PASSWORD };
    await this.#answers(401, "post", "/api/first-run", { body: { token: "x", ...account } });
    const token = this.#service.firstRunToken;
    await this.#answers(200, "post", "/api/first-run", { body: { token, ...account } });
    await this.#answers(401, "post", "/api/first-run", { body: { token, ...account } });
    const { email, password } = account;
    await this.#answers(401, "post", "/api/login", { body: { email, password: `${password} two` } });
    await this.#answers(200, "post", "/api/login", { body: { email, password } });
    await this.#answers(200, "post", "/api/logout");
    this.#cookie = await this.#service.signIn(email, password);
    await this.#answers(200, "get", "/api/verify");
  }

  async #places(): Promise<void> {
    await this.#answers(404, "get", "/api/data", { query: { period: "anual" } });
    await this.#answers(200, "post", "/api/location", { body: aLocation() });
    const device = aDevice({ locationId: await this.#locationId() });
    await this.#answers(200, "post", "/api/device", { body: device });
    await this.#answers(409, "post", "/api/device", { body: device });
    const record = aRecord({ createdTime: Date.now() });
    const headers = { "Idempotency-Key": "k" };
    await this.#answers(201, "post", "/api/data", { headers, body: record });
    await this.#answers(201, "post", "/api/data", { headers, body: record });
    await this.#answers(422, "post", "/api/data", { headers, body: { ...record, valor: 9 } });
  }

  async #lines(): Promise<void> {
    const drive = { line: "SIM1", level: true };
    await this.#answers(200, "post", "/api/line/read", { body: { line: "SIM1" } });
    await this.#answers(200, "put", "/api/wiring", { body: aWiring({ line: "SIM1" }) });
    await this.#answers(409, "put", "/api/wiring", { body: aWiring({ line: "SIM1", actuatorId: "102" }) });
    await this.#answers(404, "put", "/api/wiring", { body: aWiring({ line: "SIM2", dId: "none" }) });
    await this.#answers(200, "post", "/api/line/drive", { body: drive });
    await this.#answers(404, "post", "/api/line/drive", { body: { ...drive, line: "SIM9" } });
    await this.#answers(404, "post", "/api/line/read", { body: { line: "SIM9" } });
  }

  async #read(): Promise<void> {
    const month = new Date().toISOString().slice(0, "2026-01".length);
    const queries: Readonly<Record<string, Readonly<Record<string, string>>>> = {
      "/api/data": { period: "semanal" },
      "/api/overview": { period: "week" },
      "/api/export": { lang: "es" },
      "/api/report": { month, location: "Clínica Norte" },
    };
    for (const path of this.#paths("get")) {
      await this.#answers(200, "get", path, { query: queries[path] ?? {} });
    }
  }

  async #remove(): Promise<void> {
    const locationId = await this.#locationId();
    const device = { device: { name: "Pasillo Z" } };
    await this.#answers(200, "patch", "/api/device", { query: { dId: "7234" }, body: device });
    await this.#answers(404, "patch", "/api/device", { query: { dId: "none" }, body: device });
    const location = { location: { name: "Norte", description: "" } };
    await this.#answers(200, "patch", "/api/location", { query: { locationId }, body: location });
    await this.#answers(404, "patch", "/api/location", { query: { locationId: NOBODY }, body: location });
    await this.#answers(200, "delete", "/api/wiring", { query: { line: "SIM1" } });
    await this.#answers(404, "delete", "/api/wiring", { query: { line: "SIM1" } });
    await this.#answers(200, "delete", "/api/device", { query: { dId: "7234" } });
    await this.#answers(404, "delete", "/api/device", { query: { dId: "7234" } });
    await this.#answers(200, "delete", "/api/location", { query: { locationId } });
    await this.#answers(404, "delete", "/api/location", { query: { locationId: NOBODY } });
  }

  /** As many locations as an account may have, and one more. */
  async #fill(): Promise<void> {
    for (let count = 0; count < MAX_LOCATIONS_OF_USER; count += 1) {
      await this.#answers(200, "post", "/api/location", { body: aLocation({ name: `Clínica ${count}` }) });
    }
    await this.#answers(409, "post", "/api/location", { body: aLocation({ name: "Una más" }) });
  }

  async #mistakes(): Promise<void> {
    const keys = { dId: "7234", locationId: NOBODY };
    for (const [method, path] of JSON_BODIES) {
      await this.#answers(400, method, path, { query: keys, body: {} });
      await this.#answers(415, method, path, { query: keys, raw: { type: "text/plain", text: "{}" } });
      const raw = { type: "application/json", text: " ".repeat(TOO_LONG) };
      await this.#answers(413, method, path, { query: keys, raw });
    }
    for (const method of ["get", "delete"]) {
      const described = this.#paths(method).filter((path) => this.#says(400, method, path));
      for (const path of described) await this.#answers(400, method, path, { query: { limit: "0" } });
    }
    const elsewhere = { Origin: "https://elsewhere.example" };
    const fromElsewhere = { "Sec-Fetch-Site": "cross-site" };
    const signedIn = this.#cookie;
    for (const method of ["get", "post", "put", "patch", "delete"]) {
      for (const path of this.#paths(method)) {
        if (method !== "get") await this.#answers(403, method, path, { headers: elsewhere });
        else if (this.#says(403, method, path)) {
          await this.#answers(403, method, path, { headers: fromElsewhere });
        }
        if (!this.#says(401, method, path) || JSON.stringify(path).match(/login|logout|first-run/)) continue;
        this.#cookie = "";
        await this.#answers(401, method, path);
        this.#cookie = signedIn;
      }
    }
  }

  /** One exchange, which must have this status and be as the description has it. */
  async #answers(status: number, method: string, path: string, sent: Sent = {}): Promise<void> {
    const { query = {}, headers = {}, body, raw } = sent;
    const payload = raw?.text ?? (body === undefined ? undefined : JSON.stringify(body));
    const stop = new AbortController();
    const response = await fetch(`${this.#service.baseUrl}${path}?${new URLSearchParams(query)}`, {
      method: method.toUpperCase(),
      signal: stop.signal,
      headers: {
        cookie: this.#cookie,
        ...(payload === undefined ? {} : { "content-type": raw?.type ?? "application/json" }),
        ...headers,
      },
      ...(payload === undefined ? {} : { body: payload }),
    });
    const type = response.headers.get("content-type")?.split(";")[0] ?? "";
    // Live events have no end.
    const text = type === "text/event-stream" ? "" : await response.text();
    stop.abort();
    expect(response.status, `${method} ${path}: ${text}`).to.equal(status);
    const told: unknown = type === "application/json" ? JSON.parse(text) : text;
    this.#conformance.observe({ method, path, status, type, body: told });
  }

  async #locationId(): Promise<string> {
    const answer = (await (await this.#service.get("/api/location", this.#cookie)).json()) as {
      data: { _id: string }[];
    };
    return answer.data[0]?._id ?? "";
  }

  #paths(method: string): string[] {
    return Object.keys(this.#description.paths).filter((path) => this.#description.paths[path]?.[method]);
  }

  #says(status: number, method: string, path: string): boolean {
    return this.#description.paths[path]?.[method]?.responses[status] !== undefined;
  }
}
