import type { Database } from "better-sqlite3";
import type { LedgerReader } from "../domain/ledger.ts";
import { archivedMonthsReader } from "./archived-months.ts";
import { auditReader } from "./audit.ts";
import { bootReader } from "./boot.ts";
import { LocalCalendar } from "./calendar.ts";
import { deviceReader } from "./device.ts";
import { gapReader } from "./gap.ts";
import { locationReader } from "./location.ts";
import { openForReading } from "./open.ts";
import { overviewReader } from "./overview.ts";
import { recordReader } from "./record.ts";
import { recordFinder } from "./record-search.ts";
import { sightingReader } from "./sighting.ts";
import { statusReader } from "./status.ts";
import { summaryReader } from "./summary.ts";
import { userReader } from "./user.ts";
import { wiringReader } from "./wiring.ts";

/** The ledger's reads on a connection of their own that cannot write. */
export type StoreReader = LedgerReader & { close(): void };

/** Opens an existing ledger for reading. Every statement is prepared here, once. */
export function openReader(file: string, timeZone: string): StoreReader {
  const db = openForReading(file);
  return { ...readsOf(db, new LocalCalendar(timeZone)), close: () => void db.close() };
}

function readsOf(db: Database, calendar: LocalCalendar): LedgerReader {
  return {
    ...userReader(db),
    ...locationReader(db),
    ...deviceReader(db),
    ...recordReader(db),
    ...recordFinder(db, calendar),
    localTime: (timeMs) => calendar.localTime(timeMs),
    ...gapReader(db),
    ...summaryReader(db, calendar),
    ...overviewReader(db, calendar),
    ...wiringReader(db),
    ...sightingReader(db),
    ...bootReader(db),
    ...statusReader(db, calendar),
    ...auditReader(db),
    ...archivedMonthsReader(db),
  };
}
