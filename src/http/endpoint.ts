import type { Context } from "koa";
import type { z } from "zod";
import type { ErrorCode } from "../domain/error.ts";
import type { Id } from "../domain/id.ts";
import type { ErrorField } from "./errors.ts";

export type Method = "get" | "post" | "put" | "patch" | "delete";

/** One operation of the API: what routes it, parses it, answers it and describes it. */
export interface Endpoint {
  readonly method: Method;
  /** Under the API's prefix: `/device`. */
  readonly path: string;
  readonly summary: string;
  /** Whether a session is needed. */
  readonly session: boolean;
  readonly query?: z.ZodType;
  readonly body?: z.ZodType;
  /** The object that the contract wraps a body's fields in. */
  readonly wrapper?: string;
  readonly errorField?: ErrorField;
  /** Fixed texts of the contract, by error code. */
  readonly texts?: Partial<Record<ErrorCode, string>>;
  /** Statuses that differ here from the common table. */
  readonly statuses?: Partial<Record<ErrorCode, number>>;
  /** Status of success. */
  readonly status: number;
  /** Shape of success; absent for a stream. */
  readonly answer?: z.ZodType;
  /** Media type of a stream. */
  readonly stream?: string;
  /** The errors that a client must expect here, beside those of sessions, of bodies and of other sites. */
  readonly errors: readonly ErrorCode[];
  /** Headers that a client may send. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly run: (request: Request) => Promise<unknown>;
}

/** The contract's status where the ledger cannot be read or written: 500, whose text shows nothing of why. */
export const LEDGER_FAILS = { unavailable: 500 } as const satisfies Endpoint["statuses"];

/** A parsed request. `query` and `body` have been through the endpoint's schemas. */
export interface Request {
  readonly userId: Id;
  readonly query: unknown;
  readonly body: unknown;
  readonly context: Context;
}

interface Typed<Q extends z.ZodType, B extends z.ZodType> {
  readonly query?: Q;
  readonly body?: B;
  readonly run: (request: {
    /** The signed-in user; empty where no session is needed. */
    readonly userId: Id;
    readonly query: z.output<Q>;
    readonly body: z.output<B>;
    readonly context: Context;
  }) => Promise<unknown> | unknown;
}

/** Declares an endpoint whose handler gets exactly what its schemas parse. */
export function endpoint<Q extends z.ZodType, B extends z.ZodType>(
  declaration: Omit<Endpoint, "run" | "query" | "body"> & Typed<Q, B>,
): Endpoint {
  return {
    ...declaration,
    run: async ({ userId, query, body, context }) =>
      declaration.run({ userId, query: query as z.output<Q>, body: body as z.output<B>, context }),
  };
}
