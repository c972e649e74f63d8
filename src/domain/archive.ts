import type { Actor } from "./audit.ts";
import { type Day, type Month, monthOf } from "./day.ts";

/** What retention may keep at least: this year and what it is compared with. */
export const LEAST_KEPT_MONTHS = 13;
/** Days by which each witness must have come to a month's end before the clock is believed. */
const CONFIRMING_DAYS = 3;
const MONTHS_PER_YEAR = 12;

/** A month whose records are older than what is kept. */
export interface ArchivableMonth {
  readonly month: Month;
  /** Records that would be archived, voided ones too. */
  readonly records: number;
  /** Records that would stay: of no known time, or the last one of a wired line. */
  readonly staying: number;
  /** Why it is not archived yet; null when it can be. */
  readonly waits: string | null;
}

/** What retention would do. */
export interface RetentionPlan {
  /** The first month that stays in the ledger; null as long as that cannot be said, or all of them stay. */
  readonly keptFrom: Month | null;
  /** Why nothing is archived at all; null when something may be. */
  readonly waits: string | null;
  /** Oldest first. */
  readonly months: readonly ArchivableMonth[];
}

/** A month whose records lie in a checked file and no more in the ledger. */
export interface ArchivedMonth {
  readonly month: Month;
  /** Name of the file in the directory of archives. */
  readonly file: string;
  readonly records: number;
}

/** How an archive is found: as it was checked, not in its directory, or altered. */
export interface ArchiveState extends ArchivedMonth {
  readonly state: "right" | "missing" | "altered";
}

/** Takes old months out of the ledger, one at a time. */
export interface Archivist {
  /** Removes what is left of months that were archived and whose removal was cut off. */
  finish(): Promise<void>;
  plan(): Promise<RetentionPlan>;
  /** Throws `conflict` for a month that is kept, or that has to wait; then nothing has changed. */
  archive(month: Month, by: Actor): Promise<ArchivedMonth>;
}

/**
 * The day that it is at least, for what cannot be taken back: no later than the clock says, and than the third of
 * the last days that have a backup made by a trusted clock, and the third of those that have sales. A clock that
 * leaps ahead moves neither. Undefined as long as there are not as many days.
 */
export function confirmedDay(
  today: Day,
  backupDays: readonly Day[],
  saleDays: readonly Day[],
): Day | undefined {
  const third = (days: readonly Day[]) =>
    [...new Set(days)].filter((day) => day <= today).toSorted((one, other) => other - one)[
      CONFIRMING_DAYS - 1
    ];
  const [backup, sale] = [third(backupDays), third(saleDays)];
  return backup === undefined || sale === undefined ? undefined : Math.min(today, backup, sale);
}

/** `2024-05`. */
export function formatMonth(month: Month): string {
  const digits = String(month).padStart(6, "0");
  return `${digits.slice(0, -2)}-${digits.slice(-2)}`;
}

/** The first of the last `keepMonths` months up to and including today's. */
export function firstKeptMonth(today: Day, keepMonths: number): Month {
  const month = monthOf(today);
  const count = Math.floor(month / 100) * MONTHS_PER_YEAR + (month % 100) - keepMonths;
  return Math.floor(count / MONTHS_PER_YEAR) * 100 + (count % MONTHS_PER_YEAR) + 1;
}
