import type { Context, Middleware, Next } from "koa";
import bodyParser from "koa-bodyparser";
import { FlancoError } from "../domain/error.ts";

const MAX_BODY_BYTES = 64 * 1024;
const MAX_DEPTH = 32;

/** Reads a JSON body of at most 64 KiB and 32 levels. Anything else never reaches an endpoint. */
export function bodyMiddleware(): Middleware {
  const parse = bodyParser({
    enableTypes: ["json"],
    jsonLimit: `${MAX_BODY_BYTES}b`,
    onerror: (error: Error) => {
      throw toFlancoError(error);
    },
  });
  return async (context: Context, next: Next): Promise<void> => {
    // `is` gives null for a request without a body, whose missing fields are then named.
    if (context.request.is("application/json") === false) {
      throw new FlancoError("unsupported_media_type", "The body must be JSON.", {
        hint: "Send it with Content-Type: application/json.",
      });
    }
    await parse(context, async () => {
      refuseDeep(context.request.body);
      await next();
    });
  };
}

function refuseDeep(body: unknown): void {
  let level: unknown[] = [body];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) {
      throw new FlancoError("invalid", `The body is nested deeper than ${MAX_DEPTH} levels.`);
    }
    level = level.flatMap((value) =>
      value !== null && typeof value === "object" ? Object.values(value) : [],
    );
  }
}

function toFlancoError(error: Error): FlancoError {
  const status = "status" in error ? error.status : undefined;
  if (status === 413) {
    return new FlancoError("too_large", `The body is larger than ${MAX_BODY_BYTES} bytes.`, {
      hint: "Send one record at a time.",
    });
  }
  if (status === 415) {
    return new FlancoError("unsupported_media_type", "The body's encoding is not supported.", {
      hint: "Send UTF-8.",
    });
  }
  return new FlancoError("invalid", "The body is not valid JSON.", { cause: error });
}
