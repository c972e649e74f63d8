/** A backup that was restored to a temporary file, checked in full and compared with the ledger that it was made of. */
export interface ProvenBackup {
  /** Counts from 1 within its directory, so that no clock decides which one is the newest. */
  readonly number: number;
  /** Name of the file in its directory. */
  readonly file: string;
  /** Wall time of the moment that it holds, in Unix milliseconds; may be years off unless `clockTrusted`. */
  readonly madeMs: number;
  readonly clockTrusted: boolean;
  /** When it was proved, in Unix milliseconds. */
  readonly provedMs: number;
  /** Schema of the ledger that it holds. */
  readonly schema: number;
  /** Number and hash (hexadecimal) of the newest entry. */
  readonly position: number;
  readonly head: string;
  /** Records, voided ones too. */
  readonly records: number;
  /** Sum of the records that count, in millionths: a decimal text, because it may leave the safe integers. */
  readonly sumMicros: string;
  readonly bytes: number;
  /** SHA-256 of the file, hexadecimal. */
  readonly sha256: string;
}

/** Days, and weeks, of which the newest backup is kept. */
const KEPT_DAYS = 7;
const KEPT_WEEKS = 4;

const DAY_MS = 24 * 60 * 60 * 1000;
/** The first day of 1970 was a Thursday: weeks begin three days earlier. */
const DAYS_BEFORE_FIRST_MONDAY = 3;
const DAYS_PER_WEEK = 7;

/**
 * Those that are kept no longer: all but the newest of each of the last seven days, and of the last four weeks,
 * that have one (UTC). Days without a backup do not count, so that a gateway that was off for a month, or whose
 * clock leapt, loses none. The newest is never among them, and neither is one made while the clock was not
 * trusted, as long as no seven newer ones are there.
 */
export function outdatedBackups(backups: readonly ProvenBackup[]): readonly ProvenBackup[] {
  const newestFirst = backups.toSorted((one, other) => other.number - one.number);
  const trusted = newestFirst.filter(({ clockTrusted }) => clockTrusted);
  const kept = new Set([
    ...newestFirst.slice(0, 1),
    ...newestFirst.slice(0, KEPT_DAYS).filter(({ clockTrusted }) => !clockTrusted),
    ...newestOfEach(trusted, KEPT_DAYS, dayOf),
    ...newestOfEach(trusted, KEPT_WEEKS, weekOf),
  ]);
  return newestFirst.filter((backup) => !kept.has(backup));
}

function newestOfEach(
  newestFirst: readonly ProvenBackup[],
  periods: number,
  periodOf: (timeMs: number) => number,
): ProvenBackup[] {
  const newest = new Map<number, ProvenBackup>();
  for (const backup of newestFirst) {
    const period = periodOf(backup.madeMs);
    if (newest.size < periods && !newest.has(period)) newest.set(period, backup);
  }
  return [...newest.values()];
}

function dayOf(timeMs: number): number {
  return Math.floor(timeMs / DAY_MS);
}

function weekOf(timeMs: number): number {
  return Math.floor((dayOf(timeMs) + DAYS_BEFORE_FIRST_MONDAY) / DAYS_PER_WEEK);
}

/** What is told of the newest proven backup. */
export type LastBackup = Pick<
  ProvenBackup,
  "madeMs" | "provedMs" | "records" | "position" | "head" | "clockTrusted"
>;
