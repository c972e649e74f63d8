import type { Database } from "better-sqlite3";
import {
  type Actor,
  type AuditDetails,
  type AuditEntry,
  type AuditKind,
  isLasting,
  type StoredAudit,
} from "../../domain/audit.ts";
import type { EvidenceEntry } from "../../domain/chain-entry.ts";
import { DAY_MS, HOUR_MS, SECOND_MS } from "../../domain/clock.ts";
import { FlancoError } from "../../domain/error.ts";
import type { Id } from "../../domain/id.ts";
import type { LedgerCommands, LedgerReader } from "../../domain/ledger.ts";
import type { Member } from "../../domain/member.ts";
import { Chain } from "../engine/chain.ts";
import type { RowBudget } from "../engine/reader.ts";
import type { Boots } from "./boot.ts";

/**
 * The newest entries that are kept of each passing kind and
 * account. Entries of one kind or account never push out others.
 */
export const KEPT_OF_EACH_KIND = 2_000;
/** After so many new entries the log is trimmed. */
const TRIM_EVERY = 100;
/** An entry that equals the newest of its kind and account is counted with that one within this time. */
const REPEATED_WITHIN_MS = HOUR_MS;
/** Lasting entries that an account may make over the network in a day: they are never removed. */
export const LASTING_A_DAY = 1_000;
/** The most acceptance reports among them: one of 4,096 rooms with usual names takes 3 MB. */
export const REPORTS_A_DAY = 50;
/**
 * How often a member may change the own password over the network in a day. The bound of
 * all changes does not stop it, so that members of any role could use up the account's.
 */
export const PASSWORDS_A_DAY = 20;
/**
 * So many of these entries are for owners alone: a technician's
 * program that runs wild must not keep an owner from voiding a sale.
 */
const OF_OWNERS = 200;

/** An entry without its details, of which an acceptance report has megabytes. */
interface AuditRow extends Omit<AuditEntry, "provisional" | "details"> {
  readonly provisional: number;
  readonly bytes: number;
  readonly repeats: number;
}

/** An entry's time is the boot's zero and what had passed since, once that zero is known. */
export const AUDIT_TIME = "coalesce(max(0, CAST(round(zero_ms + begun_ms) AS INTEGER)), time_ms)";
const SELECT = `
  SELECT audit_id AS auditId, number, kind, ${AUDIT_TIME} AS timeMs, boot IS NOT NULL AND zero_ms IS NULL AS provisional,
         user_id AS userId, way, who, origin AS "from", octet_length(details) AS bytes, repeats
    FROM audit LEFT JOIN boot USING (boot)
   WHERE audit_id < @before AND ${AUDIT_TIME} >= @sinceMs`;
const NEWEST = "ORDER BY audit_id DESC LIMIT @limit";

type AuditParameters = { readonly before: number; readonly sinceMs: number; readonly limit: number };

export function auditReader(db: Database, budget: Pick<RowBudget, "spendBytes">) {
  const all = db.prepare<[AuditParameters], AuditRow>(`${SELECT} ${NEWEST}`);
  const ofAccount = db.prepare<[AuditParameters & { readonly userId: Id }], AuditRow>(
    `${SELECT} AND user_id = @userId ${NEWEST}`,
  );
  // Otherwise a user could try an e-mail and see in their own list whether it has an account.
  const ofAppliance = db.prepare<[AuditParameters], AuditRow>(
    `${SELECT} AND user_id IS NULL AND kind <> 'sign_in_failed' ${NEWEST}`,
  );
  /** An acceptance report's text is read by itself (commission.ts). */
  const detailsOf = db
    .prepare<[number], string>("SELECT json_remove(details, '$.report') FROM audit WHERE audit_id = ?")
    .pluck();
  const toEntry = ({ provisional, bytes: _bytes, repeats, ...row }: AuditRow): AuditEntry => {
    const told = JSON.parse(detailsOf.get(row.auditId) ?? "{}") as AuditDetails;
    return {
      ...row,
      provisional: provisional === 1,
      details: repeats === 0 ? told : { ...told, times: repeats + 1 },
    };
  };
  // One transaction: all statements see the same commit.
  const read = db.transaction((rows: () => readonly AuditRow[]): readonly AuditEntry[] => {
    const found = rows();
    budget.spendBytes(found.reduce((sum, { bytes }) => sum + bytes, 0));
    return found.map(toEntry);
  });
  const signedIn = db
    .prepare<[number], string>(
      `SELECT origin FROM audit WHERE kind = 'sign_in' GROUP BY origin ORDER BY max(audit_id) DESC LIMIT ?`,
    )
    .pluck();
  return {
    signedInFrom: (limit) => signedIn.all(limit).toReversed(),
    audit({ userId, before, sinceMs, limit }) {
      const parameters = { before: before ?? Number.MAX_SAFE_INTEGER, sinceMs: sinceMs ?? 0, limit };
      if (userId === undefined) return read(() => all.all(parameters));
      return read(() =>
        [...ofAccount.all({ ...parameters, userId }), ...ofAppliance.all(parameters)]
          .toSorted((one, other) => other.auditId - one.auditId)
          .slice(0, limit),
      );
    },
  } satisfies Partial<LedgerReader>;
}

/** The audit log in the writer thread: each entry in the transaction of the change that it records. */
export function auditLog(
  db: Database,
  { boots, chain, nowMs }: { readonly boots: Boots; readonly chain: Chain; nowMs(): number },
) {
  const emailOf = db.prepare<[Id], string>("SELECT email FROM member WHERE member_id = ?").pluck();
  const isNoOwner = db
    .prepare<[Id | null], number>("SELECT 1 FROM member WHERE member_id = ? AND role <> 'owner'")
    .pluck();
  const insert = db.prepare<NewEntry & ChainLink>(
    `INSERT INTO audit (kind, time_ms, boot, begun_ms, user_id, way, who, origin, details, position, hash, number)
     VALUES (@kind, @timeMs, @boot, @begunMs, @userId, @way, @who, @from, @details, @position, unhex(@hash), @number)`,
  );
  const repeat = db.prepare<NewEntry>(
    `UPDATE audit SET repeats = repeats + 1
      WHERE audit_id = (SELECT audit_id FROM audit WHERE kind = @kind AND user_id IS @userId AND position IS NULL
                         ORDER BY audit_id DESC LIMIT 1)
        AND way = @way AND who IS @who AND origin = @from AND details = @details AND boot = @boot
        AND begun_ms > @begunMs - ${REPEATED_WITHIN_MS}`,
  );
  /** Of an account's entries over the network of this kind the one after so many newer ones. */
  const entryAfter = (index: string, which: string) =>
    db.prepare<{ userId: Id; newer: number; who?: string }, BegunEntry>(
      `SELECT boot, begun_ms AS begunMs FROM audit INDEXED BY ${index}
        WHERE user_id = @userId AND way = 'network' AND ${which} ORDER BY audit_id DESC LIMIT 1 OFFSET @newer`,
    );
  const longAgo = entryAfter("audit_lasting", "position IS NOT NULL");
  const reportLongAgo = entryAfter("audit_by_kind", "kind = 'commissioned'");
  const passwordLongAgo = entryAfter("audit_by_kind", "kind = 'password_changed' AND who = @who");
  const trim = db.prepare<[number]>(
    `DELETE FROM audit WHERE audit_id IN (
       SELECT old.audit_id FROM (SELECT DISTINCT kind, user_id FROM audit WHERE position IS NULL) own
         JOIN audit old ON old.kind = own.kind AND old.user_id IS own.user_id
        WHERE old.position IS NULL AND old.audit_id <= (SELECT audit_id FROM audit newer WHERE newer.kind = own.kind AND newer.user_id IS own.user_id
                                  AND newer.position IS NULL ORDER BY audit_id DESC LIMIT 1 OFFSET ?))`,
  );
  /** Throws `too_many` where `first`, the oldest of an account's last so many entries, was made within a day. */
  function requireDayAgo(first: BegunEntry | undefined, made: string): void {
    const now = boots.now();
    if (now === undefined || first === undefined || first.boot !== now.boot) return;
    const waitMs = (first.begunMs ?? 0) + DAY_MS - now.monotonicMs;
    if (waitMs <= 0) return;
    throw new FlancoError("too_many", `This account has made ${made} within a day.`, {
      hint: "Each change is kept for ever. Wait, or have the technician make it by a command on the gateway.",
      retryAfterSeconds: Math.ceil(waitMs / SECOND_MS),
    });
  }

  return {
    /**
     * Adds an entry for what this command does, and gives its number; null for one that passes. `userId` is
     * the account that it is about; null is the appliance. Call it before its actor is removed.
     */
    note(kind: AuditKind, userId: Id | null, details: AuditDetails, actor: Actor): number | null {
      const now = boots.now();
      const row: NewEntry = {
        kind,
        timeMs: nowMs(),
        boot: now?.boot ?? null,
        begunMs: now?.monotonicMs ?? null,
        userId,
        way: actor.way,
        from: actor.from,
        who: actor.memberId === null ? null : (emailOf.get(actor.memberId) ?? null),
        details: JSON.stringify(details),
      };
      if (isLasting(kind)) {
        const number = chain.numbers.take("audit", userId);
        insert.run({
          ...row,
          number,
          ...chain.appendEvidence({ ...row, bootId: now?.bootId ?? null, number }),
        });
        return number;
      }
      if (repeat.run(row).changes > 0) return null;
      const auditId = Number(insert.run({ ...row, ...UNLINKED }).lastInsertRowid);
      if (auditId % TRIM_EVERY === 0) trim.run(KEPT_OF_EACH_KIND);
      return null;
    },

    /**
     * Throws `too_many` for an actor on the network whose account has
     * used up its lasting entries of a day. `more` are to be added.
     */
    requireFew(userId: Id, { way, memberId }: Actor, more = 1): void {
      if (way !== "network") return;
      const bound = LASTING_A_DAY - (isNoOwner.get(memberId) === undefined ? 0 : OF_OWNERS);
      requireDayAgo(longAgo.get({ userId, newer: bound - more }), `${bound} changes`);
    },

    /** The same for acceptance reports. */
    requireFewReports(userId: Id, { way }: Actor): void {
      if (way !== "network") return;
      requireDayAgo(
        reportLongAgo.get({ userId, newer: REPORTS_A_DAY - 1 }),
        `${REPORTS_A_DAY} acceptance reports`,
      );
    },

    /** The same for a member's changes of the own password. */
    requireFewPasswords({ userId, email }: Pick<Member, "userId" | "email">, { way }: Actor): void {
      if (way !== "network") return;
      const newer = PASSWORDS_A_DAY - 1;
      requireDayAgo(
        passwordLongAgo.get({ userId, newer, who: email }),
        `${PASSWORDS_A_DAY} changes of one password`,
      );
    },
  };
}

export type AuditLog = ReturnType<typeof auditLog>;

interface NewEntry extends Omit<EvidenceEntry, "position" | "bootId" | "number"> {
  readonly boot: number | null;
}

/** What an entry of the chain has beside what it says. */
interface ChainLink {
  readonly position: number | null;
  readonly hash: string | null;
  readonly number: number | null;
}

const UNLINKED: ChainLink = { position: null, hash: null, number: null };

type BegunEntry = Pick<NewEntry, "boot" | "begunMs">;

export function auditCommands(
  db: Database,
  { audit, chain }: { readonly audit: AuditLog; readonly chain: Chain },
) {
  const insert = storedInserter(db);
  return {
    linkEvidence(entries) {
      for (const entry of entries) insert(entry, chain);
    },
    noteAudit(notes) {
      for (const { kind, userId, details, actor } of notes) {
        if (userId !== null && isLasting(kind)) audit.requireFew(userId, actor);
        audit.note(kind, userId, details, actor);
      }
    },
  } satisfies Partial<LedgerCommands>;
}

/**
 * Adds a lasting entry to a draft, before it takes the ledger's
 * place, and gives the entry's number. It is not in the chain yet.
 */
export function appendAudit(
  db: Database,
  entry: Pick<AuditEntry, "kind" | "timeMs" | "details"> & { readonly actor: Actor },
): number {
  const { kind, timeMs, details, actor } = entry;
  const { lastInsertRowid } = db
    .prepare<[string, number, string, string, string]>(
      `INSERT INTO audit (kind, time_ms, way, origin, details) VALUES (?, ?, ?, ?, ?)`,
    )
    .run(kind, timeMs, actor.way, actor.from, JSON.stringify(details));
  return Number(lastInsertRowid);
}

/** Appends a stored entry to the chain of a draft. */
export function linkAudit(db: Database, auditId: number): void {
  const entry = db.prepare<[number], StoredAudit>(`${STORED} WHERE audit_id = ?`).get(auditId);
  if (entry !== undefined) storedInserter(db)(entry, new Chain(db));
}

/** Audit entries as the chain holds them. */
export type EvidenceRow = EvidenceEntry & { readonly hash: string };
export const SELECT_EVIDENCE = `SELECT position, kind, time_ms AS timeMs, boot_id AS bootId, begun_ms AS begunMs,
  user_id AS userId, way, who, origin AS "from", details, number, lower(hex(hash)) AS hash FROM audit LEFT JOIN boot USING (boot)`;

/**
 * Copies the entries that another ledger's log has beyond this one's, in one
 * transaction. Ledgers of one appliance begin alike, and their logs only grow.
 * Lasting entries are not in the chain yet. Throws where that log cannot be read.
 */
export function takeAudit(target: Database, source: Database): void {
  const newest = target.prepare<[], number | null>("SELECT max(audit_id) FROM audit").pluck().get() ?? 0;
  const rows = source
    .prepare<[number], StoredAudit>(`${STORED} WHERE audit_id > ? ORDER BY audit_id`)
    .all(newest);
  const insert = storedInserter(target);
  target.transaction(() => {
    for (const row of rows) insert(row, null);
  })();
}

/** Lasting entries that a restore has brought, and that are not in the chain yet. */
export function unlinkedEvidence(db: Database): readonly StoredAudit[] {
  return db
    .prepare<[], StoredAudit>(`${STORED} WHERE position IS NULL ORDER BY audit_id`)
    .all()
    .filter(({ kind }) => isLasting(kind));
}

function storedInserter(db: Database) {
  const insertBoot = db.prepare<StoredAudit>(
    `INSERT OR IGNORE INTO boot (boot, boot_id, zero_ms, last_ms) SELECT @boot, @bootId, @zeroMs, @lastMs WHERE @boot IS NOT NULL`,
  );
  const bootOf = db.prepare<[string | null], number>("SELECT boot FROM boot WHERE boot_id = ?").pluck();
  const insert = db.prepare<StoredAudit & ChainLink>(
    `INSERT OR REPLACE INTO audit (audit_id, kind, time_ms, boot, begun_ms, user_id, way, who, origin, details, repeats, position, hash, number)
     VALUES (@auditId, @kind, @timeMs, @boot, @begunMs, @userId, @way, @who, @from, @details, @repeats, @position,
             unhex(@hash), @number)`,
  );
  return (row: StoredAudit, chain: Pick<Chain, "appendEvidence" | "numbers"> | null): void => {
    insertBoot.run(row);
    const boot = bootOf.get(row.bootId) ?? null;
    const number = chain?.numbers.take("audit", row.userId) ?? null;
    const bootId = boot === null ? null : row.bootId;
    const link = number === null ? undefined : chain?.appendEvidence({ ...row, bootId, number });
    insert.run({ ...row, boot, ...(link === undefined ? UNLINKED : { ...link, number }) });
  };
}

const STORED = `
  SELECT audit_id AS auditId, kind, time_ms AS timeMs, boot, boot_id AS bootId, zero_ms AS zeroMs, last_ms AS lastMs,
         begun_ms AS begunMs, user_id AS userId, way, who, origin AS "from", details, repeats
    FROM audit LEFT JOIN boot USING (boot)`;
