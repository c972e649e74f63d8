import type { Method } from "../../contract/declaration.ts";
import { withQuery } from "../route.ts";
import type { Answer, Body, Data, ErrorAnswer, PathOf, Query } from "./shapes.ts";

/** What is wrong with one field: `kind` is for programs, `message` is the server's English text. */
type FieldMistake = NonNullable<ErrorAnswer["errors"]>[string];

/** The status of a request that did not reach the server, or whose answer did not come whole: a change may be made all the same. */
export const UNREACHABLE = 0;
/** A sign-in was accepted, and the browser does not send its session: the cookie was dropped. */
export const NOT_KEPT = -1;
export const BAD_REQUEST = 400;
export const UNAUTHORIZED = 401;
export const FORBIDDEN = 403;
export const NOT_FOUND = 404;
export const CONFLICT = 409;
export const TOO_MANY_REQUESTS = 429;
export const UNAVAILABLE = 503;
/** What is read and is not there whole by then counts as not reached: half a minute is ample on a slow network. */
const READ_PATIENCE_MS = 30_000;
/** The same of all else: the longest, a test of a sink, takes the service half a minute. */
const PATIENCE_MS = 60_000;
/** Carries the position in the stream of changes at which an answer was read: see src/http/event.ts. */
const POSITION_HEADER = "x-flanco-at";

export class ApiFailure extends Error {
  override readonly name = "ApiFailure";
  /** The HTTP status, or UNREACHABLE. */
  readonly status: number;
  /** Path of the field to its mistake; empty when the answer named none. */
  readonly fields: ReadonlyMap<string, FieldMistake>;
  /** When to try again, in seconds from then; null where the answer did not say. */
  readonly retryAfterSeconds: number | null;

  constructor(
    status: number,
    message: string,
    fields: ReadonlyMap<string, FieldMistake> = new Map(),
    retryAfterSeconds: number | null = null,
  ) {
    super(message);
    this.status = status;
    this.fields = fields;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** How long to wait, in seconds, after a request that came too often; null for any other failure, and for none. */
export function waitOf(failure: ApiFailure | null): number | null {
  return failure?.status === TOO_MANY_REQUESTS ? (failure.retryAfterSeconds ?? 1) : null;
}

/** The status of a failed request; UNREACHABLE for an error of any other sort. */
export function statusOf(error: unknown): number {
  return error instanceof ApiFailure ? error.status : UNREACHABLE;
}

/**
 * Sends one request, with `body` as JSON unless it is undefined, and gives a 2xx answer whose body is still to come.
 * With a `key`, what is sent again is done once. Throws ApiFailure for every other status, and where the server is not reached.
 */
async function request(
  method: Method,
  path: string,
  body?: unknown,
  signal: AbortSignal | null = null,
  key?: string,
): Promise<Response> {
  // `fetch` writes PATCH as it is given.
  const init: RequestInit = {
    method: method.toUpperCase(),
    credentials: "same-origin",
    cache: "no-store",
    // What is sent while the page is being left still arrives.
    keepalive: method !== "get",
    signal: patientSignal(signal, method === "get" ? READ_PATIENCE_MS : PATIENCE_MS),
  };
  if (body !== undefined) {
    init.headers = { "content-type": "application/json", ...(key && { "idempotency-key": key }) };
    init.body = JSON.stringify(body);
  }
  const response = await fetch(path, init).catch((error: unknown) => {
    throw new ApiFailure(UNREACHABLE, String(error));
  });
  const { status, headers } = response;
  if (response.ok) return response;
  // In seconds, the form that the service sends; not a number for any other, and 0 for none.
  const retryAfter = Number(headers.get("retry-after"));
  throw new ApiFailure(status, `HTTP ${status}`, await fieldsOf(response), retryAfter || null);
}

/** As `signal`, and aborts after `patienceMs`: a network that loses every packet breaks no connection. */
function patientSignal(signal: AbortSignal | null, patienceMs: number): AbortSignal {
  const patience = new AbortController();
  const stop = () => patience.abort();
  setTimeout(stop, patienceMs);
  signal?.addEventListener("abort", stop, { signal: patience.signal });
  if (signal?.aborted) stop();
  return patience.signal;
}

/** Sends a request outside of a session, or one that begins or ends it. Throws ApiFailure. */
export async function ask<M extends Method, Path extends PathOf<M>>(
  method: M,
  path: Path,
  body?: Body<M, Path>,
): Promise<Answer<M, Path>> {
  return bodyOf(await request(method, path, body));
}

/** The answer's body, trusted to be of its type: the program that serves the page serves the API too. */
async function bodyOf<T>(response: Response): Promise<T> {
  try {
    return (await response.json()) as T;
  } catch (error) {
    throw new ApiFailure(UNREACHABLE, String(error));
  }
}

async function fieldsOf(response: Response): Promise<ReadonlyMap<string, FieldMistake>> {
  try {
    const { errors = {} } = (await response.json()) as Partial<ErrorAnswer>;
    return new Map(Object.entries(errors));
  } catch {
    // A failed request may carry anything (a proxy's page, say); its status tells enough.
    return new Map();
  }
}

interface ApiListener {
  /** The session has ended. Called once for each. */
  onEnded(): void;
  /** A GET was answered at this position in the stream of changes; null where that is not known, or it failed. */
  onRead(at: string | null): void;
}

/** The API as one member sees it. Every method throws ApiFailure; a 401 to any request ends the session. */
export class Api {
  readonly #listener: ApiListener;
  #abort = new AbortController();

  constructor(listener: ApiListener) {
    this.#listener = listener;
  }

  /** Gives a whole answer. */
  async get<Path extends PathOf<"get">>(
    path: Path,
    query?: Query<"get", Path>,
  ): Promise<Answer<"get", Path>> {
    let at: string | null = null;
    try {
      const response = await this.#request("get", withQuery(path, query));
      const body = await bodyOf<Answer<"get", Path>>(response);
      at = response.headers.get(POSITION_HEADER);
      return body;
    } finally {
      this.#listener.onRead(at);
    }
  }

  /** Gives the `data` of an answer. */
  async data<Path extends PathOf<"get">>(path: Path, query?: Query<"get", Path>): Promise<Data<Path>> {
    const { data } = (await this.get(path, query)) as { readonly data: Data<Path> };
    return data;
  }

  /** Changes something, by a body of the contract's shape; with an `Idempotency-Key` once, where the contract takes one. */
  async send<M extends "post" | "put" | "patch", Path extends PathOf<M>>(
    method: M,
    path: Path,
    body?: Body<M, Path>,
    query?: Query<M, Path>,
    key?: string,
  ): Promise<Answer<M, Path>> {
    return bodyOf(await this.#request(method, withQuery(path, query), body, key));
  }

  /** Sends a DELETE. */
  async remove<Path extends PathOf<"delete">>(path: Path, query?: Query<"delete", Path>): Promise<void> {
    await this.#request("delete", withQuery(path, query));
  }

  /** Abandons the requests under way. Later requests fail, until it is opened for another session of the member. */
  close(): void {
    this.#abort.abort();
  }

  open(): void {
    this.#abort = new AbortController();
  }

  async #request(method: Method, path: string, body?: unknown, key?: string): Promise<Response> {
    const { signal } = this.#abort;
    try {
      return await request(method, path, body, signal, key);
    } catch (error) {
      if (statusOf(error) === UNAUTHORIZED && !signal.aborted) {
        this.close();
        this.#listener.onEnded();
      }
      throw error;
    }
  }
}
