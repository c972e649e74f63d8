import { statSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Command } from "commander";
import { type Company, companyOf, type RoleAccess } from "../central/company.ts";
import { type Connection, connect, parseAddress, passwordInPassFile } from "../central/database.ts";
import { FlancoError } from "../domain/error.ts";
import { writeDurably } from "../durable-file.ts";
import type { CliContext } from "./context.ts";
import type { Terminal } from "./terminal.ts";

const HELP = `
The company's database is PostgreSQL: docs/central.md. The password comes from the file that
PGPASSFILE names, as with psql.

`;
/** As it stands in examples. */
export const DATABASE = "--database postgresql://admin@db.example.org/company";

/** The options of every command on a company's database. */
export interface Access {
  readonly database: string;
  readonly company?: string;
}

/** A command that gives a role another password. */
export interface Handover extends Access {
  readonly out?: string;
}

/** The help behind a command's options. */
export function example(line: string): string {
  return `${HELP}Example:\n  ${line}`;
}

export function withDatabase(command: Command): Command {
  return command.requiredOption(
    "--database <url>",
    "postgresql://USER@HOST:PORT/DATABASE?sslrootcert=FILE, without the password",
  );
}

/** Runs on a connection of the administrator. */
export async function connected<T>(
  { environment }: CliContext,
  { database }: Access,
  run: (connection: Connection) => Promise<T>,
): Promise<T> {
  const file = environment["PGPASSFILE"] ?? join(homedir(), ".pgpass");
  const connection = await connect(parseAddress(database), passwordInPassFile(file));
  try {
    return await run(connection);
  } finally {
    await connection.close();
  }
}

/** Runs on the company that is meant. */
export function ofCompany<T>(
  context: CliContext,
  access: Access,
  run: (connection: Connection, company: Company) => Promise<T>,
): Promise<T> {
  return connected(context, access, async (connection) =>
    run(connection, await companyOf(connection, access.company)),
  );
}

/** Before anything is made: a password that cannot be written would be lost. */
export function requireNewFile({ out }: Handover): void {
  if (out === undefined || statSync(out, { throwIfNoEntry: false }) === undefined) return;
  throw new FlancoError("invalid", `There is a file ${out} already.`, { hint: "Name a new file." });
}

/** Shows the password of a role, or writes it to a file. */
export function handOver(
  terminal: Terminal,
  name: string,
  { role, password }: RoleAccess,
  { out }: Handover,
): void {
  terminal.out(`${name} signs in as ${role}.`);
  if (out === undefined) terminal.out(`Its password, which is shown once: ${password}`);
  else {
    writeDurably(out, `${password}\n`);
    terminal.out(`Its password is in ${out}.`);
  }
}
