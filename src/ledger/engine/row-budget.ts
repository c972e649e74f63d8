import type { Database } from "better-sqlite3";
import type { Id } from "../../domain/id.ts";

/** Ranges as the statements take them. */
export type Bounds = Readonly<Record<string, number>>;

/** The rollups of the ranges that a statement takes. */
export const SPANS = ["month", "month", "day", "day"] as const;

/** The read would visit more rows than its connection allows. */
export class TooManyRows extends Error {}

/** To parse so many bytes of JSON takes as long as to visit a row. */
const BYTES_OF_ROW = 160;

/** How many rows a read may visit. They are counted before they are visited. */
export class RowBudget {
  readonly #rows: number;
  readonly #rollups: { get(asked: object): number | undefined };
  readonly #records: { get(asked: object): number | undefined };
  #left: number;

  /** @param rows without it there is no bound, and nothing is counted */
  constructor(db: Database, rows: number = Number.POSITIVE_INFINITY) {
    this.#rows = rows;
    this.#left = rows;
    const parts = SPANS.map(
      (period, index) =>
        `(SELECT count(*) FROM (SELECT 1 FROM rollup_${period} WHERE user_id = @userId
             AND ${period} BETWEEN @from${index} AND @to${index} LIMIT @limit))`,
    );
    this.#rollups = db.prepare<[object], number>(`SELECT ${parts.join(" + ")}`).pluck();
    this.#records = db
      .prepare<[object], number>(
        `SELECT count(*) FROM (SELECT 1 FROM record INDEXED BY record_by_time
          WHERE user_id = @userId AND effective_ms >= @fromMs AND effective_ms < @untilMs LIMIT @limit)`,
      )
      .pluck();
  }

  /** Call when another read begins. */
  renew(): void {
    this.#left = this.#rows;
  }

  /** Spends the rollups of these periods. Throws TooManyRows. */
  spendRollups(userId: Id, bounds: Bounds): void {
    this.#spend(this.#rollups, { userId, ...bounds });
  }

  /** Spends the records from `fromMs` to before `untilMs`. Throws TooManyRows. */
  spendRecords(userId: Id, fromMs: number, untilMs: number): void {
    this.#spend(this.#records, { userId, fromMs, untilMs });
  }

  /** Spends so many bytes of JSON. Throws TooManyRows. */
  spendBytes(bytes: number): void {
    this.#take(Math.ceil(bytes / BYTES_OF_ROW));
  }

  #spend(statement: { get(asked: object): number | undefined }, asked: object): void {
    if (this.#rows === Number.POSITIVE_INFINITY) return;
    this.#take(statement.get({ ...asked, limit: this.#left + 1 }) ?? 0);
  }

  #take(rows: number): void {
    if (rows > this.#left) throw new TooManyRows();
    this.#left -= rows;
  }
}
