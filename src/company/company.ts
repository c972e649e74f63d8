import { createHmac, hash, pbkdf2Sync, randomBytes } from "node:crypto";
import { gatewayReport } from "../contract/clinic.ts";
import { FlancoError } from "../domain/error.ts";
import { shownText } from "../domain/text.ts";
import { CENTRAL_SCHEMA } from "../notify/central-sink.ts";
import type { Connection } from "../notify/database.ts";
import { type Clinic, inTurns, type WatchedClinic, watch } from "./clinic.ts";
import { SCHEMA_SQL, upgradeSql } from "./schema.ts";

const PASSWORD_BYTES = 24;
const SALT_BYTES = 16;
const SCRAM_ROUNDS = 4_096;
const SCRAM_BYTES = 32;
/** The form of a gateway's name, which is a part of its role's name. */
const CLINIC_NAME = /^[a-z0-9][a-z0-9_-]{0,39}$/;
const ROLE_NAME = /^[a-z0-9][a-z0-9_-]{0,59}$/;

export interface Company {
  readonly company: number;
  readonly name: string;
  readonly timeZone: string;
}

/**
 * Makes the schema, if it is missing, and the company in
 * it. Rejects with `conflict` where that company exists.
 */
export async function initialise(
  connection: Connection,
  name: string,
  timeZone: string,
  currency = "EUR",
): Promise<void> {
  if ((await schemaVersion(connection)) === null) await connection.query(`BEGIN;${SCHEMA_SQL};COMMIT`);
  await requireSchema(connection);
  await requireZone(connection, timeZone);
  const made = await connection.query(
    `INSERT INTO flanco.company (company, name, time_zone, currency)
     SELECT coalesce(max(company), 0) + 1, @name, @timeZone, @currency FROM flanco.company
      ON CONFLICT (name) DO NOTHING RETURNING company`,
    { name, timeZone, currency },
  );
  if (made.length === 0) throw new FlancoError("conflict", `The company ${name} is in the database already.`);
}

/**
 * Brings an older schema up to date, in one transaction. Gives the version that it had.
 * Gateways of that version and of this one may go on sending meanwhile and after it.
 */
export async function upgrade(connection: Connection): Promise<number> {
  const version = await schemaVersion(connection);
  const sql = version === null ? undefined : upgradeSql(version);
  // Also says why there is nothing to do, where the schema is missing or newer.
  if (version === null || sql === undefined) await requireSchema(connection);
  else await connection.query(`BEGIN;${sql};COMMIT`);
  return version ?? CENTRAL_SCHEMA;
}

/** Null where the database has no schema of flanco. */
async function schemaVersion(connection: Connection): Promise<number | null> {
  const [{ is } = { is: false }] = await connection.query<{ is: boolean }>(
    "SELECT to_regclass('flanco.version') IS NOT NULL AS is",
  );
  if (!is) return null;
  const [row] = await connection.query<{ version: number }>("SELECT version FROM flanco.version");
  return row?.version ?? 0;
}

/** Throws where the schema is missing or of another version. */
async function requireSchema(connection: Connection): Promise<void> {
  const version = await schemaVersion(connection);
  if (version === CENTRAL_SCHEMA) return;
  throw version === null
    ? new FlancoError("not_found", "The database has no schema of flanco.", {
        hint: "Make it with flanco central init.",
      })
    : new FlancoError(
        "too_new",
        `The database has schema ${version}; this program knows ${CENTRAL_SCHEMA}.`,
        {
          hint: "Bring the older side up to date: flanco itself, or the database by flanco central upgrade.",
        },
      );
}

async function requireZone(connection: Connection, timeZone: string): Promise<void> {
  const found = await connection.query("SELECT FROM pg_timezone_names WHERE name = @timeZone", { timeZone });
  if (found.length > 0) return;
  throw new FlancoError("invalid", `The database knows no time zone ${timeZone.slice(0, 60)}.`, {
    hint: "For example Europe/Madrid.",
  });
}

/** The company of that name, or the only one. */
export async function companyOf(connection: Connection, name: string | undefined): Promise<Company> {
  await requireSchema(connection);
  const [company, other] = await connection.query<Company>(
    `SELECT company, name, time_zone AS "timeZone" FROM flanco.company WHERE @name::text IS NULL OR name = @name
      ORDER BY company LIMIT 2`,
    { name: name ?? null },
  );
  if (company !== undefined && other === undefined) return company;
  throw company === undefined
    ? new FlancoError("not_found", "There is no such company in the database.", {
        hint: "flanco central init makes one.",
      })
    : new FlancoError("invalid", "The database has several companies.", {
        hint: "Choose one with --company.",
      });
}

/** A role of the database and its password, which is stored nowhere. */
export interface RoleAccess {
  readonly role: string;
  readonly password: string;
}

/** Adds a gateway with a role that may append to its own chain, and nothing else. */
export async function addGateway(
  connection: Connection,
  { company, timeZone }: Company,
  name: string,
  zone = timeZone,
): Promise<RoleAccess> {
  if (!CLINIC_NAME.test(name)) {
    throw new FlancoError("invalid", "A gateway's name has up to 40 lower-case letters, digits, - and _.", {
      hint: "For example malaga-1.",
    });
  }
  await requireZone(connection, zone);
  await requireFreeRole(connection, `flanco_${name}`);
  const known = await connection.query(
    "SELECT FROM flanco.gateway WHERE company = @company AND name = @name",
    {
      company,
      name,
    },
  );
  if (known.length > 0) {
    throw new FlancoError("conflict", `The company has a gateway ${name} already, whose role is missing.`, {
      hint: "flanco central gateway password makes the role anew.",
    });
  }
  const password = newPassword();
  const [row] = await connection.query<{ role: string }>(
    "SELECT flanco.add_gateway(@company, @name, @zone, @verifier) AS role",
    { company, name, zone, verifier: verifierOf(password) },
  );
  if (row === undefined) throw new FlancoError("internal", "The database made no role.");
  return { role: row.role, password };
}

/** A gateway's sales count by the days of another zone, also those that are there: they are added up again. */
export async function setZone(
  connection: Connection,
  company: Company,
  name: string,
  zone: string,
): Promise<void> {
  await clinicOf(connection, company, name);
  await requireZone(connection, zone);
  await connection.query(
    "SELECT flanco.set_zone(company, gateway, @zone) FROM flanco.gateway WHERE company = @company AND name = @name",
    { company: company.company, name, zone },
  );
}

/**
 * Gives a gateway another password in place of its old one, whose connections end. Makes its
 * role anew where it is missing: a database that comes back on another server has none.
 */
export async function renewPassword(
  connection: Connection,
  company: Company,
  name: string,
): Promise<RoleAccess> {
  const { role } = await clinicOf(connection, company, name);
  const password = newPassword();
  await connection.query("SELECT flanco.let_in(@role, @verifier)", {
    role,
    verifier: verifierOf(password),
  });
  return { role, password };
}

/**
 * Makes the role of the company's page, which reads all of the company and writes its members
 * and sessions. Where the role exists, gives it another password in place of its old one.
 */
export async function pageAccess(
  connection: Connection,
  { company }: Company,
  role: string,
): Promise<RoleAccess> {
  const [has] = await connection.query<{ role: string | null }>(
    "SELECT page_role AS role FROM flanco.company WHERE company = @company",
    { company },
  );
  const own = has?.role ?? null;
  if (own === null) await requireFreeRole(connection, role);
  const password = newPassword();
  await connection.query("SELECT flanco.set_page_role(@company, @role, @verifier)", {
    company,
    role,
    verifier: verifierOf(password),
  });
  return { role: own ?? role, password };
}

/** Throws `config` where the connection's role is not that of a company's page. */
export async function requirePageRole(connection: Connection): Promise<void> {
  await requireSchema(connection);
  const [row] = await connection.query<{ is: boolean }>("SELECT flanco.company_of_page() IS NOT NULL AS is");
  if (row?.is === true) return;
  throw new FlancoError("config", "The role of central_database is not that of a company's page.", {
    hint: "flanco central page makes it: it may read, and change members alone.",
  });
}

async function requireFreeRole(connection: Connection, role: string): Promise<void> {
  if (!ROLE_NAME.test(role)) {
    throw new FlancoError("invalid", "A role's name has up to 60 lower-case letters, digits, - and _.");
  }
  const known = await connection.query("SELECT FROM pg_roles WHERE rolname = @role", { role });
  if (known.length > 0) throw new FlancoError("conflict", `There is a role ${role} already.`);
}

function newPassword(): string {
  return randomBytes(PASSWORD_BYTES).toString("base64url");
}

/**
 * What PostgreSQL stores in place of a password (RFC 5803),
 * so that the password itself is never in the database's log.
 */
function verifierOf(password: string): string {
  const salt = randomBytes(SALT_BYTES);
  const salted = pbkdf2Sync(password, salt, SCRAM_ROUNDS, SCRAM_BYTES, "sha256");
  const keyed = (text: string) => createHmac("sha256", salted).update(text).digest();
  const storedKey = hash("sha256", keyed("Client Key"), "base64");
  const serverKey = keyed("Server Key").toString("base64");
  return `SCRAM-SHA-256$${SCRAM_ROUNDS}:${salt.toString("base64")}$${storedKey}:${serverKey}`;
}

/** Every gateway of a company, by name, with how it fares, and the database's time in Unix milliseconds. */
export async function clinics(
  connection: Connection,
  { company }: Company,
): Promise<{ readonly clinics: readonly WatchedClinic[]; readonly nowMs: number }> {
  // 64-bit numbers would come as texts.
  const rows = await connection.query<Omit<Clinic, "report"> & { report: unknown }>(
    `SELECT g.name, g.time_zone AS "timeZone", g.role, g.seen_ms::float8 AS "seenMs", g.position::float8, g.newest::float8,
            f.position::float8 AS "forkedAt", coalesce(f.newest - f.position + 1, 0)::float8 AS withheld,
            (SELECT coalesce(sum(h.last - h.first + 1), 0)::float8 FROM flanco.hole h WHERE h.company = g.company
                AND h.gateway = g.gateway AND h.told_by IS NULL) AS untold,
            g.clock_off_ms::float8 AS "clockOffMs", g.own_zone AS "ownZone", g.own_currency AS "ownCurrency", c.currency,
            g.report, g.version_ms::float8 AS "versionMs"
       FROM flanco.gateway g JOIN flanco.company c USING (company) LEFT JOIN LATERAL (
              SELECT f.position, f.newest FROM flanco.fork f WHERE f.company = g.company AND f.gateway = g.gateway
                 AND f.branch IS NULL ORDER BY f.last_ms DESC LIMIT 1) f ON true
      WHERE g.company = @company ORDER BY g.name`,
    { company },
  );
  const [{ nowMs } = { nowMs: 0 }] = await connection.query<{ nowMs: number }>(
    `SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::float8 AS "nowMs"`,
  );
  const found = await inTurns(rows, (row) => ({
    ...row,
    ownZone: row.ownZone && shownText(row.ownZone),
    ownCurrency: row.ownCurrency && shownText(row.ownCurrency),
    // What makes no sense is as if it were missing: the rest of the list must still be read.
    report: gatewayReport.safeParse(row.report, { jitless: true }).data ?? null,
  }));
  return { nowMs, clinics: watch(found, nowMs) };
}

/** What the company decides of a ledger that differs from the one in its database. */
export type ForkDecision = "accept" | "dismiss" | "undo";

const DECISIONS: Readonly<Record<ForkDecision, { readonly sql: string; readonly none: string }>> = {
  accept: { sql: "flanco.accept_fork(company, gateway)", none: "has no fork to accept" },
  dismiss: { sql: "flanco.dismiss_fork(company, gateway)", none: "has no fork to dismiss" },
  undo: { sql: "flanco.undo_accept(company, gateway)", none: "has no fork that was accepted" },
};

/**
 * `accept` lets the ledger continue from the entry at which it differs, so that the sales of both
 * count; `undo` takes that back, with what has come since; `dismiss` forgets the ledger until it
 * calls again. Gives that entry. Rejects with `not_found` where there is nothing to decide.
 */
export async function decideFork(
  connection: Connection,
  company: Company,
  name: string,
  decision: ForkDecision,
): Promise<number> {
  await clinicOf(connection, company, name);
  const { sql, none } = DECISIONS[decision];
  const [row] = await connection.query<{ position: string | null }>(
    `SELECT ${sql} AS position FROM flanco.gateway WHERE company = @company AND name = @name`,
    { company: company.company, name },
  );
  if (row?.position != null) return Number(row.position);
  throw new FlancoError("not_found", `The gateway ${name} ${none}.`, {
    hint: "A fork ends by itself once the ledger that the database knows goes on. flanco central gateway list shows which have one.",
  });
}

async function clinicOf(connection: Connection, company: Company, name: string): Promise<Clinic> {
  const found = (await clinics(connection, company)).clinics.find((clinic) => clinic.name === name);
  if (found !== undefined) return found;
  throw new FlancoError("not_found", `The company has no gateway ${name.slice(0, 60)}.`, {
    hint: "flanco central gateway list shows them.",
  });
}
