import * as z from "zod";
import { type ErrorCode, FlancoError } from "../domain/error.ts";
import { ROLES, type Role, seesMoney } from "../domain/member.ts";
import { success } from "./field.ts";

/** The prefix of every operation's path, which no path of the page has. */
export const API = "/api/";

/** Sets of roles that several operations allow. `ROLES` of `src/domain/member.ts` are all roles. */
export const OWNER: readonly Role[] = ["owner"];
/** In place of roles, where no session is needed. */
export const NO_SESSION = null;
/** In place of roles: a command on the gateway itself. Never served on the network. */
export const OPERATOR = "operator";
/** Roles that see prices and sums. */
export const MONEY: readonly Role[] = ROLES.filter(seesMoney);
/** Roles that serve the rooms' patients. */
export const STAFF: readonly Role[] = ["owner", "staff"];
/** Roles that set up locations, devices and lines. */
export const TECHNICAL: readonly Role[] = ["owner", "technician"];
/** People who work where the rooms are. */
export const PEOPLE: readonly Role[] = ["owner", "staff", "technician"];
/** All but a screen. */
export const BUT_SCREENS: readonly Role[] = ROLES.filter((role) => role !== "display");
/** Roles that use the page. A program has the contract's own paths, and of these what it needs. */
export const ON_PAGE: readonly Role[] = ROLES.filter((role) => role !== "program");

/** Who may do an operation. */
export type Permission = readonly Role[] | typeof NO_SESSION | typeof OPERATOR;

/** Roles of an operation for members who are limited to locations too. */
interface WithinLimit {
  readonly within: readonly Role[];
}

/**
 * Says of an operation that its code keeps within the locations that a member is limited to. All others
 * refuse such a member. An owner is never limited.
 */
export function within(roles: readonly Role[]): WithinLimit {
  return { within: roles };
}

/** Most bytes of what a command imports at once. */
export const MAX_IMPORT_BYTES = 4 * 1024 * 1024;

export type Method = "get" | "post" | "put" | "patch" | "delete";

/** Where the text of an error stands: the contract has `message` on data endpoints, `error` elsewhere. */
export type ErrorField = "error" | "message";

/** One operation of the API without its code: all that is needed to route, parse, answer and describe it. */
export interface Declaration {
  readonly method: Method;
  readonly path: string;
  readonly summary: string;
  readonly roles: Permission;
  /** Whether it is for members who are limited to locations too, by `within`. */
  readonly withinLimit: boolean;
  readonly query?: z.ZodType;
  readonly body?: z.ZodType;
  /** Most bytes of a body; 64 KiB where this is absent. */
  readonly maxBodyBytes?: number;
  /** The request is an attempt to sign in: it passes the sign-in gate before its small body is read. */
  readonly signsIn?: true;
  /**
   * How often one member may do it in a day; null without a bound here. Absent: all such changes of a member are
   * counted together (`CHANGES_A_DAY`). A removal is not counted: what it removes was.
   */
  readonly aDay?: number | null;
  readonly errorField?: ErrorField;
  /** Fixed texts of the contract, by error code. */
  readonly texts?: Partial<Record<ErrorCode, string>>;
  /** Statuses that differ here from the common table. */
  readonly statuses?: Partial<Record<ErrorCode, number>>;
  /** Status of success. */
  readonly status: number;
  /** Shape of success; absent for a stream. */
  readonly answer?: z.ZodType;
  /** Media type of a stream, or the types that it may have. */
  readonly stream?: string | readonly string[];
  /** The errors that a client must expect beside those of all operations (`openapi.ts`). */
  readonly errors: readonly ErrorCode[];
  /** It does not use the ledger, so the ledger's errors cannot occur. */
  readonly withoutLedger?: true;
  /** Headers that a client may send. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** The fields that `declare` adds where they are left out. */
type Defaults = Pick<Declaration, "status" | "errors">;
type Head = Pick<Declaration, "method" | "path" | "roles" | "withinLimit">;
type Content = Omit<Declaration, keyof Head | keyof Defaults> & Partial<Defaults>;
type DeclaredEndpoint<M extends Method, Path extends string, D extends Content> = D &
  Head &
  Defaults & { readonly method: M; readonly path: Path } & (D extends
    | { readonly answer: z.ZodType }
    | { readonly stream: string | readonly string[] }
    ? unknown
    : { readonly answer: typeof success });

/**
 * Makes a declaration, and keeps its exact type, from which the types of its request and answer follow.
 * Adds what most declarations have: the status 200, an answer without data, no errors of its own.
 */
export function declare<M extends Method, Path extends string, const D extends Content>(
  method: M,
  path: Path,
  who: Permission | WithinLimit,
  written: D,
): DeclaredEndpoint<M, Path, D>;
export function declare(
  method: Method,
  path: string,
  who: Permission | WithinLimit,
  written: Content,
): Declaration {
  const answer = written.stream === undefined ? { answer: success } : {};
  const withinLimit = who !== null && typeof who === "object" && "within" in who;
  const roles = withinLimit ? who.within : who;
  return { method, path, roles, withinLimit, status: 200, errors: [], ...answer, ...written };
}

/** The most changes of one member in a day, without records and removals. Each is synced to the card. */
const CHANGES_A_DAY = 5_000;

/** How often a member may do this in a day; null where it is not counted. */
export function boundADay({ method, roles, aDay = CHANGES_A_DAY }: Declaration): number | null {
  return roles === null || method === "get" || method === "delete" ? null : aDay;
}

/** The value of a shape, read-only to its depth. */
export type Shape<S extends z.ZodType> = ReadonlyDeep<z.output<S>>;

type ReadonlyDeep<T> = T extends object ? { readonly [K in keyof T]: ReadonlyDeep<T[K]> } : T;

/** A parsed query or body; undefined where none is declared. */
export type QueryOf<D extends Declaration> = D["query"] extends z.ZodType ? z.output<D["query"]> : undefined;
export type BodyOf<D extends Declaration> = D["body"] extends z.ZodType ? z.output<D["body"]> : undefined;

/** What a client gives: query and body, where they are declared, before defaults are filled in. */
export type InputOf<D extends Declaration> = (D["query"] extends z.ZodType
  ? { readonly query: z.input<D["query"]> }
  : object) &
  (D["body"] extends z.ZodType ? { readonly body: z.input<D["body"]> } : object);

/** The body of success; never for a stream. */
export type AnswerOf<D extends Declaration> = D["answer"] extends z.ZodType ? Shape<D["answer"]> : never;

const fields = z.record(
  z.string(),
  z.strictObject({ kind: z.enum(["required", "type", "length", "range", "unique"]), message: z.string() }),
);

/** The error answer of every endpoint but those of data, which have their text in `message`. */
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

/** The code of a status; the first of the table where several codes have it. */
export function codeOf(status: number): ErrorCode {
  const codes = Object.keys(STATUS) as ErrorCode[];
  return codes.find((code) => STATUS[code] === status) ?? "internal";
}

/** The error of an error answer, whose text includes what to do; undefined for an answer of another shape. */
export function errorOf(status: number, body: unknown): FlancoError | undefined {
  const parsed = errorAnswer.safeParse(body);
  return parsed.success ? new FlancoError(codeOf(status), parsed.data.error) : undefined;
}

/** The contract's status where the ledger cannot be read or written: 500, with a text that does not say why. */
export const LEDGER_FAILS = { unavailable: 500 } as const satisfies Declaration["statuses"];
