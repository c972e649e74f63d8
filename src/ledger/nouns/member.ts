import { hash } from "node:crypto";
import type { Database } from "better-sqlite3";
import type { Credentials, Letterhead, NewOwner } from "../../domain/account.ts";
import { type Actor, SERVICE_ACTOR } from "../../domain/audit.ts";
import { leastAgeMs } from "../../domain/boot.ts";
import { FlancoError } from "../../domain/error.ts";
import type { Id } from "../../domain/id.ts";
import type { LedgerCommands, LedgerReader } from "../../domain/ledger.ts";
import {
  accountFull,
  emailKey,
  emailTaken,
  LINK_MS,
  lastOwner,
  linkUsed,
  MAX_MEMBERS,
  type Member,
  type NewMember,
  programHasKey,
  type Role,
} from "../../domain/member.ts";
import type { WriteContext } from "../engine/commands.ts";
import { ageInLedger, type BeginMoment, bootReader } from "./boot.ts";
import { limitReader, limitWriter } from "./limit.ts";
import { wiringAudit } from "./wiring.ts";

const SELECT = "SELECT member_id AS id, user_id AS userId, role, name, email";

type MemberRow = Member & { readonly passwordHash: string | null; readonly usedMs: number | null };

function toCredentials({ passwordHash, usedMs, ...member }: MemberRow): Credentials {
  return { member, passwordHash, ...(usedMs !== null && { usedMs }) };
}

export function memberReader(db: Database) {
  const count = db.prepare<[], number>("SELECT count(*) FROM account").pluck();
  const all = db.prepare<[], Member>(`${SELECT} FROM member ORDER BY user_id, member_id`);
  const ofAccount = db.prepare<[Id], Member>(`${SELECT} FROM member WHERE user_id = ? ORDER BY member_id`);
  const one = db.prepare<[Id], Member>(`${SELECT} FROM member WHERE member_id = ?`);
  const withHash = `${SELECT}, password_hash AS passwordHash, used_ms AS usedMs FROM member`;
  const byEmail = db.prepare<[string], MemberRow>(`${withHash} WHERE email_key = ?`);
  const allOfAccount = db.prepare<[Id], MemberRow>(`${withHash} WHERE user_id = ? ORDER BY member_id`);
  const link = db.prepare<[string], BeginMoment>(
    `SELECT boot_id AS bootId, begun_ms AS begunMs FROM link LEFT JOIN boot USING (boot) WHERE token_hash = ?`,
  );
  const { boots, lastAlive } = bootReader(db);
  return {
    accountCount: () => count.get() ?? 0,
    members: (userId?) => (userId === undefined ? all.all() : ofAccount.all(userId)),
    member: (memberId) => one.get(memberId),
    credentials(email) {
      const row = byEmail.get(emailKey(email));
      return row && toCredentials(row);
    },
    accountCredentials: (userId) => allOfAccount.all(userId).map(toCredentials),
    hasLink(tokenHash) {
      const made = link.get(tokenHash);
      if (made === undefined) return false;
      const now = lastAlive();
      // Of one that was made while no service ran, `useLink` alone tells the age.
      if (made.bootId === null || now === undefined) return true;
      return leastAgeMs({ bootId: made.bootId, monotonicMs: made.begunMs }, now, boots()) < LINK_MS;
    },
  } satisfies Partial<LedgerReader>;
}

export function memberCommands(db: Database, context: WriteContext) {
  const { accountCount, members, member: memberOf } = memberReader(db);
  const { limits: limitsOf } = limitReader(db);
  const taken = db.prepare<[string], number>("SELECT 1 FROM member WHERE email_key = ?").pluck();
  const insertAccount = db.prepare<[Id, number]>("INSERT INTO account (user_id, created_ms) VALUES (?, ?)");
  const insert = db.prepare<[Id, Id, Role, string, string, string, string | null, number]>(
    `INSERT INTO member (member_id, user_id, role, name, email, email_key, password_hash, created_ms)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const setHash = db.prepare<[string, Id]>("UPDATE member SET password_hash = ? WHERE member_id = ?");
  const removeHash = db.prepare<[Id]>(
    "UPDATE member SET password_hash = NULL WHERE member_id = ? AND password_hash IS NOT NULL",
  );
  const removeSessions = db.prepare<[Id]>("DELETE FROM session WHERE member_id = ?");
  const removeLink = db.prepare<[Id]>("DELETE FROM link WHERE member_id = ?");
  const takeLink = db.prepare<[string], BeginMoment & { memberId: Id }>(
    `DELETE FROM link WHERE token_hash = ? RETURNING member_id AS memberId, begun_ms AS begunMs,
       (SELECT boot_id FROM boot WHERE boot = link.boot) AS bootId`,
  );
  const insertLink = db.prepare<[Id, string, number | null, number]>(
    "INSERT OR REPLACE INTO link (member_id, token_hash, boot, begun_ms) VALUES (?, ?, ?, ?)",
  );
  const change = db.prepare<[Role, string, Id]>("UPDATE member SET role = ?, name = ? WHERE member_id = ?");
  const remove = db.prepare<[Id]>("DELETE FROM member WHERE member_id = ?");
  const otherOwners = db
    .prepare<[Id, Id], number>(
      `SELECT count(*) FROM member
        WHERE user_id = ? AND member_id <> ? AND role = 'owner' AND password_hash IS NOT NULL`,
    )
    .pluck();
  const removeAccount = db.prepare<[Id]>("DELETE FROM account WHERE user_id = ?");
  const wirings = wiringAudit(db, context);
  const limits = limitWriter(db, context);
  const deviceCount = db.prepare<[Id], number>("SELECT count(*) FROM device WHERE user_id = ?").pluck();

  function add(id: Id, userId: Id, { role, name, email, passwordHash }: NewMember, by: Actor): Member {
    insert.run(id, userId, role, name, email, emailKey(email), passwordHash, context.nowMs());
    context.audit.note("member_added", userId, { email, role }, by);
    return { id, userId, role, name, email };
  }

  function requireFree(email: string): void {
    if (taken.get(emailKey(email)) !== undefined) throw emailTaken(email);
  }

  function addUser(user: NewOwner, by: Actor = SERVICE_ACTOR): Member {
    requireFree(user.email);
    const id = context.ids.next();
    insertAccount.run(id, context.nowMs());
    context.tell({ kind: "user", userId: id });
    return add(id, id, { ...user, role: "owner" }, by);
  }

  /** A member, of that account. */
  function found(memberId: Id, userId?: Id): Member {
    const member = memberOf(memberId);
    if (member === undefined || (userId !== undefined && member.userId !== userId)) throw unknownMember();
    return member;
  }

  /** Throws `conflict` for the account's only owner with a password. */
  function requireOtherOwner({ id, userId, role }: Member): void {
    if (role === "owner" && (otherOwners.get(userId, id) ?? 0) === 0) throw lastOwner();
  }

  /** Sets what a member is limited to; undefined: as before, which no owner may be. */
  function relimit(member: Member, given: readonly string[] | null | undefined, by: Actor): void {
    const before = limitsOf(member.id).get(member.id)?.locationIds ?? null;
    const locationIds = given === undefined ? before : (given?.toSorted() ?? null);
    const isSame = JSON.stringify(locationIds) === JSON.stringify(before);
    if (isSame && (locationIds === null || member.role !== "owner")) return;
    context.audit.requireFew(member.userId, by);
    limits.set(member, locationIds, by);
  }

  function endSessions({ id, userId }: Member): number {
    const ended = removeSessions.run(id).changes;
    context.tell({ kind: "sessions", userId });
    return ended;
  }

  /** A member that is no program. */
  function foundPerson(memberId: Id, userId?: Id): Member {
    const member = found(memberId, userId);
    if (member.role === "program") throw programHasKey();
    return member;
  }

  function replacePassword(memberId: Id, passwordHash: string, by: Actor): Member {
    const member = foundPerson(memberId);
    setHash.run(passwordHash, memberId);
    removeLink.run(memberId);
    endSessions(member);
    context.audit.note("password_changed", member.userId, { email: member.email }, by);
    return member;
  }

  return {
    addUser,
    addFirstUser(user, by?) {
      if (accountCount() > 0) {
        throw new FlancoError("conflict", "The first user has already been made. Sign in instead.");
      }
      return addUser(user, by);
    },
    addMember(userId, member, by = SERVICE_ACTOR) {
      requireFree(member.email);
      const count = members(userId).length;
      if (count === 0) throw unknownMember();
      if (count >= MAX_MEMBERS) throw accountFull();
      // The second entry is the link's, or the key's: without it the member could not sign in.
      context.audit.requireFew(userId, by, member.locationIds == null ? 2 : 3);
      const added = add(context.ids.next(), userId, member, by);
      if (member.locationIds != null) limits.set(added, member.locationIds, by);
      return added;
    },
    changeMember(userId, memberId, { role, name, locationIds }, by = SERVICE_ACTOR) {
      const member = found(memberId, userId);
      const isOther = role !== undefined && role !== member.role;
      if (isOther) {
        if (role === "program" || member.role === "program") throw programHasKey();
        requireOtherOwner(member);
        context.audit.requireFew(userId, by);
      }
      change.run(role ?? member.role, name ?? member.name, memberId);
      relimit({ ...member, role: role ?? member.role }, locationIds, by);
      if (!isOther) return;
      // A session may last longer than one of the new role would.
      endSessions(member);
      const details = { email: member.email, role, roleBefore: member.role };
      context.audit.note("role_changed", userId, details, by);
    },
    removeMember(userId, memberId, by = SERVICE_ACTOR) {
      const member = found(memberId, userId);
      requireOtherOwner(member);
      context.audit.note("member_removed", userId, { email: member.email, role: member.role }, by);
      remove.run(memberId);
      context.tell({ kind: "sessions", userId });
    },
    endSessionsOf(userId, memberId, by = SERVICE_ACTOR) {
      const member = found(memberId, userId);
      const { email, role } = member;
      // With its key it would sign in again. A stolen key can always be ended, once.
      if (role === "program" && removeHash.run(memberId).changes > 0) {
        context.audit.note("key_revoked", userId, { email }, by);
      }
      const sessions = endSessions(member);
      if (sessions > 0) context.audit.note("sessions_ended", userId, { email, sessions }, by);
      return sessions;
    },
    addLink(userId, memberId, tokenHash, by = SERVICE_ACTOR) {
      const { email } = foundPerson(memberId, userId);
      context.audit.requireFew(userId, by);
      const { boot, begunMs } = context.boots.stamp(context.nowMs());
      insertLink.run(memberId, tokenHash, boot, begunMs);
      context.audit.note("link_made", userId, { email }, by);
    },
    useLink(tokenHash, passwordHash, by = SERVICE_ACTOR) {
      const link = takeLink.get(tokenHash);
      if (link === undefined || ageInLedger(context.boots)(link) >= LINK_MS) throw linkUsed();
      return replacePassword(link.memberId, passwordHash, { ...by, memberId: link.memberId });
    },
    setPassword(memberId, passwordHash, by = SERVICE_ACTOR) {
      context.audit.requireFewPasswords(found(memberId), by);
      replacePassword(memberId, passwordHash, by);
    },
    setKey(userId, memberId, keyHash, by = SERVICE_ACTOR) {
      const member = found(memberId, userId);
      if (member.role !== "program") throw unknownMember();
      context.audit.requireFew(userId, by);
      setHash.run(keyHash, memberId);
      endSessions(member);
      context.audit.note("key_made", userId, { email: member.email }, by);
    },
    removeUser(userId, withDevices, by = SERVICE_ACTOR) {
      const devices = deviceCount.get(userId) ?? 0;
      if (devices > 0 && !withDevices) {
        const message = `The user owns ${devices} device(s): their sales would have no owner.`;
        throw new FlancoError("conflict", message, {
          hint: "Remove the user with --with-devices to remove them too (records are kept), or give the account another password.",
        });
      }
      const removed = members(userId);
      if (removed.length === 0) throw unknownMember();
      wirings.removed(userId, {}, by);
      for (const { email, role } of removed)
        context.audit.note("member_removed", userId, { email, role }, by);
      removeAccount.run(userId);
      context.tell({ kind: "sessions", userId });
      context.tell({ kind: "wiring" });
    },
  } satisfies Partial<LedgerCommands>;
}

function unknownMember(): FlancoError {
  return new FlancoError("not_found", "There is no such user.", {
    hint: "flanco user list shows who there is.",
  });
}

export function letterheadReader(db: Database) {
  const read = db.prepare<[Id], Letterhead>(
    "SELECT company, tax_number AS taxNumber, address, logo FROM account WHERE user_id = ?",
  );
  return {
    letterhead: (userId) => read.get(userId) ?? { company: "", taxNumber: "", address: "", logo: "" },
  } satisfies Partial<LedgerReader>;
}

export function letterheadCommands(db: Database, { audit }: Pick<WriteContext, "audit">) {
  const set = db.prepare<Letterhead & { userId: Id }>(
    `UPDATE account SET company = @company, tax_number = @taxNumber, address = @address, logo = @logo
      WHERE user_id = @userId`,
  );
  return {
    setLetterhead(userId, letterhead, by = SERVICE_ACTOR) {
      audit.requireFew(userId, by);
      set.run({ ...letterhead, userId });
      const { logo, ...texts } = letterhead;
      // The picture's hash alone: entries stay for ever.
      const picture = logo === "" ? "" : hash("sha256", logo, "hex");
      audit.note("letterhead_set", userId, { ...texts, logo: picture }, by);
    },
  } satisfies Partial<LedgerCommands>;
}
