import type { KeyObject } from "node:crypto";
import jwt from "jsonwebtoken";
import { z } from "zod";
import type { Clock } from "../domain/clock.ts";
import type { Id } from "../domain/id.ts";
import type { LedgerReader, LedgerWriter } from "../domain/ledger.ts";
import type { Session } from "../domain/user.ts";

/** The contract's lifetime of a session. */
export const SESSION_SECONDS = 24 * 60 * 60;

const ALGORITHM = "HS256";
const claims = z.object({ sub: z.string(), sid: z.string(), iat: z.number(), exp: z.number() });
type Claims = z.infer<typeof claims>;
/** Tokens whose verification is remembered: more than an appliance has users at once. */
const MAX_VERIFIED = 1_000;

export interface SignedIn {
  readonly userId: Id;
  readonly sid: Id;
}

/**
 * Who is signed in. Every session is a row in the ledger and a place in memory: a token is worth
 * nothing without its row, and checking one asks no disk.
 */
export class Sessions {
  readonly #secret: KeyObject;
  readonly #clock: Clock;
  readonly #writer: Pick<LedgerWriter, "addSession" | "removeSession">;
  readonly #reader: Pick<LedgerReader, "sessions">;
  #bySid = new Map<Id, Session>();
  /** What tokens of ours say, so that a signature is computed once and not at every request. */
  readonly #verified = new Map<string, Claims>();

  constructor(
    secret: KeyObject,
    clock: Clock,
    writer: Pick<LedgerWriter, "addSession" | "removeSession">,
    reader: Pick<LedgerReader, "sessions">,
  ) {
    this.#secret = secret;
    this.#clock = clock;
    this.#writer = writer;
    this.#reader = reader;
  }

  /** Reads the sessions that stand in the ledger: at start, and after they changed there. */
  reload(): void {
    this.#bySid = new Map(this.#reader.sessions().map((session) => [session.sid, session]));
  }

  /** Begins a session. Resolves with its token once the row is committed. */
  async begin(userId: Id): Promise<string> {
    const issuedSeconds = this.#nowSeconds();
    const expiresSeconds = issuedSeconds + SESSION_SECONDS;
    const before = this.#bySid;
    const session = await this.#writer.addSession({
      userId,
      createdTimeMs: issuedSeconds * 1000,
      expiresTimeMs: expiresSeconds * 1000,
    });
    // Sessions that ended meanwhile may include this one (its password was changed): the ledger knows.
    if (this.#bySid === before) before.set(session.sid, session);
    else this.reload();
    return jwt.sign(
      { sub: userId, sid: session.sid, iat: issuedSeconds, exp: expiresSeconds },
      this.#secret,
      {
        algorithm: ALGORITHM,
      },
    );
  }

  /** Who holds a token; undefined for one that is not ours, has expired or was revoked. */
  check(token: string): SignedIn | undefined {
    const said = this.#verified.get(token) ?? this.#verify(token);
    if (said === undefined || said.exp <= this.#nowSeconds()) return undefined;
    const session = this.#bySid.get(said.sid);
    if (session === undefined || session.userId !== said.sub) return undefined;
    return { userId: session.userId, sid: session.sid };
  }

  /** Ends the session of a token, if it is one. The token is worthless at once, also after a crash. */
  async end(token: string): Promise<void> {
    const signedIn = this.check(token);
    if (signedIn === undefined) return;
    this.#bySid.delete(signedIn.sid);
    await this.#writer.removeSession(signedIn.sid);
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
        clockTimestamp: this.#nowSeconds(),
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
