import { Readable } from "node:stream";
import type { Context } from "koa";
import { FlancoError } from "../domain/error.ts";
import type { Id } from "../domain/id.ts";

const PIECE_BYTES = 16 * 1024;
/** Large answers of one account that its clients have not taken, together. */
const MAX_UNTAKEN_BYTES = 1024 * 1024;

/**
 * Gives large answers in pieces, each when the one before was taken, so that the pace of a client shows. They hold memory
 * until then: those of one account are bounded.
 */
export class LargeAnswers {
  readonly #untakenBytes = new Map<Id, number>();

  /** The body of this request's answer. Throws `overloaded` beyond the account's bound. */
  send(userId: Id, answer: Buffer, context: Pick<Context, "res" | "length">): Readable {
    const before = this.#untakenBytes.get(userId) ?? 0;
    const untaken = before + answer.length;
    // One alone is given, however large: it is as large as what the account has made.
    if (before > 0 && untaken > MAX_UNTAKEN_BYTES) {
      throw new FlancoError("overloaded", "Too many answers are waiting for their clients.", {
        hint: "Read them, or close their connections.",
      });
    }
    this.#untakenBytes.set(userId, untaken);
    context.res.once("close", () => this.#free(userId, answer.length));
    context.length = answer.length;
    return Readable.from(piecesOf(answer));
  }

  #free(userId: Id, bytes: number): void {
    const rest = (this.#untakenBytes.get(userId) ?? 0) - bytes;
    if (rest > 0) this.#untakenBytes.set(userId, rest);
    else this.#untakenBytes.delete(userId);
  }
}

function* piecesOf(answer: Buffer): Generator<Buffer> {
  for (let from = 0; from < answer.length; from += PIECE_BYTES)
    yield answer.subarray(from, from + PIECE_BYTES);
}
