import { z } from "zod";
import type { ErrorCode } from "../domain/error.ts";
import type { Declaration } from "./declaration.ts";

const fields = z.record(
  z.string(),
  z.strictObject({ kind: z.enum(["required", "type", "length", "range", "unique"]), message: z.string() }),
);

/** An error of every endpoint but those of data, which carry their text in `message`. */
export const errorAnswer = z.strictObject({
  status: z.literal("error"),
  error: z.string(),
  errors: fields.optional(),
});
export const dataErrorAnswer = z.strictObject({
  status: z.literal("error"),
  message: z.string(),
  errors: fields.optional(),
});

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
  unavailable: 503,
  overloaded: 503,
  outdated: 503,
  internal: 500,
  damaged: 500,
  too_new: 500,
  attention: 500,
  config: 500,
};

/** The HTTP status of an error; some endpoints differ from the table. */
export function statusOf(code: ErrorCode, at?: Pick<Declaration, "statuses">): number {
  return at?.statuses?.[code] ?? STATUS[code];
}

/** The code of a status: of several codes the first of the table. */
export function codeOf(status: number): ErrorCode {
  const codes = Object.keys(STATUS) as ErrorCode[];
  return codes.find((code) => STATUS[code] === status) ?? "internal";
}

/** The contract's status where the ledger cannot be read or written: 500, whose text shows nothing of why. */
export const LEDGER_FAILS = { unavailable: 500 } as const satisfies Declaration["statuses"];
