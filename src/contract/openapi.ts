import * as z from "zod";
import type { ErrorCode } from "../domain/error.ts";
import { API, boundADay, type Declaration, dataErrorAnswer, errorAnswer, statusOf } from "./declaration.ts";

/** The API's own version, not the program's, which is not shown without a session. */
const API_VERSION = "1.0.0";

/** The API as an OpenAPI 3.1 description, from the shapes that parse requests and type answers. */
export function describeApi(declarations: readonly Declaration[]): object {
  const paths = [...Map.groupBy(declarations, ({ path }) => path)].map(([path, own]) => [
    path,
    Object.fromEntries(own.map((declaration) => [declaration.method, describe(declaration)])),
  ]);
  return {
    openapi: "3.1.0",
    info: {
      title: "flanco",
      version: API_VERSION,
      description: "Devices, locations and the ledger of sales.",
    },
    servers: [{ url: "/", description: "The gateway that has given this description." }],
    paths: Object.fromEntries(paths),
    components: {
      securitySchemes: { session: { type: "apiKey", in: "cookie", name: "auth_token" } },
      schemas: { Error: toJson(errorAnswer, "output"), DataError: toJson(dataErrorAnswer, "output") },
    },
  };
}

function describe(declaration: Declaration): object {
  const parameters = parametersOf(declaration);
  return {
    operationId: `${declaration.method}${declaration.path.slice(API.length - 1).replaceAll(/[/-](\w)/g, (_, letter: string) => letter.toUpperCase())}`,
    summary: declaration.summary,
    security: declaration.roles === null ? [] : [{ session: [] }],
    "x-roles": declaration.roles ?? [],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(declaration.body === undefined
      ? {}
      : { requestBody: { required: true, content: json(toJson(declaration.body, "input")) } }),
    responses: { [declaration.status]: success(declaration), ...failures(declaration) },
  };
}

function success(declaration: Declaration): object {
  if (declaration.answer === undefined) {
    const types = [declaration.stream ?? "application/octet-stream"].flat();
    return { description: "A stream.", content: Object.fromEntries(types.map((type) => [type, {}])) };
  }
  return { description: "Success.", content: json(toJson(declaration.answer, "output")) };
}

function failures(declaration: Declaration): Record<string, object> {
  const codes: ErrorCode[] = [...declaration.errors, "forbidden"];
  // A read is "overloaded" where its clients leave too many large answers untaken, or it takes too long.
  if (!declaration.withoutLedger) codes.push("unavailable", "internal", "overloaded");
  if (declaration.roles !== null) codes.push("unauthorized");
  if (boundADay(declaration) !== null) codes.push("too_many");
  if (declaration.query !== undefined || declaration.body !== undefined) codes.push("invalid");
  if (declaration.body !== undefined) codes.push("too_large", "unsupported_media_type");
  const schema = {
    $ref: `#/components/schemas/${declaration.errorField === "message" ? "DataError" : "Error"}`,
  };
  const statuses = new Set(codes.map((code) => statusOf(code, declaration)));
  return Object.fromEntries(
    [...statuses].map((status) => [status, { description: "Error.", content: json(schema) }]),
  );
}

function parametersOf({ query = z.object({}), headers = {} }: Declaration): object[] {
  const { properties = {}, required = [] } = toJson(query, "input") as {
    properties?: Record<string, object>;
    required?: string[];
  };
  return [
    ...Object.entries(properties).map(([name, schema]) => ({
      name,
      in: "query",
      required: required.includes(name),
      schema,
    })),
    ...Object.entries(headers).map(([name, description]) => ({
      name,
      in: "header",
      required: false,
      description,
      schema: { type: "string" },
    })),
  ];
}

function json(schema: object): object {
  return { "application/json": { schema } };
}

function toJson(schema: z.ZodType, io: "input" | "output"): object {
  const { $schema, ...rest } = z.toJSONSchema(schema, { io });
  return rest;
}
