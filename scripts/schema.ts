import { writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import * as z from "zod";
import { MIGRATIONS } from "../src/ledger/engine/schema.ts";

/** The page that `npm run reference` writes. */
export const SCHEMA_PAGE = join(import.meta.dirname, "..", "docs", "schema.md");

const HEAD = `# The ledger's schema

\`npm run reference\` draws this page from \`src/ledger/engine/schema.ts\`, whose comments say what a column holds, and a test holds it to that.
What outlives the thing that it is about refers to nothing: \`user_id\`, \`device_id\` and \`line\` of records, gaps, tests and audit entries.
`;
const BELOW = `
The picture has the tables that refer to another one, without \`boot\`, to which nearly all refer that keep a time. In the list of all tables the
primary key is **bold**, and an arrow leads to the table that a column refers to.
`;
/** Drawn, its lines would cover the others. */
const NOT_DRAWN = "boot";

const tableSchema = z.array(z.object({ name: z.string() }));
const columnSchema = z.array(z.object({ name: z.string(), type: z.string(), pk: z.number() }));
const keySchema = z.array(z.object({ id: z.number(), table: z.string(), from: z.string() }));

interface Table {
  readonly name: string;
  readonly columns: z.infer<typeof columnSchema>;
  /** A row for each column of each foreign key. */
  readonly references: z.infer<typeof keySchema>;
}

/** docs/schema.md: what refers to what, and every table with its columns. */
export function schemaPage(): string {
  const tables = readTables();
  const drawn = tables.flatMap(drawnReferences).map((line) => `  ${line}`);
  const picture = ["```mermaid", "erDiagram", ...drawn, "```"];
  const rows = tables.map(({ name, ...table }) => `| \`${name}\` | ${columnsOf(table)} |`);
  return [HEAD, ...picture, BELOW, "| table | columns |", "|---|---|", ...rows, ""].join("\n");
}

/** The tables of an empty ledger, by name. */
function readTables(): readonly Table[] {
  const db = new Database(":memory:");
  try {
    for (const { sql, convert } of MIGRATIONS) {
      db.exec(sql);
      convert?.(db, () => {});
    }
    const named =
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name";
    return tableSchema.parse(db.prepare(named).all()).map(({ name }) => ({
      name,
      columns: columnSchema.parse(db.pragma(`table_info(${name})`)),
      references: keySchema.parse(db.pragma(`foreign_key_list(${name})`)),
    }));
  } finally {
    db.close();
  }
}

/** A line for each foreign key, whatever the number of its columns. */
function drawnReferences({ name, references }: Table): string[] {
  const keys = Map.groupBy(references, ({ id }) => id);
  return [...keys.values()]
    .filter(([key]) => key?.table !== NOT_DRAWN)
    .map((key) => `${key[0]?.table} ||--o{ ${name} : "${key.map(({ from }) => from).join(", ")}"`);
}

function columnsOf({ columns, references }: Omit<Table, "name">): string {
  return columns
    .map(({ name, pk }) => {
      const to = references.find(({ from }) => from === name)?.table;
      return `${pk > 0 ? `**${name}**` : name}${to === undefined ? "" : ` → \`${to}\``}`;
    })
    .join(", ");
}

if (import.meta.main) writeFileSync(SCHEMA_PAGE, schemaPage());
