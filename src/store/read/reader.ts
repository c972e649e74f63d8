import type { Database } from "better-sqlite3";
import type { Gap } from "../../domain/gap.ts";
import type { Id } from "../../domain/id.ts";
import type { LedgerReader, PageRequest } from "../../domain/ledger.ts";
import { auditReader } from "../ledger/audit.ts";
import { bootReader } from "../ledger/boot.ts";
import { LocalCalendar } from "../ledger/calendar.ts";
import { commissionReader } from "../ledger/commission.ts";
import { clockReader } from "../ledger/correction.ts";
import { deviceReader } from "../ledger/device.ts";
import { numberKeyOf, readLedgerKey } from "../ledger/identity.ts";
import { lineStateReader } from "../ledger/line-state.ts";
import { lineTestReader } from "../ledger/line-test.ts";
import { locationReader } from "../ledger/location.ts";
import { letterheadReader, memberReader } from "../ledger/member.ts";
import { openForReading } from "../ledger/open.ts";
import { priceReader } from "../ledger/price.ts";
import { recordReader } from "../ledger/record.ts";
import { sessionReader } from "../ledger/session.ts";
import { transferReader } from "../ledger/transfer.ts";
import { wiringReader } from "../ledger/wiring.ts";
import { chainReader } from "./chain-entries.ts";
import { overviewReader } from "./overview.ts";
import { recordFinder } from "./record-search.ts";
import { RowBudget } from "./rollup-sum.ts";
import { roomReader } from "./room.ts";
import { GAP, statusReader } from "./status.ts";
import { summaryReader } from "./summary.ts";

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
    ...lineTestReader(db),
    ...commissionReader(db),
    ...bootReader(db),
    ...statusReader(db, calendar, budget),
    ...clockReader(db),
    ...auditReader(db),
    numberKey: () => numberKeyOf(readLedgerKey(db)),
  };
}

function gapReader(db: Database) {
  const page = db.prepare<[Id, number, number], Gap>(
    `SELECT ${GAP} FROM gap WHERE user_id = ? AND gap_id < ? ORDER BY gap_id DESC LIMIT ?`,
  );
  return {
    gaps: (userId: Id, request: PageRequest): readonly Gap[] =>
      page.all(userId, request.before ?? Number.MAX_SAFE_INTEGER, request.limit),
  };
}
