import { hash } from "node:crypto";
import { statSync } from "node:fs";
import { dirname } from "node:path";
import DatabaseConstructor, { type Database } from "better-sqlite3";
import { type Day, monthOf } from "../../domain/day.ts";
import { FlancoError } from "../../domain/error.ts";
import type { Id } from "../../domain/id.ts";
import type { OnSteps } from "../../platform/work.ts";
import { type RollupMark, readCommits, readHead } from "../engine/chain.ts";
import { MARK_NUMBERS } from "../engine/numbers.ts";
import { IS_NEAR_LIMIT } from "../engine/schema.ts";
import { requireRoom } from "../safety/file-copy.ts";
import type { LocalCalendar } from "./calendar.ts";

/** What a rollup needs of a record. */
export interface RollupEntry {
  readonly recordId: number;
  readonly userId: Id;
  readonly locationName: string;
  readonly deviceId: string;
  readonly valorMicros: number;
  /** 1, or 0 for a refund. */
  readonly sales: number;
  /** The day at which it counts. */
  readonly day: Day;
}

export type RollupPeriod = "day" | "month";

/** Records that the rollups may lack. Each read of sums adds them up. */
export const MAX_FRESH = 256;
/** Records that are added up in one step of a rebuild. */
const STEP = 20_000;

/** The rollups' period of a record. */
export const PERIOD_OF = { day: "day", month: "day / 100" } as const;

/** A common table expression: the records of `@userId` that count and are not in the rollups yet; `count` is 0 of a refund. */
export const FRESH = `fresh AS (
  SELECT location_name, device_id, day, refund_of IS NULL AS count, valor_micros AS total_micros FROM record NOT INDEXED
   WHERE record_id > (SELECT position FROM rolled_up) AND user_id = @userId AND voided_by IS NULL)`;

/**
 * The sums per day and month, with which a summary costs the same at any number
 * of records. They are written once for many records, because each write costs a
 * card several pages. A read of sums adds the records that are not in them yet.
 */
export class RollupWriter {
  readonly #move;
  readonly #rollUp;
  readonly #rolledUp;
  readonly #setRolledUp;
  readonly #isDue;

  constructor(db: Database) {
    this.#move = [prepareMove(db, "day"), prepareMove(db, "month")] as const;
    this.#rollUp = prepareRollUps(db);
    this.#rolledUp = db.prepare<[], number>("SELECT position FROM rolled_up").pluck();
    this.#setRolledUp = prepareSetRolledUp(db);
    this.#isDue = db
      .prepare<[number], number>(
        `SELECT ? - position >= ${MAX_FRESH} OR EXISTS (SELECT 1 FROM rollup_day WHERE ${IS_NEAR_LIMIT})
                OR EXISTS (SELECT 1 FROM rollup_month WHERE ${IS_NEAR_LIMIT}) FROM rolled_up`,
      )
      .pluck();
  }

  /**
   * Whether the records up to this entry must be rolled up in the running transaction: because they are
   * many, or because a sum is so large that a record which would make it leave 64 bits must be refused.
   */
  isDue(position: number): boolean {
    return this.#isDue.get(position) === 1;
  }

  /**
   * Adds the records up to an entry of the running transaction,
   * its newest. Throws `conflict` when a sum would leave 64 bits.
   */
  rollUp(to: RollupMark): void {
    const after = this.#rolledUp.get() ?? 0;
    for (const statement of this.#rollUp) orTooLarge(() => statement.run({ after, upTo: to.position }));
    this.#setRolledUp.run(to);
  }

  /** Adds a record to the sums of its day, or with -1 subtracts it. Throws `conflict` as `rollUp` does. */
  move(entry: RollupEntry, sign: 1 | -1): void {
    if (entry.recordId > (this.#rolledUp.get() ?? 0)) return;
    const [ofDay, ofMonth] = this.#move;
    orTooLarge(() => ofDay.run({ ...entry, sign, period: entry.day }));
    orTooLarge(() => ofMonth.run({ ...entry, sign, period: monthOf(entry.day) }));
  }
}

/** Computes the day of each record and every rollup again, in the caller's transaction. Gives how many days have changed. */
function rebuildRollups(db: Database, calendar: LocalCalendar, onProgress: OnSteps): number {
  db.function("local_day", { deterministic: true }, (timeMs: number) => calendar.dayOf(timeMs));
  db.exec("DELETE FROM rollup_day; DELETE FROM rollup_month; DELETE FROM number_mark");
  const setDays = db.prepare<{ readonly after: number; readonly upTo: number }>(
    `UPDATE record SET day = local_day(effective_ms)
      WHERE record_id > @after AND record_id <= @upTo AND day <> local_day(effective_ms)`,
  );
  const head = readHead(db);
  const commits = readCommits(db);
  const statements = prepareRollUps(db);
  let moved = 0;
  if (head.position > 0) onProgress(0, head.position);
  for (let after = 0; after < head.position; after += STEP) {
    const upTo = Math.min(after + STEP, head.position);
    moved += setDays.run({ after, upTo }).changes;
    for (const statement of statements) orTooLarge(() => statement.run({ after, upTo }));
    onProgress(upTo, head.position);
  }
  prepareSetRolledUp(db).run({ ...head, commits });
  return moved;
}

function prepareMove(db: Database, period: RollupPeriod) {
  return db.prepare<RollupEntry & { readonly sign: 1 | -1; readonly period: number }>(
    insertInto(
      period,
      "VALUES (@userId, @period, @locationName, @deviceId, @sign * @sales, @sign * @valorMicros)",
    ),
  );
}

/** What adds the records after one entry, up to another one. */
function prepareRollUps(db: Database) {
  const sums = (["day", "month"] as const).map((period) =>
    insertInto(
      period,
      `SELECT user_id, ${PERIOD_OF[period]} AS period, location_name, device_id, count(*) FILTER (WHERE refund_of IS NULL), sum(valor_micros) FROM record
        WHERE record_id > @after AND record_id <= @upTo AND voided_by IS NULL
        GROUP BY user_id, period, location_name, device_id`,
    ),
  );
  return [...sums, MARK_NUMBERS].map((sql) =>
    db.prepare<{ readonly after: number; readonly upTo: number }>(sql),
  );
}

function prepareSetRolledUp(db: Database) {
  return db.prepare<RollupMark>(
    "UPDATE rolled_up SET position = @position, hash = unhex(@hash), commits = @commits",
  );
}

function insertInto(period: RollupPeriod, rows: string): string {
  return `INSERT INTO rollup_${period} (user_id, ${period}, location_name, device_id, count, total_micros) ${rows}
     ON CONFLICT DO UPDATE SET count = count + excluded.count, total_micros = total_micros + excluded.total_micros`;
}

function orTooLarge(write: () => unknown): void {
  try {
    write();
  } catch (error) {
    // The CHECK of the sum has failed, or of its type: SQLite makes a float of a sum beyond 64 bits.
    if (error instanceof DatabaseConstructor.SqliteError && error.code.startsWith("SQLITE_CONSTRAINT")) {
      throw sumTooLarge(error);
    }
    throw error;
  }
}

/** The refusal of a sum that does not fit in 64 bits. */
function sumTooLarge(cause: unknown): FlancoError {
  return new FlancoError("conflict", "The sum of these records is larger than the ledger can hold exactly.", {
    hint: "A sum may be 9,000,000,000,000 at most: void records whose valor is wrong.",
    cause,
  });
}

/** The zone and its rules by which the rollups' days were computed. */
interface RollupDays {
  readonly timeZone: string;
  /** The version of the time-zone tables (`2026a`). It may change without a change of this zone. */
  readonly tables: string;
  /** A hash of the zone's changes of offset. */
  readonly rules: string;
}

/**
 * Computes the rollups again when their local days have changed, by another zone or by other rules
 * for this one. New time-zone tables that leave the zone as it was only change the stored version.
 * @param onMoved called in the same transaction, with the zone before and how many records changed their day
 */
export function bringRollupsToZone(
  db: Database,
  calendar: LocalCalendar,
  onProgress: OnSteps,
  onMoved: (from: string, records: number) => void = () => {},
): void {
  const { timeZone } = calendar;
  const tables = process.versions["tz"] ?? "";
  const stored = readDays(db);
  if (stored?.timeZone === timeZone && stored.tables === tables) return;
  const rules = rulesOf(calendar);
  const isSame = stored?.timeZone === timeZone && stored.rules === rules;
  // The log takes each page with a record whose day changes.
  if (!isSame) requireRoom(dirname(db.name), statSync(db.name).size, "add up all records again");
  db.transaction(() => {
    const moved = isSame ? 0 : rebuildRollups(db, calendar, onProgress);
    if (stored !== undefined && (stored.timeZone !== timeZone || moved > 0)) onMoved(stored.timeZone, moved);
    db.prepare(
      `INSERT INTO setting (name, value) VALUES ('rollup_zone', ?)
       ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
    ).run([timeZone, tables, rules].join(" "));
  }).immediate();
}

/** The zone of the rollups' days, which may not be the configured one. */
export function rollupZone(db: Database): string {
  return readDays(db)?.timeZone ?? "UTC";
}

function readDays(db: Database): RollupDays | undefined {
  const stored = db.prepare<[], string>("SELECT value FROM setting WHERE name = 'rollup_zone'").pluck().get();
  const [timeZone = "", tables = "", rules = ""] = stored?.split(" ") ?? [];
  return stored === undefined ? undefined : { timeZone, tables, rules };
}

function rulesOf(calendar: LocalCalendar): string {
  return hash("sha256", JSON.stringify(calendar.offsetChanges()), "hex");
}
