import { ApiFailure, type FieldFailure, UNREACHABLE } from "./failure.ts";
import { type Json, object } from "./read.ts";

export interface Message {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** From the root: `/api/device`. */
  readonly path: string;
  /** Sent as JSON; undefined sends no body. */
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

/** A 2xx answer that came whole. */
export interface Answer {
  readonly headers: Headers;
  readonly body: Json;
}

/** Sends one request and gives the whole answer. Throws ApiFailure for every status but 2xx, and where the body does not come whole. */
export async function send(message: Message): Promise<Answer> {
  const response = await open(message);
  return { headers: response.headers, body: object(await bodyOf(response)) };
}

/** Sends one request and gives the answer while its body is still to come. Throws ApiFailure for every status but 2xx. */
export async function open(message: Message): Promise<Response> {
  const response = await reach(message);
  if (!response.ok) {
    const { status, headers } = response;
    const fields = fieldsOf(await bodyOf(response));
    throw new ApiFailure(status, `HTTP ${status}`, fields, secondsOf(headers.get("retry-after")));
  }
  return response;
}

async function reach({ method, path, body, signal }: Message): Promise<Response> {
  const request: RequestInit = { method, credentials: "same-origin", cache: "no-store" };
  if (signal !== undefined) request.signal = signal;
  if (body !== undefined) {
    request.headers = { "content-type": "application/json" };
    request.body = JSON.stringify(body);
  }
  try {
    return await fetch(path, request);
  } catch (error) {
    throw new ApiFailure(UNREACHABLE, String(error));
  }
}

async function bodyOf(response: Response): Promise<unknown> {
  try {
    return await response.json();
  } catch (error) {
    // A failed request may carry anything (a proxy's page, say); its status tells enough.
    if (!response.ok) return undefined;
    throw new ApiFailure(UNREACHABLE, String(error));
  }
}

/** A `Retry-After` in seconds, the form that the service sends. */
function secondsOf(header: string | null): number | null {
  return header !== null && /^\d{1,6}$/.test(header) ? Number(header) : null;
}

function fieldsOf(answer: unknown): ReadonlyMap<string, FieldFailure> {
  const fields = new Map<string, FieldFailure>();
  if (typeof answer !== "object" || answer === null) return fields;
  const { errors } = answer as Json;
  if (typeof errors !== "object" || errors === null) return fields;
  for (const [field, mistake] of Object.entries(errors)) {
    const { kind, message } = object(mistake, field);
    fields.set(field, { kind: String(kind), message: String(message) });
  }
  return fields;
}
