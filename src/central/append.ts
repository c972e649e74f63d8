import type { Connection } from "./database.ts";
import { CENTRAL_SCHEMA } from "./schema.ts";

/** What the database needs of an entry of the chain. */
export interface SentEntry {
  readonly position: number;
  readonly hash: string;
  readonly previousHash: string | null;
  readonly text: string;
}

export interface SentBatch {
  /** The ledger's identity. */
  readonly ledger: string;
  /** The entry after which these come: nothing of the ledger is in between. */
  readonly after: number;
  readonly entries: readonly SentEntry[];
  /** The ledger's newest entry. */
  readonly newest: number;
}

/** What the database did with a batch, after its commit: see `append` in schema.ts. */
export interface Appended {
  readonly outcome: "taken" | "behind" | "back" | "fork" | "broken";
  readonly head: { readonly position: number; readonly hash: string };
  /** By how much this machine's clock is ahead of the database's. */
  readonly clockOffMs: number;
}

/**
 * Gives the database entries of the ledger whose gateway the connection's role is, or null: the gateway is there, and has
 * nothing to send. Resolves after the commit. May be repeated.
 */
export async function append(
  connection: Connection,
  batch: SentBatch | null,
  nowMs: number,
): Promise<Appended> {
  const entries = batch?.entries ?? [];
  const [row] = await connection.query<{
    outcome: Appended["outcome"];
    head: string;
    head_hash: string;
    clock_off_ms: string;
  }>("SELECT * FROM flanco.append($1, $2, $3, $4, $5, $6, $7, $8)", [
    CENTRAL_SCHEMA,
    batch?.ledger ?? null,
    batch?.after ?? null,
    entries[0]?.previousHash ?? null,
    batch?.newest ?? null,
    nowMs,
    entries.map(({ hash }) => hash),
    entries.map(({ text }) => text),
  ]);
  if (row === undefined) throw new Error("append gave no row");
  return {
    outcome: row.outcome,
    head: { position: Number(row.head), hash: row.head_hash },
    clockOffMs: Number(row.clock_off_ms),
  };
}
