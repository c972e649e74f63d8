import type { Endpoint } from "./endpoint.ts";
import type { ErrorField, Routes } from "./errors.ts";

/**
 * Which endpoint a request is for. Every path of the API is whole, without parameters, and told apart by
 * case and by a slash at its end: finding an endpoint is one look-up.
 */
export class RouteTable implements Routes {
  readonly #byPath = new Map<string, Map<string, Endpoint>>();

  /** `prefix` stands before each endpoint's path. */
  constructor(endpoints: readonly Endpoint[], prefix: string) {
    for (const endpoint of endpoints) {
      const path = prefix + endpoint.path;
      const byMethod = this.#byPath.get(path) ?? new Map<string, Endpoint>();
      if (endpoint.method === "get") byMethod.set("HEAD", endpoint);
      byMethod.set(endpoint.method.toUpperCase(), endpoint);
      this.#byPath.set(path, byMethod);
    }
  }

  at(method: string, path: string): Endpoint | undefined {
    return this.#byPath.get(path)?.get(method);
  }

  /** The methods that a path takes; none when nothing is there. */
  methodsAt(path: string): readonly string[] {
    return [...(this.#byPath.get(path)?.keys() ?? [])];
  }

  errorField(path: string): ErrorField {
    const [endpoint] = this.#byPath.get(path)?.values() ?? [];
    return endpoint?.errorField ?? "error";
  }
}
