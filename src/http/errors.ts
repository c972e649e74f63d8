import type { Context, Next } from "koa";
import { type ErrorField, statusOf } from "../contract/declaration.ts";
import { MINUTE_MS } from "../domain/clock.ts";
import { FlancoError, withHint } from "../domain/error.ts";
import type { Log } from "../domain/log.ts";
import { dropBody } from "./input.ts";

/**
 * Kinds of failures that have a line of their own in a
 * minute; the others are told apart by their codes alone.
 */
const MAX_KINDS = 32;
/** The Retry-After of an error that does not say when to try again. */
const RETRY_AFTER_SECONDS = 1;

/**
 * Writes every error body, and drops the rest of the request's body. Internal
 * errors are logged; the client gets a text without a stack, path or SQL.
 * @param fieldAt the field of the error's text for a path, also for a method that the path does not take
 * @param showsInside whether the client is the machine's own operator, who is shown internal errors
 */
export function errorMiddleware(log: Log, fieldAt: (path: string) => ErrorField, showsInside = false) {
  const note = failureLog(log);
  return async (context: Context, next: Next): Promise<void> => {
    const path = pathOf(context);
    try {
      if (path === undefined) {
        const hint = "Send a path that begins with /.";
        throw new FlancoError("invalid", "The request's target is not a valid URL.", { hint });
      }
      await next();
    } catch (thrown) {
      const error = toFlancoError(thrown);
      if (statusOf(error.code) >= 500) note(error, { method: context.method, path });
      writeError(context, fieldAt(path ?? ""), error, showsInside);
    }
    dropBody(context);
  };
}

/**
 * Logs failed requests: the first of each kind, and then once a minute how many there were,
 * so that no client floods the log. Only internal errors are logged with their stack.
 */
function failureLog(log: Log): (error: FlancoError, request: object) => void {
  /** Failures of each kind since its last line, for a minute after that line. */
  const counts = new Map<string, number>();
  const wait = (kind: string): void => {
    counts.set(kind, 0);
    setTimeout(() => tell(kind), MINUTE_MS).unref();
  };
  const tell = (kind: string): void => {
    const count = counts.get(kind) ?? 0;
    counts.delete(kind);
    if (count === 0) return;
    log.error({ kind, count }, "more requests failed alike in the last minute");
    wait(kind);
  };
  return (error, request) => {
    const { code } = error;
    const kind = counts.has(error.message) || counts.size < MAX_KINDS ? error.message : code;
    const count = counts.get(kind);
    if (count !== undefined) {
      counts.set(kind, count + 1);
      return;
    }
    const isBusy = statusOf(code) === 503;
    const why = isBusy ? { cause: error.cause && String(error.cause) } : { err: error.cause ?? error };
    log.error({ ...request, code, ...why }, error.message);
    wait(kind);
  };
}

/**
 * The request's path. Undefined where the target is no URL, for which koa throws at
 * each access, or a URL without a path, for which koa gives null despite its type.
 */
export function pathOf(context: Context): string | undefined {
  try {
    const path: string | null = context.path;
    return path ?? undefined;
  } catch {
    return undefined;
  }
}

function writeError(context: Context, field: ErrorField, error: FlancoError, showsInside: boolean): void {
  const { declaration } = context.state;
  const status = statusOf(error.code, declaration);
  const fixedText = declaration?.texts?.[status === 500 ? "internal" : error.code];
  const showFields =
    fixedText === undefined && error.fields !== undefined && (status === 400 || status === 409);
  context.status = status;
  if (status === 503 || error.retryAfterSeconds !== undefined) {
    context.set("Retry-After", String(error.retryAfterSeconds ?? RETRY_AFTER_SECONDS));
  }
  context.body = {
    status: "error",
    [field]: fixedText ?? textOf(error, status !== 500 || showsInside),
    ...(showFields ? { errors: error.fields } : {}),
  };
}

/**
 * The error's text for the client. That of an internal error may
 * have a path or SQL in it, and is shown to operators alone.
 */
function textOf(error: FlancoError, isShown: boolean): string {
  if (!isShown) return "Something went wrong inside the service. Try again; its log says more.";
  return withHint(error);
}

function toFlancoError(thrown: unknown): FlancoError {
  if (thrown instanceof FlancoError) return thrown;
  return new FlancoError("internal", thrown instanceof Error ? thrown.message : "Unknown failure", {
    cause: thrown,
  });
}
