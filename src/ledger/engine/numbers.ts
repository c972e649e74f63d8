import type { Database } from "better-sqlite3";
import type { Id } from "../../domain/id.ts";

/** An account's records; its lasting audit entries, or with null the appliance's. */
type Series = "record" | "audit";

interface NumberedEntry {
  readonly number: number;
  readonly position: number;
}

/** The first number that a commit gives in each series, for the tail. */
export type FirstNumbers = Readonly<Record<string, number>>;

/**
 * The mark of each account's newest record in each such stretch of positions. With a mark for each record
 * each commit would write a third page; from the next mark a record is found within the stretch.
 */
const STRETCH = 256;

/** Marks the accounts' newest records among those that are rolled up, in the same transaction. */
export const MARK_NUMBERS = `INSERT INTO number_mark (user_id, number, record_id)
  SELECT user_id, max(number), max(record_id) FROM record WHERE record_id > @after AND record_id <= @upTo
   GROUP BY user_id, record_id / ${STRETCH}`;

/** Finds the entry of an account's record by its number. */
export function recordByNumber(db: Database) {
  return db
    .prepare<{ readonly userId: Id; readonly number: number }, number>(
      `WITH mark AS (SELECT record_id FROM number_mark WHERE user_id = @userId AND number >= @number ORDER BY number LIMIT 1)
       SELECT record_id FROM record NOT INDEXED
        WHERE record_id > coalesce((SELECT record_id - ${STRETCH} FROM mark), (SELECT position FROM rolled_up))
          AND record_id <= coalesce((SELECT record_id FROM mark), ${Number.MAX_SAFE_INTEGER})
          AND user_id = @userId AND number = @number`,
    )
    .pluck();
}

/**
 * Numbers an account's records and its lasting audit entries, each from 1 without a hole. Numbers that
 * may have been given to lost entries are not given again: those of an account go on as if all
 * entries that are lost since its newest one had been its own.
 */
export class Numbers {
  readonly #newest;
  readonly #lostSince;
  /** The next number of each series that this thread has used. */
  readonly #next = new Map<string, number>();
  readonly #first = new Map<string, number>();

  constructor(db: Database) {
    this.#newest = {
      record: db.prepare<{ readonly userId: Id | null }, NumberedEntry>(
        `SELECT * FROM (SELECT number, record_id AS position FROM record NOT INDEXED
                         WHERE record_id > (SELECT position FROM rolled_up) AND user_id = @userId ORDER BY record_id DESC LIMIT 1)
         UNION ALL SELECT * FROM (SELECT number, record_id FROM number_mark WHERE user_id = @userId ORDER BY number DESC LIMIT 1)
         ORDER BY number DESC LIMIT 1`,
      ),
      audit: db.prepare<{ readonly userId: Id | null }, NumberedEntry>(
        `SELECT number, position FROM audit WHERE user_id IS @userId AND number IS NOT NULL
          ORDER BY number DESC LIMIT 1`,
      ),
    };
    this.#lostSince = db
      .prepare<[number], number>(
        "SELECT coalesce(sum(lost_to - lost_from + 1), 0) FROM correction WHERE kind = 'lost' AND lost_from > ?",
      )
      .pluck();
  }

  /** Gives the next number. The entry must be inserted in the same transaction. */
  take(series: Series, userId: Id | null): number {
    const key = `${series} ${userId ?? ""}`;
    const number = this.#next.get(key) ?? this.#afterNewest(series, userId);
    this.#next.set(key, number + 1);
    if (!this.#first.has(key)) this.#first.set(key, number);
    return number;
  }

  /** A command was rolled back: what it has taken is free again. */
  forget(): void {
    this.#next.clear();
  }

  /** The first numbers of this transaction. Call it at each end of one. */
  takeFirst(): FirstNumbers {
    const first = Object.fromEntries(this.#first);
    this.#first.clear();
    return first;
  }

  /** Gives the numbers from these on: those of a commit that is made again, of which earlier ones may be lost. */
  goOnFrom(first: FirstNumbers): void {
    this.forget();
    for (const [key, number] of Object.entries(first)) this.#next.set(key, number);
  }

  #afterNewest(series: Series, userId: Id | null): number {
    const { number, position } = this.#newest[series].get({ userId }) ?? { number: 0, position: 0 };
    return number + (this.#lostSince.get(position) ?? 0) + 1;
  }
}
