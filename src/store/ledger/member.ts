import type { Database } from "better-sqlite3";
import { type Actor, SERVICE_ACTOR } from "../../domain/audit.ts";
import { duplicateError, FlancoError } from "../../domain/error.ts";
import type { Id } from "../../domain/id.ts";
import type { Member, NewMember, Role } from "../../domain/member.ts";
import type { Credentials, NewUser } from "../../domain/user.ts";
import type { WriteContext } from "./commands.ts";
import { wiringAudit } from "./wiring.ts";

const SELECT = "SELECT member_id AS id, user_id AS userId, role, name, email";

/** E-mails are one and the same without regard to case. */
function emailKey(email: string): string {
  return email.normalize("NFC").toLowerCase();
}

export function memberReader(db: Database) {
  const count = db.prepare<[], number>("SELECT count(*) FROM account").pluck();
  const all = db.prepare<[], Member>(`${SELECT} FROM member ORDER BY user_id, member_id`);
  const ofUser = db.prepare<[Id], Member>(`${SELECT} FROM member WHERE user_id = ? ORDER BY member_id`);
  const one = db.prepare<[Id], Member>(`${SELECT} FROM member WHERE member_id = ?`);
  const byEmail = db.prepare<[string], Member & { passwordHash: string | null }>(
    `${SELECT}, password_hash AS passwordHash FROM member WHERE email_key = ?`,
  );
  return {
    userCount: (): number => count.get() ?? 0,
    members: (userId?: Id): readonly Member[] => (userId === undefined ? all.all() : ofUser.all(userId)),
    member: (memberId: Id): Member | undefined => one.get(memberId),
    credentials(email: string): Credentials | undefined {
      const row = byEmail.get(emailKey(email));
      if (row === undefined) return undefined;
      const { passwordHash, ...member } = row;
      return { member, passwordHash };
    },
  };
}

export function memberCommands(db: Database, context: WriteContext) {
  const count = db.prepare<[], number>("SELECT count(*) FROM account").pluck();
  const taken = db.prepare<[string], number>("SELECT 1 FROM member WHERE email_key = ?").pluck();
  const insertAccount = db.prepare<[Id, number]>("INSERT INTO account (user_id, created_ms) VALUES (?, ?)");
  const insert = db.prepare<[Id, Id, Role, string, string, string, string | null, number]>(
    `INSERT INTO member (member_id, user_id, role, name, email, email_key, password_hash, created_ms)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const one = db.prepare<[Id], Member>(`${SELECT} FROM member WHERE member_id = ?`);
  const ofUser = db.prepare<[Id], Member>(`${SELECT} FROM member WHERE user_id = ? ORDER BY member_id`);
  const setHash = db.prepare<[string, Id]>("UPDATE member SET password_hash = ? WHERE member_id = ?");
  const removeSessions = db.prepare<[Id]>("DELETE FROM session WHERE member_id = ?");
  const removeAccount = db.prepare<[Id]>("DELETE FROM account WHERE user_id = ?");
  const wirings = wiringAudit(db, context);
  const deviceCount = db.prepare<[Id], number>("SELECT count(*) FROM device WHERE user_id = ?").pluck();

  function add(id: Id, userId: Id, { role, name, email, passwordHash }: NewMember, by: Actor): Member {
    insert.run(id, userId, role, name, email, emailKey(email), passwordHash, context.nowMs());
    context.audit.note("member_added", userId, { email, role }, by);
    return { id, userId, role, name, email };
  }

  function requireFree(email: string): void {
    if (taken.get(emailKey(email)) === undefined) return;
    throw duplicateError("email", `There is already a user with the e-mail ${email}.`);
  }

  function addUser(user: NewUser, by: Actor = SERVICE_ACTOR): Member {
    requireFree(user.email);
    const id = context.ids.next();
    insertAccount.run(id, context.nowMs());
    context.tell({ kind: "user", userId: id });
    return add(id, id, { ...user, role: "owner" }, by);
  }

  function found(memberId: Id): Member {
    const member = one.get(memberId);
    if (member === undefined) throw unknownMember();
    return member;
  }

  return {
    addUser,
    addFirstUser(user: NewUser, by?: Actor): Member {
      if ((count.get() ?? 0) > 0) {
        throw new FlancoError("conflict", "The first user has already been made. Sign in instead.");
      }
      return addUser(user, by);
    },
    setPassword(memberId: Id, passwordHash: string, by: Actor = SERVICE_ACTOR): void {
      const { userId, email } = found(memberId);
      setHash.run(passwordHash, memberId);
      removeSessions.run(memberId);
      context.audit.note("password_changed", userId, { email }, by);
      context.tell({ kind: "sessions", userId });
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
      const members = ofUser.all(userId);
      if (members.length === 0) throw unknownMember();
      wirings.removed(userId, {}, by);
      for (const { email, role } of members)
        context.audit.note("member_removed", userId, { email, role }, by);
      removeAccount.run(userId);
      context.tell({ kind: "sessions", userId });
      context.tell({ kind: "wiring" });
    },
  };
}

function unknownMember(): FlancoError {
  return new FlancoError("not_found", "There is no such user.", {
    hint: "flanco user list shows who there is.",
  });
}
