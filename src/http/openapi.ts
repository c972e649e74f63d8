import { z } from "zod";
import type { ErrorCode } from "../domain/error.ts";
import { dataErrorAnswer, errorAnswer } from "./answer.ts";
import type { Endpoint } from "./endpoint.ts";
import { statusOf } from "./errors.ts";

/** The API's own: which program serves it is nobody's business who is not signed in. */
const API_VERSION = "1.0.0";

/** The API as an OpenAPI 3.1 description, from the very schemas that parse and answer. */
export function describeApi(endpoints: readonly Endpoint[], prefix: string): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const endpoint of endpoints) {
    const path = `${prefix}${endpoint.path}`;
    paths[path] ??= {};
    paths[path][endpoint.method] = describe(endpoint);
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "flanco",
      version: API_VERSION,
      description: "Devices, locations and the ledger of sales.",
    },
    paths,
    components: {
      securitySchemes: { session: { type: "apiKey", in: "cookie", name: "auth_token" } },
      schemas: { Error: toJson(errorAnswer, "output"), DataError: toJson(dataErrorAnswer, "output") },
    },
  };
}

function describe(endpoint: Endpoint): object {
  const parameters = [...queryParameters(endpoint), ...headerParameters(endpoint)];
  return {
    summary: endpoint.summary,
    security: endpoint.session ? [{ session: [] }] : [],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(endpoint.body === undefined
      ? {}
      : { requestBody: { required: true, content: json(toJson(endpoint.body, "input")) } }),
    responses: { [endpoint.status]: success(endpoint), ...failures(endpoint) },
  };
}

function success(endpoint: Endpoint): object {
  if (endpoint.answer === undefined) {
    return { description: "A stream.", content: { [endpoint.stream ?? "application/octet-stream"]: {} } };
  }
  return { description: "Success.", content: json(toJson(endpoint.answer, "output")) };
}

function failures(endpoint: Endpoint): Record<string, object> {
  const codes: ErrorCode[] = [...endpoint.errors, "forbidden"];
  if (endpoint.session) codes.push("unauthorized");
  if (endpoint.body !== undefined) codes.push("too_large", "unsupported_media_type");
  const schema = {
    $ref: `#/components/schemas/${endpoint.errorField === "message" ? "DataError" : "Error"}`,
  };
  const statuses = new Set(codes.map((code) => statusOf(code, endpoint)));
  return Object.fromEntries(
    [...statuses].map((status) => [status, { description: "Error.", content: json(schema) }]),
  );
}

function queryParameters(endpoint: Endpoint): object[] {
  if (endpoint.query === undefined) return [];
  const { properties = {}, required = [] } = toJson(endpoint.query, "input") as {
    properties?: Record<string, object>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: "query",
    required: required.includes(name),
    schema,
  }));
}

function headerParameters(endpoint: Endpoint): object[] {
  return Object.entries(endpoint.headers ?? {}).map(([name, description]) => ({
    name,
    in: "header",
    required: false,
    description,
    schema: { type: "string" },
  }));
}

function json(schema: object): object {
  return { "application/json": { schema } };
}

function toJson(schema: z.ZodType, io: "input" | "output"): object {
  const { $schema, ...rest } = z.toJSONSchema(schema, { io });
  return rest;
}
