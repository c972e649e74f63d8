import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { expect } from "chai";
import type { Response as Answer, Test } from "supertest";
import { FlancoError } from "../../src/domain/error.ts";
import { Appliance } from "../rig/appliance.ts";
import { forSuite } from "../rig/standing.ts";

/** One exchange with the API, as it happened. */
export interface Observed {
  readonly method: string;
  /** Without its query. */
  readonly path: string;
  readonly status: number;
  /** The type alone, without parameters; empty for none. */
  readonly type: string;
  readonly body: unknown;
}

interface Response {
  readonly content: Readonly<Record<string, { readonly schema?: object }>>;
}

interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: object;
  /** Empty for one that needs no session. */
  readonly security: readonly object[];
  readonly responses: Readonly<Record<string, Response>>;
}

export interface Description {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

export type Method = "get" | "post" | "put" | "patch" | "delete";

/** Every operation of a description. */
export function operationsOf({ paths }: Description) {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method as Method, path, ...operation })),
  );
}

const ROOT = "openapi";

/** An OpenAPI description that real answers are held to, and that remembers which it has seen. */
export class Conformance {
  readonly #description: Description;
  readonly #ajv = new Ajv2020({ strict: false, allErrors: true });
  readonly #seen = new Set<string>();

  constructor(description: Description) {
    this.#description = description;
    this.#ajv.addSchema(description, ROOT);
  }

  /** Throws when the description has no such operation or status, or the body is of another type or shape. */
  observe({ method, path, status, type, body }: Observed): void {
    const name = `${method.toUpperCase()} ${path} ${status}`;
    const operation = this.#description.paths[path]?.[method];
    if (operation === undefined) throw new Error(`${name}: the description has no such operation.`);
    const response = operation.responses[status];
    if (response === undefined) throw new Error(`${name}: that status is not described.`);
    const content = response.content[type];
    if (content === undefined) throw new Error(`${name}: the type ${type} is not described.`);
    if (content.schema !== undefined) {
      const validate = this.#validator(["paths", path, method, "responses", String(status), "content", type]);
      if (!validate(body)) throw new Error(`${name}: ${this.#ajv.errorsText(validate.errors)}.`);
    }
    this.#seen.add(name);
  }

  /** Every method, path and status that is described and was not observed. */
  unseen(): string[] {
    return describedIn(this.#description).filter((name) => !this.#seen.has(name));
  }

  #validator(steps: readonly string[]): ValidateFunction {
    const pointer = [...steps, "schema"].map(escaped).join("/");
    return this.#ajv.compile({ $ref: `${ROOT}#/${pointer}` });
  }
}

/** A signed-in user; an appliance's `api` sends without a session. */
type Sender = Readonly<Record<Method, (path: string) => Test>>;

interface Sent {
  /** Without it, the suite's user. */
  readonly by?: Sender;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
  /** Sent as it is, in place of a JSON body. */
  readonly raw?: { readonly type: string; readonly text: string };
}

/** Real exchanges with an appliance, each held to the description of its API. To make in a `describe`. */
export class Exchanges {
  readonly appliance = forSuite(() => Appliance.open());
  readonly user = forSuite(() => this.appliance.addUser());
  readonly description = forSuite(
    async (): Promise<Description> => (await this.appliance.api.get("/api/openapi.json").expect(200)).body,
  );
  readonly conformance = forSuite(() => new Conformance(this.description));

  constructor() {
    afterEach(() => {
      this.appliance.breaker.failure = undefined;
      this.appliance.lines.refusal = undefined;
    });
  }

  /** One exchange, which must have this status and be as the description has it. */
  async answers(status: number, method: Method, path: string, sent: Sent = {}): Promise<Answer> {
    const { by = this.user, query = {}, headers = {}, raw, body } = sent;
    const request = by[method](path).query(query).set(headers);
    if (raw !== undefined) request.type(raw.type).send(raw.text);
    else if (body !== undefined) request.send(body);
    const response = await request;
    expect(response.status, `${method} ${path}: ${response.text}`).to.equal(status);
    this.conformance.observe({ method, path, status, type: response.type, body: response.body });
    return response;
  }
}

/** Each status of each operation, as `GET /api/device 200`. */
export function describedIn(description: Description): string[] {
  return operationsOf(description).flatMap(({ method, path, responses }) =>
    Object.keys(responses).map((status) => `${method.toUpperCase()} ${path} ${status}`),
  );
}

/** Whether a described status, as `GET /api/device 503`, is one that operations have in common. */
export function isRefusal(name: string): boolean {
  return /(?:400|401|403|413|415|500|503)$/.test(name);
}

function escaped(step: string): string {
  return encodeURIComponent(step.replaceAll("~", "~0").replaceAll("/", "~1"));
}

/** The contract has 500 where devices, locations and summaries cannot be had, 503 for a post to come again. */
export function statusInTrouble(failure: Error, path: string, method: Method): number {
  if (!(failure instanceof FlancoError)) return 500;
  if (failure.code === "overloaded") return 503;
  const inContract =
    ["/api/device", "/api/location"].includes(path) || (path === "/api/data" && method === "get");
  return inContract ? 500 : 503;
}
