import { hash } from "node:crypto";
import type { Database } from "better-sqlite3";
import { valorFromMicros } from "../../domain/amount.ts";
import type { AuditDetails, AuditKind } from "../../domain/audit.ts";
import type { EvidenceEntry } from "../../domain/chain-entry.ts";
import { orNothing } from "../../domain/error.ts";
import type { Id } from "../../domain/id.ts";

/**
 * `missing`: entries that are gone, and nothing says why; `lost`: gone with a damaged file, as the ledger
 * itself says. `inserted`: an entry whose number was taken. `altered`: an entry that is not as it was
 * written. `contradiction`: a correction that contradicts the record that it corrects. `sum`: a rollup that
 * does not follow from the records. `rewritten`: an entry that differs from the one in a proved backup.
 * `restored`: a restore took sales away. `zone`: another time zone moved sales to other days.
 */
export type FindingKind =
  | "missing"
  | "lost"
  | "inserted"
  | "altered"
  | "contradiction"
  | "sum"
  | "rewritten"
  | ToldKind;

/** Findings of which an audit entry tells. */
export type ToldKind = "restored" | "zone";

/** The sales that a finding is about; for a sum the difference, negative where the sum is too small. */
export interface Cost {
  /** E-mail of the account, or its id where it was removed; null for all accounts together. */
  readonly account: string | null;
  readonly sales: number;
  /** In units of the currency. */
  readonly revenue: number;
}

/** Something in the ledger that a person must see to. */
export interface Finding {
  readonly kind: FindingKind;
  /** The entries that it is about, both included; 0 for a sum. */
  readonly from: number;
  readonly to: number;
  /** A sentence. */
  readonly what: string;
  /** Empty where no sale is concerned; null where the sales are not known. */
  readonly costs: readonly Cost[] | null;
  /** Identifies this finding at every check. An acknowledgement lists these keys. */
  readonly key: string;
  readonly acknowledged: boolean;
}

/** A finding as a check reports it. `mark` is what was found there: another mark there is another finding. */
export interface NewFinding extends Omit<Finding, "key" | "acknowledged"> {
  readonly mark: string;
}

/** The most findings that are listed; further ones are counted. */
const MAX_FINDINGS = 200;
const KEY_DIGITS = 12;
/** Between the keys of an acknowledgement. */
const SEPARATOR = ", ";

/** What an audit entry tells that changed totals. */
export interface ToldChange {
  readonly kind: ToldKind;
  /** When it was, in Unix milliseconds. */
  readonly timeMs: number;
  readonly details: AuditDetails;
}

/** The change of totals that an audit entry tells of; undefined where it tells of none. */
export function toldBy(entry: Pick<EvidenceEntry, "timeMs" | "details"> & { readonly kind: string }) {
  const kind = TOLD.get(entry.kind);
  if (kind === undefined) return undefined;
  const details: AuditDetails = orNothing(() => Object(JSON.parse(entry.details))) ?? {};
  const { sales = 0, voids = 0 } = details;
  const told: ToldChange = { kind, timeMs: entry.timeMs, details };
  return sales === 0 && voids === 0 ? undefined : told;
}

/** Its key, without its number: a restore gives the entries that it takes over other ones. */
export function keyOfTold({ kind, timeMs, details }: ToldChange): string {
  return `${kind} ${digestOf(`${timeMs} ${JSON.stringify(details)}`)}`;
}

function digestOf(mark: string): string {
  return hash("sha256", mark).slice(0, KEY_DIGITS);
}

const TOLD: ReadonlyMap<string, ToldKind> = new Map<AuditKind, ToldKind>([
  ["ledger_restored", "restored"],
  ["time_zone_changed", "zone"],
]);

/** The sentence of such a finding, and what it costs. */
function sayTold({ kind, details }: ToldChange): Pick<Finding, "what" | "costs"> {
  const { from, to, sales = 0, voids = 0, since, until, backup, revenue } = details;
  if (kind === "zone") {
    return { what: `Another time zone, ${to} for ${from}, moved ${sales} sales to other days.`, costs: [] };
  }
  if (typeof sales !== "number") {
    return { what: `The backup ${backup} was restored over a ledger that could not be read.`, costs: null };
  }
  const span = sales === 0 ? "" : `, from ${since} to ${until}`;
  const again = voids === 0 ? "" : ` and ${voids} voids, whose records count again`;
  return {
    what: `The restored backup ${backup} lacks ${sales} sales of the ledger that it replaced${span}${again}.`,
    costs: [{ account: null, sales, revenue: Number(revenue ?? 0) }],
  };
}

/** The findings of one check. */
export class Findings {
  readonly #db: Database;
  readonly #acknowledged = new Set<string>();
  readonly found: Finding[] = [];
  /** How many further findings there are. */
  unlisted = 0;

  constructor(db: Database) {
    this.#db = db;
    const acknowledgements = db
      .prepare<[], string>(
        `SELECT coalesce(CAST(details ->> '$.findings' AS TEXT), '') FROM audit
          WHERE kind = 'findings_acknowledged' AND position IS NOT NULL AND json_valid(details)`,
      )
      .pluck();
    for (const keys of acknowledgements.all()) {
      for (const key of splitKeys(keys)) this.#acknowledged.add(key);
    }
  }

  add({ mark, ...finding }: NewFinding): void {
    const key = `${finding.kind} ${finding.from}-${finding.to} ${digestOf(mark)}`;
    this.#list(finding, key);
  }

  /** Adds what an audit entry tells. */
  addTold(told: ToldChange, position: number): void {
    this.#list({ kind: told.kind, from: position, to: position, ...sayTold(told) }, keyOfTold(told));
  }

  #list(finding: Omit<NewFinding, "mark">, key: string): void {
    const acknowledged = this.#acknowledged.has(key);
    if (this.found.length < MAX_FINDINGS || acknowledged) this.found.push({ ...finding, key, acknowledged });
    else this.unlisted += 1;
  }

  /**
   * Adds a finding about one entry. `what` completes the sentence "The entry 7".
   * `record` is the record of the sale that it concerns; null where it concerns none.
   */
  addOf(
    kind: FindingKind,
    position: number,
    mark: string,
    what: string,
    record: number | null = position,
  ): void {
    const costs = this.#db
      .prepare<[number | null], { userId: Id; valorMicros: number }>(
        "SELECT user_id AS userId, valor_micros AS valorMicros FROM record WHERE record_id = ?",
      )
      .all(record)
      .map(({ userId, valorMicros }) => this.costOf(userId, 1, BigInt(valorMicros)));
    const place = { from: position, to: position };
    this.add({ kind, ...place, mark, what: `The entry ${position} ${what}.`, costs });
  }

  costOf(userId: Id | null, sales: number, micros: bigint): Cost {
    const email = this.#db
      .prepare<[Id | null], string>("SELECT email FROM member WHERE user_id = ? ORDER BY member_id LIMIT 1")
      .pluck();
    const account = userId === null ? null : (email.get(userId) ?? userId);
    return { account, sales, revenue: valorFromMicros(micros) };
  }
}

export function joinedKeys(findings: readonly Pick<Finding, "key">[]): string {
  return findings.map(({ key }) => key).join(SEPARATOR);
}

export function splitKeys(keys: string): readonly string[] {
  return keys.split(SEPARATOR);
}
