import type { Context, Next } from "koa";
import { type ErrorCode, FlancoError } from "../domain/error.ts";
import type { Log } from "../domain/log.ts";
import type { Endpoint } from "./endpoint.ts";

/** The one table from a code to its HTTP status. */
const STATUS: Readonly<Record<ErrorCode, number>> = {
  invalid: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  too_large: 413,
  unsupported_media_type: 415,
  misdirected: 421,
  unprocessable: 422,
  too_many: 429,
  overloaded: 503,
  unavailable: 503,
  damaged: 500,
  too_new: 500,
  config: 500,
  internal: 500,
};

/** Where nothing tells how long a bounded queue takes to empty. */
const RETRY_AFTER_SECONDS = 1;

/** The HTTP status of an error at an endpoint, or anywhere else. */
export function statusOf(code: ErrorCode, endpoint: Endpoint | undefined): number {
  return endpoint?.statuses?.[code] ?? STATUS[code];
}

/** Where the text of an error goes: the contract has `message` on data endpoints, `error` elsewhere. */
export type ErrorField = "error" | "message";

/** Which endpoint a request is for, as far as errors need to know. */
export interface Routes {
  at(method: string, path: string): Endpoint | undefined;
  /** By path alone: a method that the path does not take has its error like the others there. */
  errorField(path: string): ErrorField;
}

/** Writes every error body. What went wrong inside is for the log; the client gets a text without a stack, path or SQL. */
export function errorMiddleware(log: Log, routes: Routes) {
  return async (context: Context, next: Next): Promise<void> => {
    const path = pathOf(context);
    try {
      if (path === undefined) throw unreadable();
      await next();
    } catch (thrown) {
      const error = toFlancoError(thrown);
      if (STATUS[error.code] >= 500) {
        log.error({ method: context.method, path, err: error.cause ?? error }, error.message);
      }
      writeError(context, path ?? "", error, routes);
    }
  };
}

/**
 * The request's path; undefined when its target is no URL, which koa tells by throwing whenever it is asked, or one
 * that has no path, where koa's is null whatever its type says.
 */
function pathOf(context: Context): string | undefined {
  try {
    const path: string | null = context.path;
    return path ?? undefined;
  } catch {
    return undefined;
  }
}

function unreadable(): FlancoError {
  return new FlancoError("invalid", "The request's target is not a valid URL.", {
    hint: "Send a path that begins with /.",
  });
}

function writeError(context: Context, path: string, error: FlancoError, routes: Routes): void {
  const endpoint = routes.at(context.method, path);
  const status = statusOf(error.code, endpoint);
  const fixedText = endpoint?.texts?.[status === 500 ? "internal" : error.code];
  const field = routes.errorField(path);
  const showFields =
    fixedText === undefined && error.fields !== undefined && (status === 400 || status === 409);
  context.status = status;
  if (status === 503 || error.retryAfterSeconds !== undefined) {
    context.set("Retry-After", String(error.retryAfterSeconds ?? RETRY_AFTER_SECONDS));
  }
  context.body = {
    status: "error",
    [field]: fixedText ?? textOf(error, status),
    ...(showFields ? { errors: error.fields } : {}),
  };
}

/** What broke inside is for the log: its text may hold a path or SQL. */
function textOf(error: FlancoError, status: number): string {
  if (status === 500) return "Something went wrong inside the service. Try again; its log says more.";
  return error.hint === undefined ? error.message : `${error.message} ${error.hint}`;
}

function toFlancoError(thrown: unknown): FlancoError {
  if (thrown instanceof FlancoError) return thrown;
  return new FlancoError("internal", thrown instanceof Error ? thrown.message : "Unknown failure", {
    cause: thrown,
  });
}
