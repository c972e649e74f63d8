import type { KeyObject } from "node:crypto";
import jwt from "jsonwebtoken";
import { z } from "zod";
import { type Actor, SERVICE_ACTOR } from "../domain/audit.ts";
import { type Boot, leastAgeMs } from "../domain/boot.ts";
import { type Clock, monotonicMs } from "../domain/clock.ts";
import type { Id } from "../domain/id.ts";
import type { LedgerReader, LedgerWriter } from "../domain/ledger.ts";
import type { Log } from "../domain/log.ts";
import { MAX_SESSIONS_PER_USER, type Session, type UserCredentials } from "../domain/user.ts";

/** The contract's lifetime of a session. */
export const SESSION_SECONDS = 24 * 60 * 60;

const ALGORITHM = "HS256";
const claims = z.object({ sub: z.string(), sid: z.string(), iat: z.number(), exp: z.number() });
type Claims = z.infer<typeof claims>;
/** How soon the removal of an ended session is tried again. */
const RETRY_MS = 1_000;
/** Tokens whose verification is remembered: more than an appliance has users at once. */
const MAX_VERIFIED = 1_000;

export interface SignedIn {
  readonly userId: Id;
  readonly sid: Id;
}

/** A session with its age at the monotonic zero of the boot that runs: below zero for one that began in it. */
interface Standing {
  readonly session: Session;
  readonly ageAtZeroMs: number;
  /** Monotonic; of a session that nobody has used in this boot, when it began. */
  lastUsedMs: number;
}

/** A session that the ledger has not taken yet. */
interface Beginning {
  readonly userId: Id;
  readonly inPlaceOf: Id | null;
}

/**
 * Who is signed in. Every session is a row in the ledger and a place in memory: a token is worth
 * nothing without its row, and checking one asks no disk. How old a session is, monotonic time says: a wall
 * clock that is set by years, in either direction, ends none and prolongs none.
 */
export class Sessions {
  #secret: KeyObject;
  readonly #clock: Clock;
  readonly #writer: Pick<LedgerWriter, "addSession" | "removeSession" | "endSessions">;
  readonly #reader: Pick<LedgerReader, "sessions" | "boots">;
  readonly #log: Log;
  readonly #bootId: string;
  #bySid = new Map<Id, Standing>();
  readonly #beginning = new Set<Beginning>();
  /** Sessions that have ended and may still stand in the ledger, which did not take their removal. */
  readonly #ended = new Map<Id, Actor>();
  #retry: NodeJS.Timeout | undefined;
  /** What tokens of ours say, so that a signature is computed once and not at every request. */
  readonly #verified = new Map<string, Claims>();

  constructor(
    secret: KeyObject,
    clock: Clock,
    writer: Pick<LedgerWriter, "addSession" | "removeSession" | "endSessions">,
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

  /** Tries once more to remove what has ended from the ledger. To call before the writer closes. */
  async close(): Promise<void> {
    clearTimeout(this.#retry);
    this.#retry = undefined;
    try {
      await this.#removeEnded();
    } catch (error) {
      const count = this.#ended.size;
      this.#log.error({ err: error, count }, "sessions that have ended stand again at the next start");
    }
  }

  /** Reads the sessions that stand in the ledger: at start, and after they, or what is known of the boots, changed there. */
  reload(): void {
    const standing = this.#reader.sessions().filter(({ sid }) => !this.#ended.has(sid));
    const boots = this.#reader.boots();
    this.#bySid = new Map(standing.map((session) => [session.sid, this.#place(session, boots)]));
  }

  /**
   * Begins a session for who proved to know the password, of a user who has as many as may be in the place of the
   * one that was not used for longest. Resolves with its token once the row is
   * committed, and noted as begun by `by`; rejects with `unauthorized` when the credentials are not the stored ones any more.
   */
  async begin({ user, passwordHash }: UserCredentials, by: Actor = SERVICE_ACTOR): Promise<string> {
    const issuedSeconds = this.#nowSeconds();
    const expiresSeconds = issuedSeconds + SESSION_SECONDS;
    const before = this.#bySid;
    const beginning = { userId: user.id, inPlaceOf: this.#leastUsed(user.id) };
    this.#beginning.add(beginning);
    const times = { createdTimeMs: issuedSeconds * 1000, expiresTimeMs: expiresSeconds * 1000 };
    const session = await this.#writer
      .addSession({ ...beginning, ...times }, passwordHash, by)
      .finally(() => this.#beginning.delete(beginning));
    // Sessions that ended meanwhile may include this one (its password was changed): the ledger knows.
    if (this.#bySid === before) before.set(session.sid, this.#place(session, this.#reader.boots()));
    else this.reload();
    return jwt.sign(
      { sub: user.id, sid: session.sid, iat: issuedSeconds, exp: expiresSeconds },
      this.#secret,
      {
        algorithm: ALGORITHM,
      },
    );
  }

  /** Who holds a token; undefined for one that is not ours, has expired or was revoked. */
  check(token: string): SignedIn | undefined {
    const said = this.#verified.get(token) ?? this.#verify(token);
    const standing = said === undefined ? undefined : this.#bySid.get(said.sid);
    if (said === undefined || standing === undefined) return undefined;
    const { session, ageAtZeroMs } = standing;
    const nowMs = monotonicMs(this.#clock);
    const ageMs = ageAtZeroMs + nowMs;
    // What the clock of the session's beginning would show, had nobody set it since.
    if (said.exp * 1000 <= session.createdTimeMs + ageMs || session.userId !== said.sub) return undefined;
    standing.lastUsedMs = nowMs;
    return { userId: session.userId, sid: session.sid };
  }

  /**
   * Ends the session of a token, if it is one. The token is worthless at once, also after a crash once
   * the ledger has taken it. Never rejects: until the ledger takes it, it is tried again every second.
   */
  async end(token: string, by: Actor = SERVICE_ACTOR): Promise<void> {
    const signedIn = this.check(token);
    if (signedIn === undefined) return;
    this.#bySid.delete(signedIn.sid);
    this.#ended.set(signedIn.sid, by);
    try {
      await this.#remove(signedIn.sid, by);
    } catch (error) {
      this.#log.error({ err: error }, "a session that has ended could not be removed from the ledger");
      if (this.#retry === undefined) this.#retryLater();
    }
  }

  /**
   * Ends every session: signs with what `replace` gives from here on, so that no token from before is worth anything,
   * and removes their rows. Resolves with how many there were. Rejects when the ledger does not take their removal;
   * the tokens are worthless all the same.
   */
  async rotate(replace: () => KeyObject, by: Actor): Promise<number> {
    this.#secret = replace();
    this.#verified.clear();
    return this.#writer.endSessions(by);
  }

  /** The session that a new one of this user takes the place of; null while there is room for both. */
  #leastUsed(userId: Id): Id | null {
    const beginning = [...this.#beginning].filter((other) => other.userId === userId);
    const leaving = new Set(beginning.map(({ inPlaceOf }) => inPlaceOf));
    const standing = [...this.#bySid.values()].filter(
      ({ session }) => session.userId === userId && !leaving.has(session.sid),
    );
    if (standing.length + beginning.length < MAX_SESSIONS_PER_USER) return null;
    const least = standing.toSorted((a, b) => a.lastUsedMs - b.lastUsedMs)[0];
    return least?.session.sid ?? null;
  }

  #retryLater(): void {
    this.#retry = setTimeout(() => void this.#tryAgain(), RETRY_MS).unref();
  }

  async #tryAgain(): Promise<void> {
    try {
      await this.#removeEnded();
      this.#retry = undefined;
    } catch {
      // The log had it when the session ended. Closing meanwhile is the end of trying.
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

  #place(session: Session, boots: readonly Boot[]): Standing {
    const ageAtZeroMs = this.#ageAtZeroMs(session, boots);
    const known = this.#bySid.get(session.sid);
    return { session, ageAtZeroMs, lastUsedMs: known?.lastUsedMs ?? -ageAtZeroMs };
  }

  #ageAtZeroMs({ begun, createdTimeMs }: Session, boots: readonly Boot[]): number {
    if (begun === null) return this.#clock.nowMs() - monotonicMs(this.#clock) - createdTimeMs;
    // Within its own boot a session began that long after zero.
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
        // By the wall clock, which may have been set; `check` looks at the session's age instead.
        ignoreExpiration: true,
      });
    } catch {
      // Whatever is wrong with a token, its bearer is nobody.
      return undefined;
    }
  }

  #nowSeconds(): number {
    return Math.floor(this.#clock.nowMs() / 1000);
  }
}
