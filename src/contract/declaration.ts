import type { z } from "zod";
import type { ErrorCode } from "../domain/error.ts";
import type { Role } from "../domain/member.ts";
import { success } from "./field.ts";

/** What the path of every operation begins with. */
export const API_PREFIX = "/api";

/** Roles of several operations; `ROLES` of `src/domain/member.ts` are all. */
export const OWNER: readonly Role[] = ["owner"];
/** Roles that see prices and sums. */
export const MONEY: readonly Role[] = ["owner", "staff"];
/** Roles that set up locations, devices and lines. */
export const TECHNICAL: readonly Role[] = ["owner", "technician"];
/** All but a screen. */
export const PEOPLE: readonly Role[] = ["owner", "staff", "technician"];

export type Method = "get" | "post" | "put" | "patch" | "delete";

/** Where the text of an error stands: the contract has `message` on data endpoints, `error` elsewhere. */
export type ErrorField = "error" | "message";

/** One operation of the API without the code behind it: what routes, parses, answers and describes it. */
export interface Declaration {
  readonly method: Method;
  /** Under the API's prefix: `/device`. */
  readonly path: string;
  readonly summary: string;
  /** Whose session it needs; null where it needs none. */
  readonly roles: readonly Role[] | null;
  readonly query?: z.ZodType;
  readonly body?: z.ZodType;
  /** The object that the contract wraps a body's fields in. */
  readonly wrapper?: string;
  /** Most bytes of a body; 64 KiB where this is absent. */
  readonly maxBodyBytes?: number;
  /** The request is to sign its sender in: it passes the gate before its small body is read. */
  readonly signsIn?: true;
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
  /** The errors that a client must expect beside those of all operations (`openapi.ts`). */
  readonly errors: readonly ErrorCode[];
  /** It needs nothing of the ledger, and meets none of its errors. */
  readonly withoutLedger?: true;
  /** Headers that a client may send. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A declaration as it is written: what `declare` adds may be left out. */
type Written = Omit<Declaration, "status" | "errors"> & Partial<Pick<Declaration, "status" | "errors">>;
type Declared<D extends Written> = D &
  Pick<Declaration, "status" | "errors"> &
  (D extends { readonly answer: z.ZodType } | { readonly stream: string }
    ? unknown
    : { readonly answer: typeof success });

/**
 * Keeps the exact type of a declaration, from which that of its request and its answer follow. Adds what most have: the
 * status 200, an answer without data, no errors of its own.
 */
export function declare<const D extends Written>(declaration: D): Declared<D>;
export function declare(declaration: Written): Declaration {
  const answer = declaration.stream === undefined ? { answer: success } : {};
  return { status: 200, errors: [], ...answer, ...declaration };
}

/** The value of a shape, read-only to its depth. */
export type Shape<S extends z.ZodType> = ReadonlyDeep<z.output<S>>;

type ReadonlyDeep<T> = T extends object ? { readonly [K in keyof T]: ReadonlyDeep<T[K]> } : T;

/** What a query or body is once it was parsed; undefined where none is declared. */
export type QueryOf<D extends Declaration> = D["query"] extends z.ZodType ? z.output<D["query"]> : undefined;
export type BodyOf<D extends Declaration> = D["body"] extends z.ZodType ? z.output<D["body"]> : undefined;

/** The body of success; never for a stream. */
export type AnswerOf<D extends Declaration> = D["answer"] extends z.ZodType ? Shape<D["answer"]> : never;
