import { hash, randomBytes } from "node:crypto";
import { type Credentials, MAX_SESSIONS_PER_MEMBER } from "../domain/account.ts";
import {
  type Actor,
  type AuditDetails,
  type AuditKind,
  type AuditNote,
  SERVICE_ACTOR,
} from "../domain/audit.ts";
import { SECOND_MS } from "../domain/clock.ts";
import { FlancoError } from "../domain/error.ts";
import { type Id, IdGenerator } from "../domain/id.ts";
import type { LocationLimit } from "../domain/limit.ts";
import {
  accountFull,
  COMPANY_ROLES,
  emailKey,
  emailTaken,
  LINK_MS,
  lastOwner,
  linkUsed,
  MAX_MEMBERS,
  type Member,
  type MemberChange,
  type NewMember,
  type Role,
  sessionSeconds,
} from "../domain/member.ts";
import type { SessionKeeper, SignedInMember } from "../http/auth/session.ts";
import type { Parameters } from "../notify/database.ts";
import type { Company } from "./company.ts";
import { type CompanyQuery, companyQuery, type Database } from "./connection-pool.ts";

const TOKEN_BYTES = 32;
const ID_DIGITS = 24;
const COLUMNS = `member AS id, role, name, email, password_hash AS "passwordHash"`;
const ALL = `SELECT ${COLUMNS} FROM flanco.member WHERE company = @company`;

interface MemberRow extends Omit<Member, "userId"> {
  readonly passwordHash: string | null;
}

/** Logs an action. */
export type Tell = (note: Omit<AuditNote, "kind" | "userId"> & { readonly kind: AuditKind }) => void;

/**
 * The members of a company, and their sessions, in its database. Every process that
 * serves the company reads them there with each request, so that a session that ends in
 * one process ends in all. A change resolves after its commit. A token is random and no
 * JWT: the database has its hash, so that the processes need not share a secret.
 */
export class CompanyMembers implements SessionKeeper {
  readonly #database: Database;
  readonly #company: number;
  readonly #userId: Id;
  readonly #ids: IdGenerator;
  readonly #tell: Tell;

  constructor(database: Database, { company }: Company, nowMs: () => number, tell: Tell) {
    this.#database = database;
    this.#company = company;
    this.#userId = accountOf(company);
    this.#ids = new IdGenerator(nowMs, () => randomBytes(6).readUIntBE(0, 6));
    this.#tell = tell;
  }

  async accountCredentials(): Promise<readonly Credentials[]> {
    const rows = await this.#query<MemberRow>(`${ALL} ORDER BY member`);
    return rows.map((row) => this.#toCredentials(row));
  }

  async member(memberId: Id): Promise<Member | undefined> {
    const [row] = await this.#query<MemberRow>(`${ALL} AND member = @memberId`, { memberId });
    return row && this.#toCredentials(row).member;
  }

  async credentials(email: string): Promise<Credentials | undefined> {
    const [row] = await this.#query<MemberRow>(`${ALL} AND email_key = @emailKey`, {
      emailKey: emailKey(email),
    });
    return row && this.#toCredentials(row);
  }

  async hasLink(tokenHash: string): Promise<boolean> {
    const linked = `${ALL} AND link_hash = @tokenHash AND link_ends_ms > flanco.now_ms()`;
    return (await this.#query<MemberRow>(linked, { tokenHash })).length > 0;
  }

  sessions(): Promise<readonly { readonly memberId: Id }[]> {
    return this.#query(
      `SELECT member AS "memberId" FROM flanco.session WHERE company = @company AND ends_ms > flanco.now_ms()`,
    );
  }

  /** No member of a company is limited to locations. */
  limits(): ReadonlyMap<Id, LocationLimit> {
    return new Map();
  }

  async addMember(
    _userId: Id,
    { role, name, email, passwordHash, locationIds }: NewMember,
    by: Actor = SERVICE_ACTOR,
  ): Promise<Member> {
    requireCompanyRole(role);
    requireNoLimit(locationIds);
    const id = this.#ids.next();
    await this.#change(async (members, query) => {
      if (members.length >= MAX_MEMBERS) throw accountFull();
      if (members.some((member) => emailKey(member.email) === emailKey(email))) throw emailTaken(email);
      await query(
        `INSERT INTO flanco.member (company, member, role, name, email, email_key, password_hash)
         VALUES (@company, @id, @role, @name, @email, @emailKey, @passwordHash)`,
        { id, role, name, email, emailKey: emailKey(email), passwordHash },
      );
    });
    this.#note("member_added", { email, role }, by);
    return { id, userId: this.#userId, role, name, email };
  }

  async changeMember(
    _userId: Id,
    memberId: Id,
    { role, name, locationIds }: MemberChange,
    by: Actor = SERVICE_ACTOR,
  ): Promise<void> {
    if (role !== undefined) requireCompanyRole(role);
    requireNoLimit(locationIds);
    const before = await this.#change(async (members, query) => {
      const member = found(members, memberId);
      if (role !== undefined && role !== member.role) {
        requireOtherOwner(members, member);
        await endSessions(query, memberId);
      }
      await query(
        "UPDATE flanco.member SET role = @role, name = @name WHERE company = @company AND member = @memberId",
        { memberId, role: role ?? member.role, name: name ?? member.name },
      );
      return member;
    });
    if (role === undefined || role === before.role) return;
    this.#note("role_changed", { email: before.email, role, roleBefore: before.role }, by);
  }

  async removeMember(_userId: Id, memberId: Id, by: Actor = SERVICE_ACTOR): Promise<void> {
    const { email, role } = await this.#change(async (members, query) => {
      const member = found(members, memberId);
      requireOtherOwner(members, member);
      await query("DELETE FROM flanco.member WHERE company = @company AND member = @memberId", {
        memberId,
      });
      return member;
    });
    this.#note("member_removed", { email, role }, by);
  }

  async endSessionsOf(_userId: Id, memberId: Id, by: Actor = SERVICE_ACTOR): Promise<number> {
    const { email, sessions } = await this.#change(async (members, query) => ({
      email: found(members, memberId).email,
      sessions: await endSessions(query, memberId),
    }));
    this.#note("sessions_ended", { email, sessions }, by);
    return sessions;
  }

  async addLink(_userId: Id, memberId: Id, tokenHash: string, by: Actor = SERVICE_ACTOR): Promise<void> {
    const [row] = await this.#query<{ email: string }>(
      `UPDATE flanco.member SET link_hash = @tokenHash, link_ends_ms = flanco.now_ms() + ${LINK_MS}
        WHERE company = @company AND member = @memberId RETURNING email`,
      { memberId, tokenHash },
    );
    if (row === undefined) throw unknownMember();
    this.#note("link_made", { email: row.email }, by);
  }

  /** No member of a company is a program. */
  async setKey(): Promise<void> {
    throw unknownMember();
  }

  async useLink(tokenHash: string, passwordHash: string, by: Actor = SERVICE_ACTOR): Promise<Member> {
    const linked = "link_hash = @tokenHash AND link_ends_ms > flanco.now_ms()";
    const member = await this.#replacePassword(linked, { tokenHash }, passwordHash);
    if (member === undefined) throw linkUsed();
    this.#note("password_changed", { email: member.email }, { ...by, memberId: member.id });
    return member;
  }

  async setPassword(memberId: Id, passwordHash: string, by: Actor = SERVICE_ACTOR): Promise<void> {
    const member = await this.#replacePassword("member = @memberId", { memberId }, passwordHash);
    if (member === undefined) throw unknownMember();
    this.#note("password_changed", { email: member.email }, by);
  }

  /**
   * Begins a session. A member with the maximum of sessions loses the
   * oldest. Rejects with `unauthorized` where the password has changed.
   */
  async begin({ member, passwordHash }: Credentials, by: Actor): Promise<string> {
    const token = randomBytes(TOKEN_BYTES).toString("base64url");
    const lifeMs = sessionSeconds(member.role) * SECOND_MS;
    const begun = await this.#use(async (query) => {
      await query(
        `DELETE FROM flanco.session WHERE company = @company AND (ends_ms <= flanco.now_ms() OR token_hash IN (
           SELECT token_hash FROM flanco.session WHERE company = @company AND member = @memberId
            ORDER BY begun_ms DESC OFFSET ${MAX_SESSIONS_PER_MEMBER - 1}))`,
        { memberId: member.id },
      );
      return query(
        `INSERT INTO flanco.session (company, token_hash, member, begun_ms, ends_ms)
         SELECT company, @tokenHash, member, flanco.now_ms(), flanco.now_ms() + @lifeMs FROM flanco.member
          WHERE company = @company AND member = @memberId AND password_hash = @passwordHash FOR SHARE RETURNING member`,
        {
          memberId: member.id,
          tokenHash: hash("sha256", token),
          lifeMs,
          passwordHash,
        },
      );
    });
    if (begun.length === 0) throw new FlancoError("unauthorized", "Unauthorized");
    this.#note("sign_in", { email: member.email }, { ...by, memberId: member.id });
    return token;
  }

  async check(token: string): Promise<SignedInMember | undefined> {
    const sid = hash("sha256", token);
    const [row] = await this.#query<{ memberId: Id; role: Role }>(
      `SELECT m.member AS "memberId", m.role FROM flanco.session s JOIN flanco.member m USING (company, member)
        WHERE company = @company AND s.token_hash = @sid AND s.ends_ms > flanco.now_ms()`,
      { sid },
    );
    return row && { ...row, userId: this.#userId, limit: null, sid };
  }

  async end(token: string, by: Actor): Promise<void> {
    const [row] = await this.#query<{ member: Id }>(
      "DELETE FROM flanco.session WHERE company = @company AND token_hash = @sid RETURNING member",
      { sid: hash("sha256", token) },
    );
    if (row !== undefined) this.#note("sign_out", {}, { ...by, memberId: row.member });
  }

  /**
   * Sets a member's password, and ends the member's link and sessions.
   * Undefined where no member fulfils the condition on these values.
   */
  async #replacePassword(
    condition: string,
    values: Parameters,
    passwordHash: string,
  ): Promise<Member | undefined> {
    const row = await this.#change(async (_members, query) => {
      const [changed] = await query<MemberRow>(
        `UPDATE flanco.member SET password_hash = @passwordHash, link_hash = NULL, link_ends_ms = NULL
          WHERE company = @company AND ${condition} RETURNING ${COLUMNS}`,
        { ...values, passwordHash },
      );
      if (changed !== undefined) await endSessions(query, changed.id);
      return changed;
    });
    return row && this.#toCredentials(row).member;
  }

  /** Changes the members in a transaction that excludes other changes of them. */
  #change<T>(run: (members: readonly MemberRow[], query: CompanyQuery) => Promise<T>): Promise<T> {
    return this.#use(async (query) => {
      await query("BEGIN");
      // No advisory lock, which every gateway's role could hold.
      await query("LOCK TABLE flanco.member IN SHARE ROW EXCLUSIVE MODE");
      const result = await run(await query<MemberRow>(`${ALL} ORDER BY member`), query);
      await query("COMMIT");
      return result;
    });
  }

  #query<Row extends object>(sql: string, values: Parameters = {}): Promise<Row[]> {
    return this.#use((query) => query<Row>(sql, values));
  }

  /** Runs statements on one connection. */
  #use<T>(run: (query: CompanyQuery) => Promise<T>): Promise<T> {
    return this.#database.use((connection) => run(companyQuery(connection, this.#company)));
  }

  #toCredentials({ passwordHash, ...member }: MemberRow): Credentials {
    return { member: { ...member, userId: this.#userId }, passwordHash };
  }

  #note(kind: AuditKind, details: AuditDetails, actor: Actor): void {
    this.#tell({ kind, details, actor });
  }
}

/** The company's id in the form of an account's. */
export function accountOf(company: number): Id {
  return company.toString(16).padStart(ID_DIGITS, "0");
}

function requireCompanyRole(role: Role): void {
  if (COMPANY_ROLES.some((one) => one === role)) return;
  const message = `must be ${COMPANY_ROLES.join(" or ")} in a company`;
  throw new FlancoError("invalid", `role: ${message}.`, { fields: { role: { kind: "range", message } } });
}

function requireNoLimit(locationIds: NewMember["locationIds"]): void {
  if (locationIds == null) return;
  throw new FlancoError("invalid", "locationIds: a company's members see all clinics.");
}

async function endSessions(query: CompanyQuery, memberId: Id): Promise<number> {
  const ended = await query(
    "DELETE FROM flanco.session WHERE company = @company AND member = @memberId RETURNING member",
    { memberId },
  );
  return ended.length;
}

function found(members: readonly MemberRow[], memberId: Id): MemberRow {
  const member = members.find(({ id }) => id === memberId);
  if (member === undefined) throw unknownMember();
  return member;
}

function requireOtherOwner(members: readonly MemberRow[], { id, role }: MemberRow): void {
  const isOwner = (other: MemberRow) =>
    other.id !== id && other.role === "owner" && other.passwordHash !== null;
  if (role === "owner" && !members.some(isOwner)) throw lastOwner();
}

function unknownMember(): FlancoError {
  return new FlancoError("not_found", "The company has no such member.", {
    hint: "flanco central member list shows them.",
  });
}
