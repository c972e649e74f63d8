import type { Database } from "better-sqlite3";
import { type Actor, SERVICE_ACTOR } from "../../domain/audit.ts";
import { duplicateError, FlancoError } from "../../domain/error.ts";
import type { Id } from "../../domain/id.ts";
import {
  MAX_SESSIONS_PER_USER,
  type NewSession,
  type NewUser,
  type Session,
  type User,
  type UserCredentials,
} from "../../domain/user.ts";
import type { WriteContext } from "./commands.ts";
import { wiringAudit } from "./wiring.ts";

const COLUMNS = "user_id AS id, name, email";

interface SessionRow extends Omit<Session, "begun"> {
  readonly bootId: string | null;
  readonly begunMs: number;
}

/** E-mails are one and the same without regard to case. */
function emailKey(email: string): string {
  return email.normalize("NFC").toLowerCase();
}

export function userReader(db: Database) {
  const count = db.prepare<[], number>("SELECT count(*) FROM user").pluck();
  const all = db.prepare<[], User>(`SELECT ${COLUMNS} FROM user ORDER BY user_id`);
  const one = db.prepare<[Id], User>(`SELECT ${COLUMNS} FROM user WHERE user_id = ?`);
  const byEmail = db.prepare<[string], User & { passwordHash: string }>(
    `SELECT ${COLUMNS}, password_hash AS passwordHash FROM user WHERE email_key = ?`,
  );
  const sessions = db.prepare<[], SessionRow>(
    `SELECT sid, user_id AS userId, created_ms AS createdTimeMs, expires_ms AS expiresTimeMs,
            boot_id AS bootId, begun_ms AS begunMs
       FROM session LEFT JOIN boot USING (boot)`,
  );
  return {
    userCount: (): number => count.get() ?? 0,
    users: (): readonly User[] => all.all(),
    user: (userId: Id): User | undefined => one.get(userId),
    credentials(email: string): UserCredentials | undefined {
      const row = byEmail.get(emailKey(email));
      if (row === undefined) return undefined;
      const { passwordHash, ...user } = row;
      return { user, passwordHash };
    },
    sessions: (): readonly Session[] => sessions.all().map(toSession),
  };
}

export function userCommands(db: Database, context: WriteContext) {
  const count = db.prepare<[], number>("SELECT count(*) FROM user").pluck();
  const taken = db.prepare<[string], number>("SELECT 1 FROM user WHERE email_key = ?").pluck();
  const insert = db.prepare<[Id, string, string, string, string, number]>(
    `INSERT INTO user (user_id, name, email, email_key, password_hash, created_ms) VALUES (?, ?, ?, ?, ?, ?)`,
  );
  const setHash = db.prepare<[string, Id]>("UPDATE user SET password_hash = ? WHERE user_id = ?");
  const storedHash = db.prepare<[Id], string>("SELECT password_hash FROM user WHERE user_id = ?").pluck();
  const remove = db.prepare<[Id]>("DELETE FROM user WHERE user_id = ?");
  const wirings = wiringAudit(db, context);
  const emailOf = db.prepare<[Id], string>("SELECT email FROM user WHERE user_id = ?").pluck();
  const deviceCount = db.prepare<[Id], number>("SELECT count(*) FROM device WHERE user_id = ?").pluck();
  const insertSession = db.prepare<[Id, Id, number, number, number | null, number]>(
    "INSERT INTO session (sid, user_id, created_ms, expires_ms, boot, begun_ms) VALUES (?, ?, ?, ?, ?, ?)",
  );
  const removeSession = db.prepare<[Id], Id>("DELETE FROM session WHERE sid = ? RETURNING user_id").pluck();
  const removeReplaced = db.prepare<[Id, Id]>("DELETE FROM session WHERE sid = ? AND user_id = ?");
  const removeSessions = db.prepare<[Id]>("DELETE FROM session WHERE user_id = ?");
  const removeAllSessions = db.prepare<[], Id>("DELETE FROM session RETURNING user_id").pluck();
  const removeOldest = db.prepare<[Id, Id, number]>(
    `DELETE FROM session WHERE user_id = ? AND sid NOT IN
       (SELECT sid FROM session WHERE user_id = ? ORDER BY boot DESC, begun_ms DESC, sid DESC LIMIT ?)`,
  );

  function addUser(user: NewUser, by: Actor = SERVICE_ACTOR): User {
    const key = emailKey(user.email);
    if (taken.get(key) !== undefined) {
      throw duplicateError("email", `There is already a user with the e-mail ${user.email}.`);
    }
    const id = context.ids.next();
    insert.run(id, user.name, user.email, key, user.passwordHash, context.nowMs());
    context.audit.note("user_added", id, { email: user.email }, by);
    context.tell({ kind: "user", userId: id });
    return { id, name: user.name, email: user.email };
  }

  return {
    addUser,
    addFirstUser(user: NewUser, by?: Actor): User {
      if ((count.get() ?? 0) > 0) {
        throw new FlancoError("conflict", "The first user has already been made. Sign in instead.");
      }
      return addUser(user, by);
    },
    setPassword(userId: Id, passwordHash: string, by: Actor = SERVICE_ACTOR): void {
      if (setHash.run(passwordHash, userId).changes === 0) throw unknownUser();
      removeSessions.run(userId);
      context.audit.note("password_changed", userId, { email: emailOf.get(userId) ?? "" }, by);
      context.tell({ kind: "sessions", userId: userId });
    },
    removeUser(userId: Id, withDevices: boolean, by: Actor = SERVICE_ACTOR): void {
      const devices = deviceCount.get(userId) ?? 0;
      if (devices > 0 && !withDevices) {
        throw new FlancoError(
          "conflict",
          `The user owns ${devices} device(s): their sales would have no owner.`,
          {
            hint: "Remove the user with --with-devices to remove them too (records are kept), or give the account another password.",
          },
        );
      }
      const email = emailOf.get(userId);
      if (email === undefined) throw unknownUser();
      wirings.removed(userId, {}, by);
      context.audit.note("user_removed", userId, { email }, by);
      remove.run(userId);
      context.tell({ kind: "sessions", userId: userId });
      context.tell({ kind: "wiring" });
    },
    addSession(session: NewSession, passwordHash: string, by: Actor = SERVICE_ACTOR): Session {
      const { inPlaceOf, ...begins } = session;
      const { userId, createdTimeMs, expiresTimeMs } = begins;
      // Comparing a password takes a while, in which it may have been changed or its user removed.
      if (storedHash.get(userId) !== passwordHash) {
        throw new FlancoError("unauthorized", "The password has been changed.", { hint: "Sign in again." });
      }
      const sid = context.ids.next();
      const moment = context.boots.nowStored();
      insertSession.run(
        sid,
        userId,
        createdTimeMs,
        expiresTimeMs,
        moment?.boot ?? null,
        moment?.begunMs ?? createdTimeMs,
      );
      const replaced = inPlaceOf === null ? 0 : removeReplaced.run(inPlaceOf, userId).changes;
      // The caller may not know all sessions of the user.
      const oldest = removeOldest.run(userId, userId, MAX_SESSIONS_PER_USER).changes;
      if (replaced + oldest > 0) context.tell({ kind: "sessions", userId });
      context.audit.note("sign_in", userId, {}, { ...by, userId });
      return { sid, ...begins, begun: moment === undefined ? null : (context.boots.now() ?? null) };
    },
    removeSession(sid: Id, by: Actor = SERVICE_ACTOR): void {
      const userId = removeSession.get(sid);
      if (userId === undefined) return;
      context.audit.note("sign_out", userId, {}, { ...by, userId });
      context.tell({ kind: "sessions", userId });
    },
    endSessions(by: Actor): number {
      const users = removeAllSessions.all();
      context.audit.note("secret_rotated", null, { sessions: users.length }, by);
      for (const userId of new Set(users)) context.tell({ kind: "sessions", userId });
      return users.length;
    },
  };
}

function toSession({ bootId, begunMs, ...session }: SessionRow): Session {
  return { ...session, begun: bootId === null ? null : { bootId, monotonicMs: begunMs } };
}

function unknownUser(): FlancoError {
  return new FlancoError("not_found", "There is no such user.", {
    hint: "flanco user list shows who there is.",
  });
}
