/**
 * What OpenAPI 3.1.0 asks of a document, as far as this API uses it: its fixed fields, and no others.
 * Source: the OpenAPI Specification, version 3.1.0, chapter "Schema".
 */
const MEDIA_TYPES = {
  type: "object",
  minProperties: 1,
  propertyNames: { pattern: "^[a-z]+/[a-z.+-]+$" },
  additionalProperties: {
    type: "object",
    properties: { schema: { type: "object" } },
    additionalProperties: false,
  },
};

const PARAMETER = {
  type: "object",
  required: ["name", "in", "schema"],
  properties: {
    name: { type: "string", minLength: 1 },
    in: { enum: ["query", "header", "path", "cookie"] },
    required: { type: "boolean" },
    description: { type: "string" },
    schema: { type: "object" },
  },
  additionalProperties: false,
};

const OPERATION = {
  type: "object",
  required: ["summary", "security", "responses"],
  properties: {
    summary: { type: "string", minLength: 1 },
    security: {
      type: "array",
      items: {
        type: "object",
        properties: { session: { type: "array", maxItems: 0 } },
        additionalProperties: false,
      },
    },
    parameters: { type: "array", minItems: 1, uniqueItems: true, items: PARAMETER },
    requestBody: {
      type: "object",
      required: ["content"],
      properties: { required: { type: "boolean" }, content: MEDIA_TYPES },
      additionalProperties: false,
    },
    responses: {
      type: "object",
      minProperties: 1,
      propertyNames: { pattern: "^[1-5][0-9]{2}$" },
      additionalProperties: {
        type: "object",
        required: ["description"],
        properties: { description: { type: "string", minLength: 1 }, content: MEDIA_TYPES },
        additionalProperties: false,
      },
    },
  },
  additionalProperties: false,
};

/** JSON Schema (2020-12) of the document. */
export const DOCUMENT_SHAPE = {
  type: "object",
  required: ["openapi", "info", "paths"],
  properties: {
    openapi: { type: "string", pattern: "^3\\.1\\.[0-9]+$" },
    info: {
      type: "object",
      required: ["title", "version"],
      properties: {
        title: { type: "string" },
        version: { type: "string" },
        description: { type: "string" },
      },
      additionalProperties: false,
    },
    paths: {
      type: "object",
      minProperties: 1,
      propertyNames: { pattern: "^/" },
      additionalProperties: {
        type: "object",
        minProperties: 1,
        properties: { get: OPERATION, post: OPERATION, put: OPERATION, patch: OPERATION, delete: OPERATION },
        additionalProperties: false,
      },
    },
    components: {
      type: "object",
      properties: {
        schemas: { type: "object", additionalProperties: { type: "object" } },
        securitySchemes: {
          type: "object",
          properties: {
            session: {
              type: "object",
              required: ["type", "name", "in"],
              properties: {
                type: { const: "apiKey" },
                in: { enum: ["query", "header", "cookie"] },
                name: { const: "auth_token" },
              },
              additionalProperties: false,
            },
          },
          additionalProperties: false,
        },
      },
      additionalProperties: false,
    },
  },
  additionalProperties: false,
};
