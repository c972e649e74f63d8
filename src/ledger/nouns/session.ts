import type { Database } from "better-sqlite3";
import { MAX_SESSIONS_PER_MEMBER, type StandingSession } from "../../domain/account.ts";
import { SERVICE_ACTOR } from "../../domain/audit.ts";
import { WEEK_MS } from "../../domain/clock.ts";
import { FlancoError } from "../../domain/error.ts";
import type { Id } from "../../domain/id.ts";
import type { LedgerCommands, LedgerReader } from "../../domain/ledger.ts";
import type { Role } from "../../domain/member.ts";
import type { WriteContext } from "../engine/commands.ts";
import { ageInLedger, type BeginMoment } from "./boot.ts";
import { limitReader } from "./limit.ts";

/** The most rows of one purge: other writes wait meanwhile. */
const MAX_ROWS = 500;
/** How long an idempotency key is kept. */
const IDEMPOTENCY_MS = WEEK_MS;

export function sessionReader(db: Database) {
  const sessions = db.prepare<[], Omit<StandingSession, "begun" | "limit"> & BeginMoment>(
    `SELECT sid, member_id AS memberId, user_id AS userId, role, s.created_ms AS createdTimeMs,
            expires_ms AS expiresTimeMs, boot_id AS bootId, begun_ms AS begunMs
       FROM session s JOIN member USING (member_id) LEFT JOIN boot USING (boot)`,
  );
  const { limits } = limitReader(db);
  // One transaction: a session has the limit of the same commit.
  const read = db.transaction((): readonly StandingSession[] => {
    const limitOf = limits();
    return sessions.all().map(({ bootId, begunMs, ...session }) => ({
      ...session,
      limit: limitOf.get(session.memberId) ?? null,
      begun: bootId === null ? null : { bootId, monotonicMs: begunMs },
    }));
  });
  return {
    sessions: read,
  } satisfies Partial<LedgerReader>;
}

export function sessionCommands(db: Database, context: WriteContext) {
  const member = db.prepare<[Id], { userId: Id; role: Role; passwordHash: string | null }>(
    "SELECT user_id AS userId, role, password_hash AS passwordHash FROM member WHERE member_id = ?",
  );
  const { limits } = limitReader(db);
  const insert = db.prepare<[Id, Id, number, number, number | null, number]>(
    "INSERT INTO session (sid, member_id, created_ms, expires_ms, boot, begun_ms) VALUES (?, ?, ?, ?, ?, ?)",
  );
  const remove = db.prepare<[Id], Id>("DELETE FROM session WHERE sid = ? RETURNING member_id").pluck();
  const setUsed = db.prepare<[number, Id]>("UPDATE member SET used_ms = ? WHERE member_id = ?");
  const removeReplaced = db.prepare<[Id, Id]>("DELETE FROM session WHERE sid = ? AND member_id = ?");
  const removeAll = db.prepare<[], Id>("DELETE FROM session RETURNING member_id").pluck();
  const removeOldest = db.prepare<[Id, Id, number]>(
    `DELETE FROM session WHERE member_id = ? AND sid NOT IN
       (SELECT sid FROM session WHERE member_id = ? ORDER BY boot DESC, begun_ms DESC, sid DESC LIMIT ?)`,
  );

  return {
    addSession(session, passwordHash, by = SERVICE_ACTOR) {
      const { inPlaceOf, ...begins } = session;
      const { memberId, createdTimeMs, expiresTimeMs } = begins;
      const of = member.get(memberId);
      // Comparing a password takes a while, in which it may have been changed or its member removed.
      if (of?.passwordHash !== passwordHash) {
        throw new FlancoError("unauthorized", "The password has been changed.", { hint: "Sign in again." });
      }
      const { userId, role } = of;
      const sid = context.ids.next();
      const now = context.boots.now();
      const begunMs = now?.monotonicMs ?? createdTimeMs;
      insert.run(sid, memberId, createdTimeMs, expiresTimeMs, now?.boot ?? null, begunMs);
      if (role === "program") setUsed.run(context.nowMs(), memberId);
      const replaced = inPlaceOf === null ? 0 : removeReplaced.run(inPlaceOf, memberId).changes;
      // The caller may not know all sessions of the member.
      const oldest = removeOldest.run(memberId, memberId, MAX_SESSIONS_PER_MEMBER).changes;
      if (replaced + oldest > 0) context.tell({ kind: "sessions", userId });
      context.audit.note("sign_in", userId, {}, { ...by, memberId });
      const begun = now === undefined ? null : { bootId: now.bootId, monotonicMs: now.monotonicMs };
      const limit = limits(memberId).get(memberId) ?? null;
      return { sid, ...begins, userId, role, limit, begun };
    },
    noteUse(memberId) {
      setUsed.run(context.nowMs(), memberId);
    },
    removeSession(sid, by = SERVICE_ACTOR) {
      const memberId = remove.get(sid);
      const userId = memberId === undefined ? undefined : member.get(memberId)?.userId;
      if (memberId === undefined || userId === undefined) return;
      context.audit.note("sign_out", userId, {}, { ...by, memberId });
      context.tell({ kind: "sessions", userId });
    },
    endSessions(by) {
      const members = removeAll.all();
      context.audit.note("secret_rotated", null, { sessions: members.length }, by);
      const accounts = members.flatMap((memberId) => member.get(memberId)?.userId ?? []);
      for (const userId of new Set(accounts)) context.tell({ kind: "sessions", userId });
      return members.length;
    },
  } satisfies Partial<LedgerCommands>;
}

/** Removes sessions that have ended and old idempotency keys. */
export function purgeCommands(db: Database, context: WriteContext) {
  const sessions = db.prepare<[number], BeginMoment & { sid: Id; userId: Id; lifeMs: number }>(
    `SELECT sid, user_id AS userId, expires_ms - s.created_ms AS lifeMs, boot_id AS bootId, begun_ms AS begunMs
       FROM session s JOIN member USING (member_id) LEFT JOIN boot USING (boot) ORDER BY boot, begun_ms LIMIT ?`,
  );
  const removeSession = db.prepare<[Id]>("DELETE FROM session WHERE sid = ?");
  const keys = db.prepare<[number], BeginMoment & { userId: Id; key: string }>(
    `SELECT user_id AS userId, key, boot_id AS bootId, begun_ms AS begunMs
       FROM idempotency i LEFT JOIN boot USING (boot) ORDER BY i.boot, begun_ms LIMIT ?`,
  );
  const removeKey = db.prepare<[Id, string]>("DELETE FROM idempotency WHERE user_id = ? AND key = ?");

  function purgeSessions(ageOf: (begun: BeginMoment) => number): number {
    const ended = sessions.all(MAX_ROWS).filter((row) => ageOf(row) >= row.lifeMs);
    for (const { sid } of ended) removeSession.run(sid);
    for (const userId of new Set(ended.map((row) => row.userId))) context.tell({ kind: "sessions", userId });
    return ended.length;
  }

  function purgeKeys(ageOf: (begun: BeginMoment) => number): number {
    const old = keys.all(MAX_ROWS).filter((row) => ageOf(row) >= IDEMPOTENCY_MS);
    for (const { userId, key } of old) removeKey.run(userId, key);
    return old.length;
  }

  return {
    purge() {
      if (context.boots.now() === undefined) return 0;
      const ageOf = ageInLedger(context.boots);
      return purgeSessions(ageOf) + purgeKeys(ageOf);
    },
  } satisfies Partial<LedgerCommands>;
}
