import { Readable } from "node:stream";
import { setImmediate as turn } from "node:timers/promises";
import Router, { type RouterContext } from "@koa/router";
import type { Context, Middleware, Next } from "koa";
import {
  type AnswerOf,
  type BodyOf,
  type Declaration,
  NO_SESSION,
  OPERATOR,
  type QueryOf,
} from "../contract/declaration.ts";
import { POSITION_HEADER } from "../contract/event.ts";
import { success } from "../contract/field.ts";
import { type Actor, networkActor } from "../domain/audit.ts";
import { FlancoError } from "../domain/error.ts";
import type { Id } from "../domain/id.ts";
import { type Asker, JobSlots } from "../domain/job-slots.ts";
import { beyondLimit, isSameLimit } from "../domain/limit.ts";
import type { SignedInMember } from "./auth/session.ts";
import type { SignInGate } from "./auth/sign-in-gate.ts";
import { parseInput, queryOf, readBody, UNKNOWN_SENDER } from "./input.ts";
import { type CountChange, senderOf } from "./middleware.ts";

/** Elements of a list that are written as JSON in one turn: a millisecond, on a Pi some five. */
const ELEMENTS_AT_ONCE = 500;
/** Bounds for long answers that are being written: those of an account, one after another. */
const LONG_ANSWERS = { what: "long answers of this account", inAll: 3, waitingOfMember: 8 };
/** Answers from this length on are sent in pieces. */
const LARGE_CHARACTERS = 64 * 1024;

declare module "koa" {
  interface DefaultState {
    /** The declaration of the request's route, once the route is found. */
    declaration?: Declaration;
  }
}

/** A declaration with the code that serves it. */
export interface Endpoint {
  readonly declaration: Declaration;
  /** Resolves with a stream, or with the fields of the answer beside `status`. */
  readonly run: (request: ParsedRequest) => Promise<object>;
  /** Slots for an answer that is much work. A stream keeps its slot until its client has taken all of it. */
  readonly slots?: JobSlots | undefined;
}

/** Whether an endpoint is for commands on the gateway itself alone: the network does not have it. */
export function isOperators({ declaration }: Endpoint): boolean {
  return declaration.roles === OPERATOR;
}

/** Stands for the signed-in member where no session is needed. */
export const NOBODY: SignedInMember = { memberId: "", userId: "", role: "display", limit: null, sid: "" };

/** A request whose `query` and `body` were parsed by the declaration's shapes. */
class ParsedRequest<Q = unknown, B = unknown> {
  /** The signed-in member; `NOBODY` where no session is needed. */
  readonly signedIn: SignedInMember;
  /** The sender and its address, for the audit log. */
  readonly by: Actor;
  readonly query: Q;
  readonly body: B;
  readonly context: Context;
  /** Rejects with `unauthorized` once the session has ended: a long answer asks before each of its pieces. */
  readonly requireSession: RequireSession;

  constructor({
    signedIn,
    by,
    query,
    body,
    context,
    requireSession,
  }: Omit<ParsedRequest<Q, B>, "userId" | "within">) {
    this.signedIn = signedIn;
    this.by = by;
    this.query = query;
    this.body = body;
    this.context = context;
    this.requireSession = requireSession;
  }

  /**
   * The signed-in member's account; empty where no session is needed. An operator's account is asked
   * for only here, where an endpoint needs it. A getter of the class: V8 makes a hidden class for each
   * object literal with a getter, which keeps the whole request until the next full collection.
   */
  get userId(): Id {
    return this.signedIn.userId;
  }

  /** The names of the locations that the member is limited to; null for all. */
  get within(): readonly string[] | null {
    return this.signedIn.limit?.names ?? null;
  }
}

type RequireSession = () => Promise<unknown>;

/**
 * What the code of a declaration returns: a stream, or the
 * fields of its answer beside `status`, if it has any.
 */
type EndpointResult<D extends Declaration> = D extends { readonly stream: string | readonly string[] }
  ? Awaitable<Readable | Buffer>
  : keyof AnswerOf<D> extends "status"
    ? Promise<unknown>
    : Awaitable<Omit<AnswerOf<D>, "status">>;
type Awaitable<T> = T | Promise<T>;

/**
 * Makes an endpoint. The compiler checks the parameters and
 * the result of `run` against the declaration's shapes.
 */
export function serve<D extends Declaration>(
  declaration: D,
  run: (request: ParsedRequest<QueryOf<D>, BodyOf<D>>) => EndpointResult<D>,
  slots?: JobSlots,
): Endpoint {
  return {
    declaration,
    slots,
    // The router parses each request by the shapes of its declaration.
    run: async (request) => {
      const given = await run(request as ParsedRequest<QueryOf<D>, BodyOf<D>>);
      return declaration.answer === success ? {} : (given as object);
    },
  };
}

/** Answers the router's questions about the sender of a request. */
export interface Senders {
  /** The signed-in member. Rejects with `unauthorized`. */
  signedInOf(context: Context): Promise<SignedInMember>;
  /** Who runs the command that asks. Absent on the network, which has no operator. */
  readonly operatorOf?: (context: Context) => Actor;
  /** Up to which change answers to the member are current; null where no stream tells of later changes. */
  positionOf(signedIn: SignedInMember): string | null;
  readonly countChange?: CountChange;
  /** Does a member's work; absent where it does not matter whose work it is. */
  readonly as?: <T>(asker: Asker, work: () => T) => T;
  /** Asked before and after the body of an attempt to sign in is read. Absent where the API has no sign-in. */
  readonly gate?: Pick<SignInGate, "admit" | "refuse">;
}

/**
 * Routes requests to endpoints. Paths have no parameters; case and a trailing slash
 * matter. Throws for an operator's endpoint where the senders have no operator.
 */
export function routesOf(endpoints: readonly Endpoint[], senders: Senders): Middleware {
  const strange = senders.operatorOf === undefined && endpoints.find(isOperators);
  if (strange) throw new FlancoError("internal", `${strange.declaration.path} is the operator's alone.`);
  const large = new LargeAnswers();
  const routes = new Map<string, ReturnType<Router["routes"]>>();
  // A router for each path: one for all would try every route at every request.
  for (const [path, own] of Map.groupBy(endpoints, ({ declaration }) => declaration.path)) {
    const router = new Router({ sensitive: true, strict: true });
    for (const endpoint of own) {
      router[endpoint.declaration.method](path, (context) => answer(endpoint, senders, large, context));
    }
    routes.set(path, router.routes());
  }
  return (context, next) => {
    const route = routes.get(context.path);
    return route === undefined ? next() : route(context as RouterContext, next);
  };
}

/**
 * Answers a request. Checks session and role before the body:
 * without a session a client learns nothing of the body's shape.
 */
async function answer(
  { declaration, run, slots }: Endpoint,
  senders: Senders,
  large: LargeAnswers,
  context: Context,
): Promise<void> {
  const { query } = declaration;
  context.state.declaration = declaration;
  const hasSession = declaration.roles !== NO_SESSION;
  const signedIn = hasSession ? allowed(declaration, await senders.signedInOf(context)) : NOBODY;
  const by = senders.operatorOf?.(context) ?? actorOf(context, hasSession ? signedIn.memberId : null);
  // Read before the ledger: the answer may be newer than this position, never older.
  if (hasSession && context.method === "GET") {
    const position = senders.positionOf(signedIn);
    if (position !== null) context.res.setHeader(POSITION_HEADER, position);
  }
  const body = await readInput(declaration, senders, context);
  const asked = query === undefined ? undefined : parseInput(query, queryOf(context));
  const requireSession = async () => {
    if (!hasSession) return;
    const { limit } = await senders.signedInOf(context);
    if (!isSameLimit(limit, signedIn.limit)) throw beyondLimit("Your locations have changed meanwhile.");
  };
  const leave = await slots?.take(signedIn);
  if (leave !== undefined) context.res.once("close", leave);
  let giveBack: (() => void) | undefined;
  try {
    if (leave !== undefined) requireClient(context);
    // A body may take seconds, and a turn minutes: the session may have ended meanwhile.
    if (body !== undefined || slots !== undefined) await requireSession();
    const request = new ParsedRequest({ signedIn, by, query: asked, body, context, requireSession });
    giveBack = senders.countChange?.(signedIn.memberId, declaration);
    const work = () => run(request);
    const given = await (senders.as?.(signedIn, work) ?? work());
    context.status = declaration.status;
    if (declaration.stream === undefined) await write(given, signedIn, large, request);
    else context.body = given;
  } catch (error) {
    leave?.();
    giveBack?.();
    throw error;
  }
  if (declaration.stream === undefined) leave?.();
}

async function write(
  given: object,
  signedIn: SignedInMember,
  large: LargeAnswers,
  { context, requireSession }: Pick<ParsedRequest, "context" | "requireSession">,
): Promise<void> {
  // Written as a text on Node's response, because koa's way with an object costs a twentieth of a whole post.
  context.res.setHeader("Content-Type", "application/json; charset=utf-8");
  const whole = { status: "success", ...given };
  if (isLong(given)) {
    context.body = large.send(signedIn, await large.write(signedIn, whole), context, requireSession);
    return;
  }
  const text = JSON.stringify(whole);
  context.body =
    text.length < LARGE_CHARACTERS ? text : large.send(signedIn, Buffer.from(text), context, requireSession);
}

/** Whether some list in an answer, or in its data, has more elements than are written at once. */
function isLong(value: object): boolean {
  if (Array.isArray(value)) return value.length > ELEMENTS_AT_ONCE;
  return Object.values(value).some(
    (part: unknown) => typeof part === "object" && part !== null && isLong(part),
  );
}

/** JSON of a value, as JSON.stringify writes it, in parts. Before each part of a long list other work has its turn. */
export async function* writeJson(value: unknown): AsyncGenerator<string> {
  if (typeof value !== "object" || value === null || !isLong(value)) {
    yield JSON.stringify(value);
  } else if (Array.isArray(value)) {
    for (let from = 0; from < value.length; from += ELEMENTS_AT_ONCE) {
      await turn();
      const part = JSON.stringify(value.slice(from, from + ELEMENTS_AT_ONCE));
      yield (from === 0 ? "[" : ",") + part.slice(1, -1);
    }
    yield "]";
  } else {
    const parts = Object.entries(value).filter(([, part]) => part !== undefined);
    for (const [index, [name, part]] of parts.entries()) {
      yield `${index === 0 ? "{" : ","}${JSON.stringify(name)}:`;
      yield* writeJson(part);
    }
    yield "}";
  }
}

/** The sender of a request and its address; `memberId` is null without a session. */
export function actorOf(context: Context, memberId: Id | null): Actor {
  return networkActor(senderOf(context), memberId);
}

/** Throws when the client is gone, so that nothing more is read for it. */
export function requireClient({ res }: Context): void {
  if (res.destroyed) throw new FlancoError("invalid", "The client is gone.");
}

async function readInput(
  { body, maxBodyBytes, signsIn }: Declaration,
  senders: Senders,
  context: Context,
): Promise<unknown> {
  if (body === undefined) return undefined;
  if (signsIn) {
    // Dropping a large body costs work, so the connection is closed: the sender's next connection is paced.
    const bytes = Number(context.req.headers["content-length"] ?? Number.POSITIVE_INFINITY);
    if (bytes > UNKNOWN_SENDER.bytes) context.res.setHeader("Connection", "close");
    senders.gate?.admit(senderOf(context));
  }
  try {
    const bounds = signsIn ? UNKNOWN_SENDER : { bytes: maxBodyBytes };
    return parseInput(body, await readBody(context, bounds));
  } catch (error) {
    if (signsIn) senders.gate?.refuse(senderOf(context));
    throw error;
  }
}

/** The member, if its role may do this, and its limit. Throws `forbidden`. */
function allowed({ roles, withinLimit }: Declaration, signedIn: SignedInMember): SignedInMember {
  // Only an operator's senders have a route for that.
  if (roles === OPERATOR || roles === NO_SESSION) return signedIn;
  if (roles.includes(signedIn.role)) {
    if (signedIn.limit !== null && !withinLimit) throw beyondLimit();
    return signedIn;
  }
  throw new FlancoError("forbidden", `Your role (${signedIn.role}) does not allow this.`, {
    hint: `It takes the role ${roles.join(" or ")}: ask an owner of the account to do it, or to change your role.`,
  });
}

/**
 * A path that has no route for the request's method: 405, or 204 to OPTIONS. The router's
 * own `allowedMethods` answers 200 to OPTIONS, and 501 to a method that it does not know.
 */
export async function otherMethod(
  context: Context & Pick<RouterContext, "matched">,
  next: Next,
): Promise<void> {
  const allowed = (context.matched ?? []).flatMap(({ methods }) => methods);
  if (allowed.length === 0) return next();
  context.set("Allow", allowed.join(", "));
  if (context.method !== "OPTIONS") {
    throw new FlancoError("method_not_allowed", "This path does not take that method.", {
      hint: "The Allow header names those it takes.",
    });
  }
  context.status = 204;
}

const PIECE_BYTES = 16 * 1024;
/** The most bytes of one member's large answers that its clients have not taken. */
const MAX_UNTAKEN_BYTES = 1024 * 1024;
/** The same for all members of an account together. An owner's own bound is that of a member alone. */
const MAX_UNTAKEN_BYTES_OF_ACCOUNT = 8 * MAX_UNTAKEN_BYTES;

/**
 * Sends large answers in pieces, each when the one before was taken, so that the pace of a client shows,
 * and while the session lasts. Untaken answers hold memory, so those of one member are bounded.
 */
export class LargeAnswers {
  /** By member, and by account. */
  readonly #untakenBytes = new Map<string, number>();
  readonly #slots = new JobSlots(LONG_ANSWERS);

  /** Writes an answer with a long list as JSON. Rejects with `overloaded` where many of the member's wait. */
  async write(asker: Asker, answer: object): Promise<Buffer> {
    const leave = await this.#slots.take(asker);
    try {
      const parts: Buffer[] = [];
      for await (const part of writeJson(answer)) parts.push(Buffer.from(part));
      return Buffer.concat(parts);
    } finally {
      leave();
    }
  }

  /** The body of this request's answer. Throws `overloaded` beyond the bounds. */
  send(
    { userId, memberId, role }: Asker,
    answer: Buffer,
    context: Pick<Context, "res" | "length">,
    requireSession: RequireSession,
  ): Readable {
    const bounds = new Map([[`member ${memberId}`, MAX_UNTAKEN_BYTES]]);
    if (role !== "owner") bounds.set(`account ${userId}`, MAX_UNTAKEN_BYTES_OF_ACCOUNT);
    for (const [key, most] of bounds) {
      const before = this.#untakenBytes.get(key) ?? 0;
      // A single answer is always sent: it is no larger than what the account has made.
      if (before === 0 || before + answer.length <= most) continue;
      throw new FlancoError("overloaded", "Too many answers are waiting for their clients.", {
        hint: "Read them, or close their connections.",
      });
    }
    for (const key of bounds.keys()) this.#add(key, answer.length);
    context.res.once("close", () => {
      for (const key of bounds.keys()) this.#add(key, -answer.length);
    });
    context.length = answer.length;
    return Readable.from(whileSignedIn(piecesOf(answer), context, requireSession));
  }

  #add(key: string, bytes: number): void {
    const sum = (this.#untakenBytes.get(key) ?? 0) + bytes;
    if (sum > 0) this.#untakenBytes.set(key, sum);
    else this.#untakenBytes.delete(key);
  }
}

/** A body that many share, in pieces too: TLS would keep a copy of all of it for each client that does not read. */
export function inPieces(content: Buffer, context: Pick<Context, "length">): Readable {
  context.length = content.length;
  return Readable.from(piecesOf(content));
}

function* piecesOf(answer: Buffer): Generator<Buffer> {
  for (let from = 0; from < answer.length; from += PIECE_BYTES)
    yield answer.subarray(from, from + PIECE_BYTES);
}

/** The pieces of an answer until its session ends: then its connection is broken, so that it does not pass for whole. */
export async function* whileSignedIn<Piece>(
  pieces: Iterable<Piece> | AsyncIterable<Piece>,
  { res }: Pick<Context, "res">,
  requireSession: RequireSession,
): AsyncGenerator<Piece> {
  for await (const piece of pieces) {
    try {
      await requireSession();
    } catch {
      res.destroy();
      return;
    }
    yield piece;
  }
}
