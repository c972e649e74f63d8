import type { IncomingMessage, ServerResponse } from "node:http";
import type { Context } from "koa";
import { FlancoError } from "../domain/error.ts";

const MAX_BODY_BYTES = 64 * 1024;
const MAX_DEPTH = 32;
/** Each chunk, however small, is work of its own: a whole body of 64 KiB may come in chunks of 16 bytes. */
const MAX_PIECES = 4_096;
/** What is beyond a limit is dropped up to here, so that an honest client is there for its answer. */
const MAX_DROPPED_BYTES = 8 * 1024 * 1024;
const FIRST_BYTES = 1024;
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
  const body = parse(await readBytes(context.req, context.res));
  if (!isWithin(body, MAX_DEPTH)) {
    throw new FlancoError("invalid", `The body is nested deeper than ${MAX_DEPTH} levels.`);
  }
  return body;
}

function hasBody(request: IncomingMessage): boolean {
  const { "transfer-encoding": encoding, "content-length": length = "0" } = request.headers;
  return encoding !== undefined || length !== "0";
}

/** Reads and drops a body that nothing has read, up to a bound at which the connection is ended. */
export function dropBody({ req, res }: Context): void {
  if (!req.complete && req.readableFlowing === null) dropRest(req, res);
}

function readBytes(request: IncomingMessage, response: ServerResponse): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const body = new Bytes();
    let pieces = 0;
    const refuse = (error: FlancoError) => {
      request.off("data", take);
      dropRest(request, response);
      reject(error);
    };
    const take = (piece: Buffer) => {
      pieces += 1;
      if (pieces > MAX_PIECES) refuse(tooManyPieces());
      else if (!body.take(piece)) refuse(tooLarge());
    };
    request.on("data", take);
    request.on("end", () => resolve(body.whole()));
    request.on("error", (cause) => {
      reject(new FlancoError("invalid", "The body ended before it was complete.", { cause }));
    });
  });
}

function dropRest(request: IncomingMessage, response: ServerResponse): void {
  let bytes = 0;
  let pieces = 0;
  const drop = (piece: Buffer) => {
    bytes += piece.length;
    pieces += 1;
    if (bytes <= MAX_DROPPED_BYTES && pieces <= MAX_PIECES) return;
    request.off("data", drop);
    request.pause();
    // The answer first, which is on its way by then.
    const end = () => request.socket.destroy();
    if (response.writableFinished) end();
    else response.once("finish", end);
  };
  request.on("data", drop);
}

/** Bytes of a body, copied out of their pieces: to hold a piece costs a hundred times what one byte does. */
class Bytes {
  #held = Buffer.allocUnsafe(FIRST_BYTES);
  #length = 0;

  /** Whether there was room. */
  take(piece: Buffer): boolean {
    const length = this.#length + piece.length;
    if (length > MAX_BODY_BYTES) return false;
    if (length > this.#held.length) {
      const larger = Buffer.allocUnsafe(Math.min(MAX_BODY_BYTES, Math.max(length, this.#held.length * 2)));
      this.#held.copy(larger, 0, 0, this.#length);
      this.#held = larger;
    }
    piece.copy(this.#held, this.#length);
    this.#length = length;
    return true;
  }

  whole(): Buffer {
    return this.#held.subarray(0, this.#length);
  }
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

function tooManyPieces(): FlancoError {
  return new FlancoError("too_large", `The body came in more than ${MAX_PIECES} pieces.`, {
    hint: "Send it in one piece, or in larger chunks.",
  });
}
