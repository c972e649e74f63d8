/** One field's mistake, as a 400 or 409 tells it. `kind` is for programs, `message` is the server's text. */
export interface FieldFailure {
  readonly kind: string;
  readonly message: string;
}

/** The status of a request that never reached the server, or whose answer never came. */
export const UNREACHABLE = 0;

/** A request that did not succeed. */
export class ApiFailure extends Error {
  override readonly name = "ApiFailure";
  /** The HTTP status, or UNREACHABLE. */
  readonly status: number;
  /** Field name to mistake; empty when the answer named none. */
  readonly fields: ReadonlyMap<string, FieldFailure>;
  /** When to try again, in seconds from then; null where the answer did not say. */
  readonly retryAfterSeconds: number | null;

  constructor(
    status: number,
    message: string,
    fields: ReadonlyMap<string, FieldFailure> = new Map(),
    retryAfterSeconds: number | null = null,
  ) {
    super(message);
    this.status = status;
    this.fields = fields;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

const TOO_MANY_REQUESTS = 429;
const LEAST_WAIT_SECONDS = 1;

/** How long to wait, in seconds, after a request that came too often; null for any other failure, and for none. */
export function waitOf(failure: ApiFailure | null): number | null {
  if (failure?.status !== TOO_MANY_REQUESTS) return null;
  return failure.retryAfterSeconds ?? LEAST_WAIT_SECONDS;
}

/** The status of a failed request; UNREACHABLE for an error of any other sort. */
export function statusOf(error: unknown): number {
  return error instanceof ApiFailure ? error.status : UNREACHABLE;
}
