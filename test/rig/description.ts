import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import type { Method } from "../../src/contract/declaration.ts";

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: object;
  /** Empty for one that needs no session. */
  readonly security: readonly object[];
  readonly responses: Readonly<Record<string, { readonly content: Content }>>;
}

type Content = Readonly<Record<string, { readonly schema?: object }>>;

export interface Description {
  readonly servers: readonly object[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

/** Every operation of a description. */
export function operationsOf({ paths }: Description) {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method as Method, path, ...operation })),
  );
}

/** One answer of the API. */
export interface Answer {
  readonly status: number;
  /** The type alone, without parameters. */
  readonly type: string;
  readonly body: unknown;
}

const ROOT = "openapi";
/** Of a host that is not this machine, before the path is looked at. */
const MISDIRECTED = 421;

/** The API's description, that answers are held to. */
export class HeldDescription {
  readonly #description: Description;
  readonly #ajv = new Ajv2020({ strict: false, allErrors: true });
  readonly #validators = new Map<string, ValidateFunction>();

  constructor(description: Description) {
    this.#description = description;
    this.#ajv.addSchema(description, ROOT);
  }

  /** Throws where an operation's answer has a status, a type or a shape that is not described. */
  hold(method: string, path: string, { status, type, body }: Answer): void {
    const operation = this.#description.paths[path]?.[method];
    if (operation === undefined || status === MISDIRECTED) return;
    const name = `${method} ${path} ${status}`;
    const content = operation.responses[status]?.content[type];
    if (content === undefined) throw new Error(`${name}, or its type "${type}", is not described.`);
    if (content.schema === undefined) return;
    const validate = this.#validator(["paths", path, method, "responses", String(status), "content", type]);
    if (!validate(body)) throw new Error(`${name}: ${this.#ajv.errorsText(validate.errors)}.`);
  }

  #validator(steps: readonly string[]): ValidateFunction {
    const escaped = steps.map((step) => encodeURIComponent(step.replaceAll("~", "~0").replaceAll("/", "~1")));
    const $ref = `${ROOT}#/${escaped.join("/")}/schema`;
    const validate = this.#validators.get($ref) ?? this.#ajv.compile({ $ref });
    this.#validators.set($ref, validate);
    return validate;
  }
}
