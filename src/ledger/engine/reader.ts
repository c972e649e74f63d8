import { AsyncLocalStorage } from "node:async_hooks";
import type { Database } from "better-sqlite3";
import { errorFromData, FlancoError } from "../../domain/error.ts";
import type { Id } from "../../domain/id.ts";
import { type Asker, JobSlots } from "../../domain/job-slots.ts";
import type { HeavyRead, HeavyReads, LedgerReader } from "../../domain/ledger.ts";
import { TaskThread } from "../../platform/task-thread.ts";
import { auditReader } from "../nouns/audit.ts";
import { bootReader } from "../nouns/boot.ts";
import { LocalCalendar } from "../nouns/calendar.ts";
import { chainReader } from "../nouns/chain-entries.ts";
import { commissionReader } from "../nouns/commission.ts";
import { clockReader } from "../nouns/correction.ts";
import { deviceReader } from "../nouns/device.ts";
import { gapReader } from "../nouns/gap.ts";
import { lineStateReader } from "../nouns/line.ts";
import { locationReader } from "../nouns/location.ts";
import { letterheadReader, memberReader } from "../nouns/member.ts";
import { overviewReader } from "../nouns/overview.ts";
import { priceReader } from "../nouns/price.ts";
import { recordReader } from "../nouns/record.ts";
import { recordFinder } from "../nouns/record-search.ts";
import { roomReader } from "../nouns/room.ts";
import { sessionReader } from "../nouns/session.ts";
import { statusReader } from "../nouns/status.ts";
import { summaryReader } from "../nouns/summary.ts";
import { wiringReader } from "../nouns/wiring.ts";
import { transferReader } from "../safety/transfer.ts";
import { openForReading } from "./open.ts";
import type { ReadAnswer, ReaderStart, ReadTask } from "./reader-thread.ts";
import { RowBudget, TooManyRows } from "./row-budget.ts";

/** The most rows that a read on the main thread may visit: some five milliseconds of work. */
export const MAX_ROWS_IN_PLACE = 10_000;
/** A page asks again at every sale, without waiting for the answer before. */
const SLOTS = { what: "reads of this account", inAll: 3, waitingOfMember: 8 };
const MAX_HEAP_MB = 64;
/** Years of many rooms take seconds on a Pi that is busy. */
const DEADLINE_MS = 30_000;

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
    ...locationReader(db),
    ...deviceReader(db),
    ...recordReader(db),
    ...transferReader(db),
    ...chainReader(db),
    ...roomReader(db, calendar, budget),
    ...recordFinder(db, calendar, budget),
    localTime: (timeMs) => calendar.localTime(timeMs),
    ...gapReader(db),
    ...summaryReader(db, calendar, budget),
    ...overviewReader(db, calendar, budget),
    ...wiringReader(db, calendar),
    ...priceReader(db, calendar),
    ...lineStateReader(db),
    ...commissionReader(db, budget),
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
export function heavyReads(
  reader: Pick<LedgerReader, HeavyRead>,
  budget: RowBudget,
  workerData: ReaderStart,
  deadlineMs = DEADLINE_MS,
): HeavyReads & { close(): Promise<void> } {
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

  function of<N extends HeavyRead>(name: N, accountOf: (input: Parameters<LedgerReader[N]>) => Id) {
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
    close: () => thread.close(),
  };
}

function cannotRead(): FlancoError {
  return new FlancoError("unavailable", "The ledger cannot be read.", { hint: "Try again in a second." });
}

function takesTooLong(): FlancoError {
  return new FlancoError("overloaded", "The answer takes too long to work out.", {
    hint: "Ask for a shorter time or for one location.",
  });
}
