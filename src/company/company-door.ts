import { existsSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { type CliContext, needed, optional } from "../cli/command.ts";
import { parseDatabaseAddress } from "../domain/database-address.ts";
import { FlancoError } from "../domain/error.ts";
import { type Connection, type ConnectionLimits, connect } from "../notify/database.ts";
import { writeDurably } from "../platform/durable-file.ts";
import { type Company, companyOf, type RoleAccess } from "./company.ts";
import { passwordInPassFile } from "./connection-pool.ts";

const HELP = `
The company's database is PostgreSQL: docs/central.md. The password comes from the file that
PGPASSFILE names, as with psql.

`;
/** The option as it stands in examples. */
export const DATABASE = "--database postgresql://admin@db.example.org/company";

/** The options of every command on a company's database. */
export interface Access {
  readonly database: string;
  readonly company?: string | undefined;
}

/** A command that gives a role another password. */
export interface Handover extends Access {
  readonly out?: string | undefined;
}

/** A command's example, which its help shows after the options. */
export function example(call: string): string {
  return `${HELP}Example:\n  flanco central ${call}`;
}

/** What every command on a company's database takes. */
export const ON_DATABASE = {
  database: needed(
    "--database <url>",
    "postgresql://USER@HOST:PORT/DATABASE?sslrootcert=FILE, without the password",
  ),
};
/** What every command on one company of the database takes. */
export const OF_COMPANY = {
  ...ON_DATABASE,
  company: optional("--company <name>", "the company; needed where the database has several"),
};

/** Runs something on a connection of the database's administrator. */
export async function connected<T>(
  { environment }: CliContext,
  { database }: Access,
  run: (connection: Connection) => Promise<T>,
  limits?: ConnectionLimits,
): Promise<T> {
  const file = environment["PGPASSFILE"] ?? join(homedir(), ".pgpass");
  if (!existsSync(file)) {
    throw new FlancoError("config", `There is no file ${file} with the database's password.`, {
      hint: "Write a line as psql reads it, HOST:PORT:DATABASE:USER:PASSWORD, with mode 600, and name the file by PGPASSFILE.",
    });
  }
  const connection = await connect(parseDatabaseAddress(database), passwordInPassFile(file), limits);
  await using closing = new AsyncDisposableStack();
  closing.defer(() => connection.close());
  return await run(connection);
}

/** Runs something on the company that the options name, or the only one. */
export function ofCompany<T>(
  context: CliContext,
  access: Access,
  run: (connection: Connection, company: Company) => Promise<T>,
  limits?: ConnectionLimits,
): Promise<T> {
  return connected(
    context,
    access,
    async (connection) => run(connection, await companyOf(connection, access.company)),
    limits,
  );
}

/** The option for writing a password to a file. */
export const OUT = optional("--out <file>", "a new file for the password, which is then not shown");

/** Gives a role a password, and shows it or writes it to a new file. */
export async function handOver(
  context: CliContext,
  options: Handover,
  name: string,
  give: (connection: Connection, company: Company) => Promise<RoleAccess>,
): Promise<void> {
  const { terminal } = context;
  const { out } = options;
  // Checked first: a password that cannot be written would be lost.
  if (out !== undefined && statSync(out, { throwIfNoEntry: false }) !== undefined) {
    throw new FlancoError("invalid", `There is a file ${out} already.`, { hint: "Name a new file." });
  }
  const { role, password } = await ofCompany(context, options, give);
  terminal.out(`${name} signs in as ${role}.`);
  if (out === undefined) terminal.out(`Its password, which is shown once: ${password}`);
  else {
    writeDurably(out, `${password}\n`);
    terminal.out(`Its password is in ${out}.`);
  }
}
