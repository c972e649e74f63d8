import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { type ParsedUrlQuery, parse } from "node:querystring";
import { TextDecoder } from "node:util";
import type { Context } from "koa";
import bodyParser from "koa-bodyparser";
import type * as z from "zod";
import { type FieldError, FlancoError } from "../domain/error.ts";
import { kindOf, mistakeOf } from "../platform/mistake.ts";

interface BodyBounds {
  readonly bytes?: number | undefined;
  readonly values?: number;
}

const MAX_BODY_BYTES = 64 * 1024;
/** The bounds of a body whose sender is not known yet. */
export const UNKNOWN_SENDER = { bytes: 4 * 1024, values: 64 } as const satisfies BodyBounds;
const MAX_DEPTH = 32;
/** The most chunks of a body, because each costs work: enough for 64 KiB in chunks of 16 bytes. */
const MAX_PIECES = 4_096;
/** How much of a refused body is read and dropped, so that an honest client can read its answer. */
const MAX_DROPPED_BYTES = 8 * 1024 * 1024;
const PLAIN: ReadonlySet<string> = new Set(["", "identity"]);
const JSON_TYPE = /^\s*application\/json\s*(;|$)/i;

const parserOf = (maxBytes: number) =>
  bodyParser({
    enableTypes: ["json"],
    jsonLimit: `${maxBytes}b`,
    // The content type is checked before the parser runs.
    detectJSON: () => true,
    // A field `__proto__` is ignored like every other unknown field: schemas copy the fields that they name.
    ...{ onProtoPoisoning: "ignore" },
  });
const parsers = new Map<number, ReturnType<typeof parserOf>>();
const noNext = async () => {};

/**
 * Reads a JSON body within these bounds and 32 levels of depth. A request
 * without a body gives an empty object, so that the error names the missing
 * fields. Throws `unsupported_media_type`, `too_large` and `invalid`.
 */
export async function readBody(
  context: Context,
  { bytes = MAX_BODY_BYTES, values = Number.POSITIVE_INFINITY }: BodyBounds,
): Promise<unknown> {
  requireJson(context.req);
  try {
    const parse = parsers.get(bytes) ?? parserOf(bytes);
    parsers.set(bytes, parse);
    await new Promise((resolve, reject) => {
      parse(context, noNext).then(resolve, reject);
      watchPieces(context.req, reject);
    });
  } catch (thrown) {
    throw toBodyError(thrown, bytes);
  }
  const { body } = context.request;
  if (!isWithin(body, MAX_DEPTH)) {
    throw new FlancoError("invalid", `The body is nested deeper than ${MAX_DEPTH} levels.`);
  }
  if (Number.isFinite(values) && countValues(body) > values) {
    throw new FlancoError("too_large", `The body has more than ${values} values.`);
  }
  return body;
}

function requireJson({ headers }: IncomingMessage): void {
  const { "transfer-encoding": transfer, "content-length": length = "0" } = headers;
  const type = headers["content-type"];
  if (transfer !== undefined && transfer.trim().toLowerCase() !== "chunked") {
    throw new FlancoError("invalid", "The body's transfer coding is not supported.", {
      hint: "Send it with a Content-Length, or chunked alone.",
    });
  }
  const hasBody = transfer !== undefined || length !== "0";
  if (type === undefined ? hasBody : !JSON_TYPE.test(type)) {
    throw new FlancoError("unsupported_media_type", "The body must be JSON.", {
      hint: "Send it with Content-Type: application/json.",
    });
  }
  if (!PLAIN.has((headers["content-encoding"] ?? "").trim().toLowerCase())) {
    throw new FlancoError("unsupported_media_type", "The body's encoding is not supported.", {
      hint: "Send it in UTF-8, not compressed.",
    });
  }
  // The parser knows one spelling of it.
  delete headers["content-encoding"];
}

/** Refuses what the parser accepts: too many pieces, and bytes that are not UTF-8. */
function watchPieces(request: IncomingMessage, refuse: (cause: unknown) => void): void {
  // Made for the first piece that ends within a character: most bodies
  // come in one piece, and a decoder costs as much as parsing one.
  let utf8: TextDecoder | undefined;
  let pieces = 0;
  request.on("data", (piece: Buffer) => {
    pieces += 1;
    if (pieces > MAX_PIECES) {
      const hint = "Send it in one piece, or in larger chunks.";
      refuse(new FlancoError("too_large", `The body came in more than ${MAX_PIECES} pieces.`, { hint }));
    }
    if (utf8 === undefined && !isUtf8(piece)) utf8 = new TextDecoder("utf-8", { fatal: true });
    try {
      // A body that ends within a character is no JSON.
      utf8?.decode(piece, { stream: true });
    } catch (cause) {
      refuse(cause);
    }
  });
}

/** Reads and drops the rest of a body that was not read to its end; ends the connection beyond a bound. */
export function dropBody({ req, res }: Context): void {
  if (req.complete) return;
  let bytes = 0;
  let pieces = 0;
  // The parser and `watchPieces` still listen where they have refused the body.
  req.removeAllListeners("data");
  req.on("data", (piece: Buffer) => {
    bytes += piece.length;
    pieces += 1;
    if (bytes <= MAX_DROPPED_BYTES && pieces <= MAX_PIECES) return;
    req.removeAllListeners("data");
    req.pause();
    const end = () => req.socket.destroy();
    if (res.writableFinished) end();
    else res.once("finish", end);
  });
  req.resume();
}

/** Whether lists and objects are nested at most so many levels deep. */
function isWithin(value: unknown, levels: number): boolean {
  if (value === null || typeof value !== "object") return true;
  return levels > 0 && Object.values(value).every((child) => isWithin(child, levels - 1));
}

function countValues(value: unknown): number {
  if (value === null || typeof value !== "object") return 1;
  return Object.values(value).reduce<number>((sum, child) => sum + countValues(child), 1);
}

function toBodyError(thrown: unknown, maxBytes: number): FlancoError {
  if (thrown instanceof FlancoError) return thrown;
  switch (thrown instanceof Error && "type" in thrown ? thrown.type : undefined) {
    case "entity.too.large":
      return new FlancoError("too_large", `The body is larger than ${maxBytes} bytes.`, {
        hint: "Send less in one request: one record, or one sign-in.",
      });
    case "request.aborted":
      return new FlancoError("invalid", "The body ended before it was complete.", { cause: thrown });
    default:
      return new FlancoError("invalid", "The body is not valid JSON.", {
        hint: "Send one object, in UTF-8.",
        cause: thrown,
      });
  }
}

/**
 * The fields of a request's query, without those after the first 1,000. It stands in place of
 * koa's own reading, whose work grows with the square of their number: a query takes 160 ms there.
 */
export function queryOf({ querystring }: Context): ParsedUrlQuery {
  return parse(querystring);
}

/** The most mistakes that one answer names. */
const MAX_MISTAKES = 20;

/** Parses a query or a body. Throws `invalid` with a text that names each field and what is wrong with it. */
export function parseInput<S extends z.ZodType>(schema: S, input: unknown): z.output<S> {
  const parsed = schema.safeParse(input, { reportInput: true, error: mistakeOf });
  if (parsed.success) return parsed.data;
  const fields = new Map<string, FieldError>();
  for (const issue of parsed.error.issues) {
    const field = nameOf(issue.path);
    if (fields.size < MAX_MISTAKES && !fields.has(field)) {
      fields.set(field, { kind: kindOf(issue), message: issue.message });
    }
  }
  const text = [...fields].map(([field, { message }]) => `${field}: ${message}`).join("; ");
  throw new FlancoError("invalid", `${text}.`, { fields: Object.fromEntries(fields) });
}

/** A field's name, without the object that a body has its fields in (`newDevice`, `values`). */
function nameOf(path: readonly PropertyKey[]): string {
  const steps = typeof path[1] === "string" ? path.slice(1) : path;
  return steps.length === 0 ? "body" : steps.map(String).join(".");
}
