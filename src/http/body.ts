import type { IncomingMessage } from "node:http";
import type { Context } from "koa";
import { FlancoError } from "../domain/error.ts";

const MAX_BODY_BYTES = 64 * 1024;
const MAX_DEPTH = 32;
const JSON_TYPE = /^\s*application\/json\s*(;|$)/i;

const utf8 = new TextDecoder("utf-8", { fatal: true });

/**
 * Reads a JSON body of at most 64 KiB and 32 levels; a request without one gives an empty object, whose
 * missing fields are then named. Throws `unsupported_media_type`, `too_large` and `invalid`.
 */
export async function readBody(context: Context): Promise<unknown> {
  const { headers } = context.req;
  const type = headers["content-type"];
  if (type === undefined ? hasBody(context.req) : !JSON_TYPE.test(type)) {
    throw new FlancoError("unsupported_media_type", "The body must be JSON.", {
      hint: "Send it with Content-Type: application/json.",
    });
  }
  if ((headers["content-encoding"] ?? "identity") !== "identity") {
    throw new FlancoError("unsupported_media_type", "The body's encoding is not supported.", {
      hint: "Send it in UTF-8, not compressed.",
    });
  }
  const body = parse(await readBytes(context.req));
  if (!isWithin(body, MAX_DEPTH)) {
    throw new FlancoError("invalid", `The body is nested deeper than ${MAX_DEPTH} levels.`);
  }
  return body;
}

function hasBody(request: IncomingMessage): boolean {
  const { "transfer-encoding": encoding, "content-length": length = "0" } = request.headers;
  return encoding !== undefined || length !== "0";
}

function readBytes(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      // What is beyond the limit is read and dropped, so that the client is there for its answer.
      if (bytes <= MAX_BODY_BYTES) chunks.push(chunk);
      else reject(tooLarge());
    });
    request.on("end", () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
    request.on("error", (cause) => {
      reject(new FlancoError("invalid", "The body ended before it was complete.", { cause }));
    });
  });
}

function parse(bytes: Buffer): unknown {
  if (bytes.length === 0) return {};
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch (cause) {
    throw new FlancoError("invalid", "The body is not valid JSON.", { cause });
  }
}

/** Whether lists and objects stand in each other at most so many levels deep. */
function isWithin(value: unknown, levels: number): boolean {
  if (value === null || typeof value !== "object") return true;
  return levels > 0 && Object.values(value).every((child) => isWithin(child, levels - 1));
}

function tooLarge(): FlancoError {
  return new FlancoError("too_large", `The body is larger than ${MAX_BODY_BYTES} bytes.`, {
    hint: "Send one record at a time.",
  });
}
