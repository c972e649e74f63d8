import { createSecretKey, type KeyObject, randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import jwt from "jsonwebtoken";
import type { Context } from "koa";
import * as z from "zod";
import { type Credentials, MAX_SESSIONS_PER_MEMBER, type StandingSession } from "../../domain/account.ts";
import { type Actor, SERVICE_ACTOR } from "../../domain/audit.ts";
import { type Boot, leastAgeMs } from "../../domain/boot.ts";
import { type Clock, DAY_MS, monotonicMs } from "../../domain/clock.ts";
import { FlancoError, orNothing } from "../../domain/error.ts";
import type { Id } from "../../domain/id.ts";
import type { LedgerReader, LedgerWriter } from "../../domain/ledger.ts";
import type { LocationLimit } from "../../domain/limit.ts";
import type { Log } from "../../domain/log.ts";
import { type Role, sessionSeconds } from "../../domain/member.ts";
import { writeDurably } from "../../platform/durable-file.ts";

const ALGORITHM = "HS256";
const claims = z.object({ sub: z.string(), sid: z.string(), iat: z.number(), exp: z.number() });
type Claims = z.infer<typeof claims>;
/** After how long it is tried again to remove ended sessions from the ledger. */
const RETRY_MS = 1_000;
/** Verified tokens in memory: more than an appliance has users at once. */
const MAX_VERIFIED = 1_000;

const COOKIE = "auth_token";
/** Fixed dates, because the gateway's clock may be wrong: where both are understood, Max-Age counts alone. */
const FAR = "Thu, 31 Dec 2037 23:55:55 GMT";
const PAST = "Thu, 01 Jan 1970 00:00:00 GMT";
/** The most tokens of one request that are checked: each costs a signature. */
const MAX_TOKENS = 8;

/** A member whose session stands. */
export interface SignedInMember {
  readonly memberId: Id;
  /** The member's account. */
  readonly userId: Id;
  readonly role: Role;
  /** Null for a member who sees the whole account. */
  readonly limit: LocationLimit | null;
  readonly sid: Id;
}

/** The sessions as HTTP uses them. A ledger's answer at once, those of a company's database later. */
export interface SessionKeeper {
  /** As `Sessions.begin`. */
  begin(credentials: Credentials, by: Actor): Promise<string>;
  /** The session of a token; undefined for one that is forged, has expired or was revoked. */
  check(token: string): SignedInMember | undefined | Promise<SignedInMember | undefined>;
  /** Ends the session of a token, if it has one. */
  end(token: string, by: Actor): Promise<void>;
}

type SessionWriter = Pick<LedgerWriter, "addSession" | "removeSession" | "endSessions" | "noteUse">;

/** A session that is valid until it expires or ends. */
interface OpenSession {
  readonly session: StandingSession;
  /** Its age when the current boot's monotonic time was zero; negative for a session of this boot. */
  readonly ageAtZeroMs: number;
  /** When it was last used, in monotonic milliseconds; before its first use in this boot, when it began. */
  lastUsedMs: number;
  /** Up to when the ledger has its use, if it is a program's: its begin, or a later use. */
  notedMs: number;
}

/** A session that is on its way to the ledger. */
interface PendingSession {
  readonly memberId: Id;
  readonly inPlaceOf: Id | null;
}

/**
 * The sessions of signed-in members. Each is a row of the ledger, without which its
 * token is worthless, and an entry in memory, so that checking a token reads no disk.
 * Ages are monotonic: setting the wall clock neither ends nor prolongs a session.
 */
export class Sessions implements SessionKeeper {
  #secret: KeyObject;
  readonly #clock: Clock;
  readonly #writer: SessionWriter;
  readonly #reader: Pick<LedgerReader, "sessions" | "boots">;
  readonly #log: Log;
  readonly #bootId: string;
  #bySid = new Map<Id, OpenSession>();
  readonly #beginning = new Set<PendingSession>();
  /** Ended sessions whose rows the ledger may still have. */
  readonly #ended = new Map<Id, Actor>();
  #retry: NodeJS.Timeout | undefined;
  /** Claims by token, so that each signature is verified once and not at every request. */
  readonly #verified = new Map<string, Claims>();

  constructor(
    secret: KeyObject,
    clock: Clock,
    writer: SessionWriter,
    reader: Pick<LedgerReader, "sessions" | "boots">,
    log: Log,
    bootId: string,
  ) {
    this.#secret = secret;
    this.#clock = clock;
    this.#writer = writer;
    this.#reader = reader;
    this.#log = log;
    this.#bootId = bootId;
  }

  /** Tries a last time to remove ended sessions from the ledger. To call before the writer closes. */
  async close(): Promise<void> {
    clearTimeout(this.#retry);
    this.#retry = undefined;
    try {
      await this.#removeEnded();
    } catch (error) {
      const count = this.#ended.size;
      this.#log.error({ err: error, count }, "ended sessions stay in the ledger: valid after a restart");
    }
  }

  /** Reads the ledger's sessions: at the start, and after sessions or boots have changed there. */
  reload(): void {
    const standing = this.#reader.sessions().filter(({ sid }) => !this.#ended.has(sid));
    const boots = this.#reader.boots();
    this.#bySid = new Map(standing.map((session) => [session.sid, this.#place(session, boots)]));
  }

  /**
   * Begins a session for checked credentials. A member with the maximum of sessions loses the
   * one unused for longest. Resolves with the token after the row's commit, audited as by `by`.
   * Rejects with `unauthorized` when the credentials have changed since they were checked.
   */
  async begin({ member, passwordHash }: Credentials, by: Actor = SERVICE_ACTOR): Promise<string> {
    if (passwordHash === null) throw new FlancoError("unauthorized", "There is no password yet.");
    const issuedSeconds = Math.floor(this.#clock.nowMs() / 1000);
    const expiresSeconds = issuedSeconds + sessionSeconds(member.role);
    const before = this.#bySid;
    const beginning = { memberId: member.id, inPlaceOf: this.#leastUsed(member.id) };
    this.#beginning.add(beginning);
    const times = { createdTimeMs: issuedSeconds * 1000, expiresTimeMs: expiresSeconds * 1000 };
    const session = await this.#writer
      .addSession({ ...beginning, ...times }, passwordHash, by)
      .finally(() => this.#beginning.delete(beginning));
    // After a reload in between, this session may have ended too, by a change of its password.
    if (this.#bySid === before) before.set(session.sid, this.#place(session, this.#reader.boots()));
    else this.reload();
    const content: Claims = { sub: member.id, sid: session.sid, iat: issuedSeconds, exp: expiresSeconds };
    return jwt.sign(content, this.#secret, { algorithm: ALGORITHM });
  }

  /** The session of a token; undefined for one that is forged, has expired or was revoked. */
  check(token: string): SignedInMember | undefined {
    const content = this.#verified.get(token) ?? this.#verify(token);
    if (content === undefined) return undefined;
    const standing = this.#bySid.get(content.sid);
    if (standing === undefined) return undefined;
    const { session, ageAtZeroMs } = standing;
    const nowMs = monotonicMs(this.#clock);
    const ageMs = ageAtZeroMs + nowMs;
    // Compared with the time as if the wall clock had not been set since the session began.
    if (content.exp * 1000 <= session.createdTimeMs + ageMs) return undefined;
    if (content.sub !== session.memberId) return undefined;
    standing.lastUsedMs = nowMs;
    const { sid, memberId, userId, role, limit } = session;
    if (role === "program" && nowMs - standing.notedMs >= DAY_MS) this.#noteUse(standing);
    return { sid, memberId, userId, role, limit };
  }

  /**
   * Ends the session of a token, if it has one. Takes effect at once, and durably when this resolves
   * without a logged error. Never rejects: after an error the removal is tried again every second.
   */
  async end(token: string, by: Actor = SERVICE_ACTOR): Promise<void> {
    const signedIn = this.check(token);
    if (signedIn === undefined) return;
    this.#bySid.delete(signedIn.sid);
    this.#ended.set(signedIn.sid, by);
    try {
      await this.#remove(signedIn.sid, by);
    } catch (error) {
      this.#log.error({ err: error }, "an ended session could not be removed from the ledger");
      if (this.#retry === undefined) this.#retryLater();
    }
  }

  /**
   * Ends every session: signs with the secret that `replace` gives, which makes all
   * earlier tokens worthless, and removes their rows. Resolves with how many there were.
   * Rejects when the ledger does not remove them; the tokens are worthless all the same.
   */
  async rotate(replace: () => KeyObject, by: Actor): Promise<number> {
    this.#secret = replace();
    this.#verified.clear();
    return this.#writer.endSessions(by);
  }

  /** The session that a new one of this member replaces; null below the maximum. */
  #leastUsed(memberId: Id): Id | null {
    const beginning = [...this.#beginning].filter((other) => other.memberId === memberId);
    const leaving = new Set(beginning.map(({ inPlaceOf }) => inPlaceOf));
    const standing = [...this.#bySid.values()].filter(
      ({ session }) => session.memberId === memberId && !leaving.has(session.sid),
    );
    if (standing.length + beginning.length < MAX_SESSIONS_PER_MEMBER) return null;
    const least = standing.toSorted((a, b) => a.lastUsedMs - b.lastUsedMs)[0];
    return least?.session.sid ?? null;
  }

  /** Once a day of a session, which costs a card next to nothing. */
  #noteUse(standing: OpenSession): void {
    standing.notedMs = standing.lastUsedMs;
    this.#writer.noteUse(standing.session.memberId).catch((error: unknown) => {
      this.#log.warn({ err: error }, "a program's last use could not be stored");
    });
  }

  #retryLater(): void {
    this.#retry = setTimeout(() => void this.#tryAgain(), RETRY_MS).unref();
  }

  async #tryAgain(): Promise<void> {
    try {
      await this.#removeEnded();
      this.#retry = undefined;
    } catch {
      // The failure was logged when the session ended. `close` stops the retries.
      if (this.#retry !== undefined) this.#retryLater();
    }
  }

  async #removeEnded(): Promise<void> {
    for (const [sid, by] of this.#ended) await this.#remove(sid, by);
  }

  async #remove(sid: Id, by: Actor): Promise<void> {
    await this.#writer.removeSession(sid, by);
    this.#ended.delete(sid);
  }

  #place(session: StandingSession, boots: readonly Boot[]): OpenSession {
    const ageAtZeroMs = this.#ageAtZeroMs(session, boots);
    const known = this.#bySid.get(session.sid);
    const { lastUsedMs = -ageAtZeroMs, notedMs = -ageAtZeroMs } = known ?? {};
    return { session, ageAtZeroMs, lastUsedMs, notedMs };
  }

  #ageAtZeroMs({ begun, createdTimeMs }: StandingSession, boots: readonly Boot[]): number {
    if (begun === null) return this.#clock.nowMs() - monotonicMs(this.#clock) - createdTimeMs;
    if (begun.bootId === this.#bootId) return -begun.monotonicMs;
    return leastAgeMs(begun, { bootId: this.#bootId, monotonicMs: 0 }, boots);
  }

  #verify(token: string): Claims | undefined {
    const parsed = claims.safeParse(this.#open(token));
    if (!parsed.success) return undefined;
    if (this.#verified.size >= MAX_VERIFIED) this.#verified.clear();
    this.#verified.set(token, parsed.data);
    return parsed.data;
  }

  #open(token: string): unknown {
    try {
      return jwt.verify(token, this.#secret, {
        algorithms: [ALGORITHM],
        // The library would use the wall clock; `check` compares the session's age.
        ignoreExpiration: true,
      });
    } catch {
      // An invalid token has no session.
      return undefined;
    }
  }
}

/**
 * The member of the sessions in a request's cookies; undefined
 * where they are of several members, because then one was planted.
 */
export function oneMember(sessions: readonly (SignedInMember | undefined)[]): SignedInMember | undefined {
  const valid = sessions.filter((session) => session !== undefined);
  const last = valid.at(-1);
  return valid.every(({ memberId }) => memberId === last?.memberId) ? last : undefined;
}

/** The signed-in member of a request. Rejects with `unauthorized`. */
export async function requireSession(
  sessions: Pick<SessionKeeper, "check">,
  context: Context,
): Promise<SignedInMember> {
  const found: (SignedInMember | undefined)[] = [];
  for (const token of tokensOf(context)) found.push(await sessions.check(token));
  const signedIn = oneMember(found);
  if (signedIn === undefined) throw unauthorized();
  return signedIn;
}

export function unauthorized(): FlancoError {
  return new FlancoError("unauthorized", "Unauthorized");
}

/**
 * The session tokens of a request, the service's own last. Browsers send the
 * cookie of the longest path first: a cookie that a forged page of plain HTTP
 * has set for `Path=/api` comes before the service's own, which is for `/`.
 */
export function tokensOf({ req }: Context): readonly string[] {
  const tokens: string[] = [];
  for (const pair of (req.headers.cookie ?? "").split(";")) {
    const cookie = pair.trim();
    // Some programs quote what they send back.
    if (cookie.startsWith(`${COOKIE}=`))
      tokens.push(cookie.slice(COOKIE.length + 1).replace(/^"(.*)"$/, "$1"));
  }
  return tokens.slice(-MAX_TOKENS);
}

/**
 * Writes the contract's cookie. It is Secure on a plain connection too,
 * where browsers accept it from localhost and koa's own cookies refuse it.
 */
export function setSessionCookie(context: Context, token: string, maxAgeSeconds: number): void {
  writeCookie(context, token, maxAgeSeconds, "/");
  // All but one of several cookies were set by somebody else, for longer paths. These are removed.
  if (tokensOf(context).length < 2) return;
  for (const path of pathsUnder(context.path)) writeCookie(context, "", 0, path);
}

/** Java's cookie jar takes a cookie without an Expires for one of RFC 2965, and sends it back in that form. */
function writeCookie(context: Context, token: string, maxAgeSeconds: number, path: string): void {
  const lasts = `Max-Age=${maxAgeSeconds}; Expires=${maxAgeSeconds > 0 ? FAR : PAST}`;
  context.append("Set-Cookie", `${COOKIE}=${token}; ${lasts}; Path=${path}; HttpOnly; Secure; SameSite=None`);
}

/**
 * Every path but `/` whose cookies a browser sends to this
 * one: for `/api/login` it is `/api`, `/api/` and itself.
 */
function pathsUnder(path: string): readonly string[] {
  const paths: string[] = [];
  for (let end = path.indexOf("/", 1); end > 0; end = path.indexOf("/", end + 1)) {
    paths.push(path.slice(0, end), path.slice(0, end + 1));
  }
  return [...paths, path];
}

const SECRET_BYTES = 32;
const DAMAGED = "the secret of sessions is damaged: another one is made, and all users must sign in again";

/**
 * Reads the 256-bit secret that signs sessions. Where there is none, or the file
 * holds none, it makes another, durable before it is used: all users must then
 * sign in again, but no sale waits until a person has mended the file.
 */
export function loadSecret(file: string, log: Log): KeyObject {
  const secret = orNothing(() => readFileSync(file));
  if (secret?.length === SECRET_BYTES) return createSecretKey(secret);
  if (existsSync(file)) log.error({ file }, DAMAGED);
  return replaceSecret(file);
}

/**
 * Replaces the secret in one step; the new one is on the
 * disk. Throws the disk's error, and then the old one stays.
 */
export function replaceSecret(file: string): KeyObject {
  const secret = randomBytes(SECRET_BYTES);
  writeDurably(file, secret);
  return createSecretKey(secret);
}
