import { AsyncLocalStorage } from "node:async_hooks";
import type { Database } from "better-sqlite3";
import { errorFromData, FlancoError } from "../../domain/error.ts";
import type { Id } from "../../domain/id.ts";
import { type Asker, JobSlots } from "../../domain/job-slots.ts";
import type { CostlyRead, CostlyReads, LedgerReader } from "../../domain/ledger.ts";
import { TaskThread } from "../../platform/task-thread.ts";
import { auditReader } from "../nouns/audit.ts";
import { bootReader } from "../nouns/boot.ts";
import { byHandReader } from "../nouns/by-hand.ts";
import { LocalCalendar } from "../nouns/calendar.ts";
import { chainReader } from "../nouns/chain-entries.ts";
import { commissionReader } from "../nouns/commission.ts";
import { clockReader } from "../nouns/correction.ts";
import { deviceReader } from "../nouns/device.ts";
import { gapReader } from "../nouns/gap.ts";
import { limitReader } from "../nouns/limit.ts";
import { lineStateReader } from "../nouns/line.ts";
import { locationReader } from "../nouns/location.ts";
import { letterheadReader, memberReader } from "../nouns/member.ts";
import { soldReader } from "../nouns/overview.ts";
import { priceReader } from "../nouns/price.ts";
import { recordReader } from "../nouns/record.ts";
import { recordFinder } from "../nouns/record-search.ts";
import { type Bounds, SPANS } from "../nouns/rollup-sum.ts";
import { roomReader } from "../nouns/room.ts";
import { sessionReader } from "../nouns/session.ts";
import { settlementReader } from "../nouns/settlement.ts";
import { statusReader } from "../nouns/status.ts";
import { wiringReader } from "../nouns/wiring.ts";
import { transferReader } from "../safety/transfer.ts";
import { openForReading } from "./open.ts";
import type { ReadAnswer, ReaderStart, ReadTask } from "./reader-thread.ts";

/** The most rows that a read on the main thread may visit: some five milliseconds of work. */
export const MAX_ROWS_IN_PLACE = 10_000;
/** A page asks again at every sale, without waiting for the answer before. */
const SLOTS = { what: "reads of this account", inAll: 3, waitingOfMember: 8 };
const MAX_HEAP_MB = 64;
/** Years of many rooms take seconds on a Pi that is busy. */
const DEADLINE_MS = 30_000;

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

  /** Spends so many rows. Throws TooManyRows. */
  spendRows(rows: number): void {
    this.#take(rows);
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

/** The ledger's reads on a connection of their own that cannot write. */
export type StoreReader = LedgerReader & { readonly budget: RowBudget; close(): void };

/**
 * Opens an existing ledger for reading. Every statement is prepared here, once.
 * @param maxRows beyond it, reads of sums throw TooManyRows
 */
export function openReader(file: string, timeZone: string, maxRows?: number): StoreReader {
  const db = openForReading(file);
  const budget = new RowBudget(db, maxRows);
  return { ...readsOf(db, new LocalCalendar(timeZone), budget), budget, close: () => void db.close() };
}

function readsOf(db: Database, calendar: LocalCalendar, budget: RowBudget): LedgerReader {
  return {
    ...memberReader(db),
    ...letterheadReader(db),
    ...sessionReader(db),
    ...limitReader(db),
    ...locationReader(db),
    ...deviceReader(db),
    ...recordReader(db),
    ...byHandReader(db),
    ...transferReader(db),
    ...chainReader(db),
    ...roomReader(db, calendar, budget),
    ...recordFinder(db, calendar),
    localTime: (timeMs) => calendar.localTime(timeMs),
    ...gapReader(db),
    ...soldReader(db, calendar, budget),
    ...wiringReader(db, calendar),
    ...priceReader(db, calendar),
    ...lineStateReader(db),
    ...commissionReader(db, budget),
    ...settlementReader(db, calendar, budget),
    ...bootReader(db),
    ...statusReader(db, calendar, budget),
    ...clockReader(db),
    ...auditReader(db, budget),
  };
}

/**
 * Reads on the main thread, or in a thread of its own where a read would
 * visit more rows than the reader's budget: one read of an account at a
 * time. That thread's heap is bounded, and a read there may take 30 seconds.
 */
export function costlyReads(
  reader: Pick<LedgerReader, CostlyRead>,
  budget: RowBudget,
  workerData: ReaderStart,
  deadlineMs = DEADLINE_MS,
): CostlyReads & { close(): Promise<void> } {
  const slots = new JobSlots(SLOTS);
  const asking = new AsyncLocalStorage<Asker>();
  const thread = new TaskThread<ReadTask, ReadAnswer>({
    source: "reader",
    workerData,
    refusal: cannotRead,
    deadline: { ms: deadlineMs, refusal: takesTooLong },
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
  });

  async function inThread(userId: Id, task: ReadTask): Promise<unknown> {
    const leave = await slots.take(asking.getStore() ?? { userId, memberId: userId, role: "owner" });
    try {
      const answer = await thread.submit(task);
      if ("error" in answer) throw errorFromData(answer.error);
      return answer.value;
    } finally {
      leave();
    }
  }

  function of<N extends CostlyRead>(name: N, accountOf: (input: Parameters<LedgerReader[N]>) => Id) {
    type Result = ReturnType<LedgerReader[N]>;
    return async (...input: Parameters<LedgerReader[N]>): Promise<Result> => {
      try {
        budget.renew();
        return (reader[name] as (...given: typeof input) => Result)(...input);
      } catch (error) {
        if (!(error instanceof TooManyRows)) throw error;
      }
      return (await inThread(accountOf(input), { name, input })) as Result;
    };
  }

  return {
    as: (asker, work) => asking.run(asker, work),
    summary: of("summary", ([userId]) => userId),
    overview: of("overview", ([userId]) => userId),
    roomsToday: of("roomsToday", ([userId]) => userId),
    roomDays: of("roomDays", ([userId]) => userId),
    sumRecords: of("sumRecords", ([userId]) => userId),
    ledgerStatus: of("ledgerStatus", ([, , userId = ""]) => userId),
    audit: of("audit", ([{ userId = "" }]) => userId),
    acceptanceReports: of("acceptanceReports", ([userId]) => userId),
    draftSettlement: of("draftSettlement", ([userId]) => userId),
    close: () => thread.close(),
  };
}

function cannotRead(): FlancoError {
  return new FlancoError("unavailable", "The ledger cannot be read.", { hint: "Try again in a second." });
}

function takesTooLong(): FlancoError {
  return new FlancoError("overloaded", "The query takes too long.", {
    hint: "Ask for a shorter time or for one location.",
  });
}
