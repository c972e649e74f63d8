import { type Clock, type ClockTrust, DAY_MS, monotonicMs } from "./clock.ts";
import { DAYS_PER_WEEK } from "./day.ts";

/** A backup that was checked in full and compared with its ledger. */
export interface ProvenBackup {
  /** The identity of its ledger. */
  readonly ledger: string;
  /** Names of its ledger's locations, so that a person can tell one ledger from another. */
  readonly locations: readonly string[];
  /** Counts from 1 within its folder, so that the newest backup is known even if the clock is wrong. */
  readonly number: number;
  /** Name of the file in its folder. */
  readonly file: string;
  /** Wall time of its content, in Unix milliseconds; may be years off unless `clockTrusted`. */
  readonly madeMs: number;
  readonly clockTrusted: boolean;
  readonly provedMs: number;
  readonly schema: number;
  /** Number and hash (hexadecimal) of the newest entry. */
  readonly position: number;
  readonly head: string;
  /** The number of its newest commit: higher with each. */
  readonly commits: number;
  /** Records, voided ones too. */
  readonly records: number;
  /** Sum without voided records, in millionths: a decimal text, because it may exceed the safe integers. */
  readonly totalMicros: string;
  readonly bytes: number;
  /** SHA-256 of the file, hexadecimal. */
  readonly sha256: string;
}

/**
 * How old a backup is, in milliseconds: since `seenMs`, the monotonic time at which this process first saw
 * it, else by wall time; null where that leaves no way to tell.
 */
export function ageOf(
  { madeMs, clockTrusted }: Pick<ProvenBackup, "madeMs" | "clockTrusted">,
  seenMs: number | null,
  clock: Clock,
  trust: Pick<ClockTrust, "trusted">,
): number | null {
  if (seenMs !== null) return monotonicMs(clock) - seenMs;
  return clockTrusted && trust.trusted() ? Math.abs(clock.nowMs() - madeMs) : null;
}

/** The gateway file's name, beside the backups. */
export const GATEWAY_FILE = "gateway.json";

/** The name of a backup's proof, beside it. */
export function proofNameOf(file: string): string {
  return `${file}.json`;
}

/** What the ledger held at a backup, from its proof. The backup itself may be removed by now. */
export type KeptHead = Pick<
  ProvenBackup,
  "file" | "madeMs" | "position" | "head" | "records" | "totalMicros"
>;

/** The newest backup of each of so many days, weeks and months is kept. */
const KEPT_DAYS = 7;
const KEPT_WEEKS = 4;
const KEPT_MONTHS = 12;
/** So many of the newest backups stay even while the disk has no room for another one. */
export const LEAST_KEPT = 3;

/** The first day of 1970 was a Thursday: weeks begin three days earlier. */
const DAYS_BEFORE_FIRST_MONDAY = 3;
const DAYS_PER_MONTH = 30;

/**
 * The backups to remove: all but the newest one of each of the last seven days, four weeks and
 * twelve months that have one (UTC). Days without a backup do not count, so that a gateway
 * that was off for a month, or whose clock leapt, loses none. Where the time is not trusted,
 * each backup counts as a day of its own, and goes once there are a year's newer ones.
 */
export function outdatedBackups(backups: readonly ProvenBackup[]): readonly ProvenBackup[] {
  const newestFirst = [...backups].sort((one, other) => other.number - one.number);
  const [newest] = newestFirst;
  if (newest === undefined) return [];
  const trusted = newestFirst.filter(({ clockTrusted }) => clockTrusted);
  const untrusted = (days: number) =>
    newestFirst.filter(({ clockTrusted, number }) => !clockTrusted && newest.number - number < days);
  const kept = new Set([
    newest,
    ...newestOfEach(trusted, KEPT_DAYS, ({ madeMs }) => dayOf(madeMs)),
    ...newestOfEach(trusted, KEPT_WEEKS, ({ madeMs }) => weekOf(madeMs)),
    ...newestOfEach(trusted, KEPT_MONTHS, ({ madeMs }) => new Date(madeMs).toISOString().slice(0, -17)),
    ...untrusted(KEPT_DAYS),
    ...[[KEPT_WEEKS, DAYS_PER_WEEK] as const, [KEPT_MONTHS, DAYS_PER_MONTH] as const].flatMap(
      ([periods, days]) =>
        newestOfEach(untrusted(periods * days), periods, ({ number }) => Math.floor(number / days)),
    ),
  ]);
  return newestFirst.filter((backup) => !kept.has(backup));
}

function newestOfEach(
  newestFirst: readonly ProvenBackup[],
  periods: number,
  periodOf: (backup: ProvenBackup) => number | string,
): ProvenBackup[] {
  const newest = new Map<number | string, ProvenBackup>();
  for (const backup of newestFirst) {
    const period = periodOf(backup);
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
