/** What went wrong, for programs. The table from code to HTTP status is in http/middleware.ts. */
export type ErrorCode =
  | "invalid" // an input does not fit its schema
  | "unauthorized" // no session, or one that has ended
  | "forbidden" // a session or origin that may not do this
  | "not_found"
  | "method_not_allowed"
  | "conflict" // what is asked contradicts what is stored
  | "too_large"
  | "unsupported_media_type"
  | "unprocessable" // an idempotency key that was used for another body; what another side refuses for good
  | "misdirected" // a request for a host that this machine is not
  | "too_many" // more attempts than are allowed in their time
  | "overloaded" // a bounded queue is full: try again later
  | "unavailable" // the thing asked for cannot work here (a driver, a disk)
  | "outdated" // the ledger must be brought up to date first, which takes long
  | "damaged" // the ledger's file cannot be trusted
  | "too_new" // the ledger's file was written by a later version
  | "attention" // it works, and a person must see to something
  | "config" // the configuration has mistakes
  | "internal";

/** The kinds of mistake in one field. The contract names these five. */
export type FieldErrorKind = "required" | "type" | "length" | "range" | "unique";

export interface FieldError {
  readonly kind: FieldErrorKind;
  readonly message: string;
}

/** Field path (`dId`, `actuators.3.id`) to what is wrong with it. */
export type FieldErrors = Readonly<Record<string, FieldError>>;

export interface FlancoErrorOptions {
  /** What to do next, in one sentence. */
  readonly hint?: string | undefined;
  readonly fields?: FieldErrors | undefined;
  /** When to try again, in whole seconds from now. */
  readonly retryAfterSeconds?: number | undefined;
  readonly cause?: unknown;
}

/**
 * The one error of the program. `message` is a text for people that holds no stack, path of the
 * program or SQL; `code` is for programs, and nothing ever branches on the message.
 */
export class FlancoError extends Error {
  override readonly name = "FlancoError";
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  readonly fields: FieldErrors | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ErrorCode, message: string, options: FlancoErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.hint = options.hint;
    this.fields = options.fields;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

/** The refusal of one field of an input. `message` follows its name: `must not be in the future`. */
export function invalidField(
  field: string,
  kind: FieldErrorKind,
  message: string,
  hint?: string,
): FlancoError {
  return new FlancoError("invalid", `${field}: ${message}.`, {
    hint,
    fields: { [field]: { kind, message } },
  });
}

/** A FlancoError as plain data, to cross a thread or a socket. Its cause is left out. */
export interface ErrorData extends Omit<FlancoErrorOptions, "cause"> {
  readonly code: ErrorCode;
  readonly message: string;
}

/** Any other error than a FlancoError is `internal`. */
export function errorToData(error: unknown): ErrorData {
  if (!(error instanceof FlancoError)) return { code: "internal", message: messageOf(error) };
  const { code, message, hint, fields, retryAfterSeconds } = error;
  return { code, message, hint, fields, retryAfterSeconds };
}

/** The code of a failed system call (`EBUSY`); undefined for every other error. */
export function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || error instanceof FlancoError || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

/** Reads from a disk. Undefined where it is missing or fails, which must not keep the service from its work. */
export function orNothing<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (systemCode(error) !== undefined) return undefined;
    throw error;
  }
}

/** What was thrown, as a text. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** A message with what to do about it, in one text. */
export function withHint({
  message,
  hint = "",
}: {
  readonly message: string;
  readonly hint?: string | undefined;
}): string {
  return hint === "" ? message : `${message} ${hint}`;
}

export function errorFromData({ code, message, ...options }: ErrorData): FlancoError {
  return new FlancoError(code, message, options);
}

/** A conflict on one field, as the contract's 409 shows it. */
export function duplicateError(field: string, message: string, hint?: string): FlancoError {
  return new FlancoError("conflict", message, { hint, fields: { [field]: { kind: "unique", message } } });
}

/** A conflict with the bound on something that a user owns (`devices`). */
export function tooManyError(most: number, what: string): FlancoError {
  return new FlancoError("conflict", `An account has ${most} ${what} at most.`, {
    hint: "Remove some that are not used any more, or use another account.",
  });
}
