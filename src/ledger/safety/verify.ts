import type { Database } from "better-sqlite3";
import type { KeptHead } from "../../domain/backup.ts";
import { monthOf } from "../../domain/day.ts";
import type { Id } from "../../domain/id.ts";
import { RECORD_COLUMNS } from "../../domain/record.ts";
import type { OnSteps } from "../../platform/work.ts";
import { readRolledUp } from "../engine/chain.ts";
import { readLedger } from "../engine/identity.ts";
import { guarded } from "../engine/open.ts";
import { LocalCalendar } from "../nouns/calendar.ts";
import { type RollupPeriod, rollupZone } from "../nouns/rollup.ts";
import { ChainWalk } from "./chain-walk.ts";
import { type Finding, type FindingKind, Findings, type NewFinding } from "./finding.ts";

export interface Verification {
  /** Records, voided ones too. */
  readonly records: number;
  /** Number of the last entry. */
  readonly entries: number;
  /** The findings, also those that were acknowledged; empty for a ledger that is right. */
  readonly findings: readonly Finding[];
  /** How many further findings there are that are not listed. */
  readonly unlisted: number;
  /** What SQLite's own check of the whole file found wrong; empty when it is sound. */
  readonly damage: readonly string[];
}

const CHECK_CACHE_KIB = 16_000;
/** Records read at a time, and between two reports of progress. */
const PAGE = 2_000;

/** Findings with which a copy is no proven backup. The others are about what the ledger itself tells. */
const GRAVE: ReadonlySet<FindingKind> = new Set(["missing", "inserted", "altered", "sum"]);

/**
 * Checks the file's structure in full, adds every rollup up again, walks the chain of its
 * entries and compares it with the heads of proved backups. A service may run meanwhile.
 * Throws as `openForReading` does, and `damaged` where the file cannot even be read.
 */
export function verifyLedger(
  file: string,
  onProgress: OnSteps,
  heads: readonly KeptHead[] = [],
): Verification {
  const { damage, findings, unlisted } = atOneMoment(file, (db) => {
    const damage = damageIn(db);
    const findings = new Findings(db);
    if (damage.length === 0) checkRollups(db, new LocalCalendar(rollupZone(db)), findings);
    return { damage, findings: findings.found, unlisted: findings.unlisted };
  });
  try {
    const { findings: entries, unlisted: more, ...held } = checkChain(file, onProgress, heads);
    return { ...held, damage, findings: [...entries, ...findings], unlisted: unlisted + more };
  } catch (error) {
    // In a damaged file reading the chain may fail anywhere.
    if (damage.length === 0) throw error;
    return { records: 0, entries: 0, damage, findings, unlisted };
  }
}

function checkChain(
  file: string,
  onProgress: OnSteps,
  heads: readonly KeptHead[],
): Omit<Verification, "damage"> {
  return atOneMoment(file, (db) => {
    const total = db.prepare<[], number>("SELECT count(*) FROM record").pluck().get() ?? 0;
    // SQLite writes the canonical form in half the time that its columns take to be read and written here.
    const page = db
      .prepare<[number, number], ChainedRow>(
        `SELECT json_array('sale', ${Object.values(RECORD_COLUMNS).join(", ")}), record_id, valor_micros, created_ms,
                provisional, effective_ms, voided_by, lower(hex(hash)), user_id, number
           FROM record LEFT JOIN boot USING (boot) WHERE record_id > ? ORDER BY record_id LIMIT ?`,
      )
      .raw();
    const findings = new Findings(db);
    const walk = new ChainWalk(db, findings, heads);
    let records = 0;
    let last = Number.MIN_SAFE_INTEGER;
    for (let rows = page.all(last, PAGE); rows.length > 0; rows = page.all(last, PAGE)) {
      for (const [text, ...row] of rows) {
        const [position, valorMicros, createdTimeMs, provisional, timeMs, voidedBy, hash, userId, number] =
          row;
        const times = { createdTimeMs, provisional, timeMs };
        walk.record({ position, userId, number, valorMicros, ...times, voidedBy, hash }, text);
        last = position;
      }
      records += rows.length;
      if (rows.length === PAGE) onProgress(records, total);
    }
    const entries = walk.finish();
    return { records, entries, findings: findings.found, unlisted: findings.unlisted };
  });
}

function atOneMoment<T>(file: string, check: (db: Database) => T): T {
  return readLedger(file, (db) => guarded(file, () => db.transaction(check)(db)));
}

/** An entry of the chain that was found by its hash. */
export interface FoundEntry {
  readonly position: number;
  readonly hash: string;
}

/** The entry whose hash begins with these digits, lower-case hexadecimal; undefined where the chain has none. */
export function findEntry(file: string, hash: string): FoundEntry | undefined {
  return readLedger(file, (db) => {
    const find = db.prepare<{ hash: string }, FoundEntry>(
      `SELECT position, lower(hex(hash)) AS hash FROM (
         SELECT record_id AS position, hash FROM record UNION ALL SELECT correction_id, hash FROM correction
         UNION ALL SELECT position, hash FROM audit WHERE position IS NOT NULL)
        WHERE lower(substr(hex(hash), 1, length(@hash))) = @hash LIMIT 1`,
    );
    return guarded(file, () => find.get({ hash }));
  });
}

/** What SQLite's own check finds wrong with a file; none for a sound one. Throws as `verifyLedger` does. */
export function findDamage(file: string): readonly string[] {
  return readLedger(file, (db) => guarded(file, () => damageIn(db)));
}

function damageIn(db: Database): readonly string[] {
  // It looks up each row in each index: with a small cache it would read a large ledger many times over.
  db.pragma(`cache_size = -${CHECK_CACHE_KIB}`);
  const found = db.pragma("integrity_check") as { integrity_check: string }[];
  return found.map((row) => row.integrity_check).filter((text) => text !== "ok");
}

/** Why a ledger cannot be trusted; none for one that is right or whose findings were acknowledged. */
export function faultsOf(verification: Pick<Verification, "damage" | "findings">): readonly string[] {
  const grave = openFindings(verification).filter(({ kind }) => GRAVE.has(kind));
  return [...verification.damage, ...grave.map(({ what }) => what)];
}

/** The findings that a person must still see to. */
export function openFindings({ findings }: Pick<Verification, "findings">): readonly Finding[] {
  return findings.filter(({ acknowledged }) => !acknowledged);
}

type ChainedRow = [
  text: string,
  position: number,
  valorMicros: number,
  createdTimeMs: number,
  provisional: number,
  timeMs: number,
  voidedBy: number | null,
  hash: string,
  userId: Id,
  number: number,
];

type CountedRow = [
  position: number,
  userId: Id,
  locationName: string,
  deviceId: string,
  valorMicros: number,
  timeMs: number,
  day: number,
  counts: number,
  /** 1, or 0 of a refund. */
  sales: number,
];

interface Sum {
  readonly userId: Id;
  readonly period: number;
  readonly locationName: string;
  readonly deviceId: string;
  count: number;
  /** A bigint, because a sum may leave the safe integers. */
  totalMicros: bigint;
}

type Sums = Map<string, Sum>;

/** Adds up the records that count and are rolled up. Every rollup that differs from their sum is a finding. */
function checkRollups(db: Database, calendar: LocalCalendar, findings: Findings): void {
  const days = addedUp(db, calendar, findings);
  for (const period of ["day", "month"] as const) {
    const sums = period === "day" ? new Map(days) : monthsOf(days);
    for (const stored of readSums(db, period)) {
      const key = keyOf(stored);
      const sum = sums.get(key);
      sums.delete(key);
      if (textOf(sum) !== textOf(stored)) findings.add(difference(findings, period, stored, stored, sum));
    }
    for (const sum of sums.values()) findings.add(difference(findings, period, sum, undefined, sum));
  }
}

function addedUp(db: Database, calendar: LocalCalendar, findings: Findings): Sums {
  const days: Sums = new Map();
  const page = db
    .prepare<[number, number], CountedRow>(
      `SELECT record_id, user_id, location_name, device_id, valor_micros, effective_ms, day, voided_by IS NULL, refund_of IS NULL
         FROM record WHERE record_id > ? ORDER BY record_id LIMIT ?`,
    )
    .raw();
  const { position: end } = readRolledUp(db);
  let last = Number.MIN_SAFE_INTEGER;
  for (let rows = page.all(last, PAGE); rows.length > 0; rows = page.all(last, PAGE)) {
    for (const [position, userId, locationName, deviceId, valorMicros, timeMs, day, counts, sales] of rows) {
      const period = calendar.dayOf(timeMs);
      if (day !== period) {
        findings.addOf("altered", position, `day ${day}`, "counts at a day that its time does not say");
      }
      if (counts === 1 && position <= end) {
        addTo(days, {
          userId,
          period,
          locationName,
          deviceId,
          count: sales,
          totalMicros: BigInt(valorMicros),
        });
      }
      last = position;
    }
  }
  return days;
}

function addTo(sums: Sums, added: Sum): void {
  const key = keyOf(added);
  const sum = sums.get(key);
  if (sum === undefined) sums.set(key, added);
  else {
    sum.count += added.count;
    sum.totalMicros += added.totalMicros;
  }
}

function keyOf({ userId, period, locationName, deviceId }: Sum): string {
  // No text of the ledger holds a NUL.
  return `${userId}\0${period}\0${locationName}\0${deviceId}`;
}

/** The sums of months, from those of their days: adding each record up once is half the work. */
function monthsOf(days: Sums): Sums {
  const months: Sums = new Map();
  for (const sum of days.values()) addTo(months, { ...sum, period: monthOf(sum.period) });
  return months;
}

/** A sum without records equals no sum. */
function textOf(sum: Pick<Sum, "count" | "totalMicros"> | undefined): string {
  return `${sum?.count ?? 0} records, ${sum?.totalMicros ?? 0n} millionths`;
}

function difference(
  findings: Findings,
  table: RollupPeriod,
  { userId, period, locationName, deviceId }: Sum,
  stored: Sum | undefined,
  computed: Sum | undefined,
): NewFinding {
  const sum = `rollup_${table} ${period}, ${locationName}, device ${deviceId}`;
  const sales = (stored?.count ?? 0) - (computed?.count ?? 0);
  const micros = (stored?.totalMicros ?? 0n) - (computed?.totalMicros ?? 0n);
  return {
    kind: "sum",
    from: 0,
    to: 0,
    what: `${sum}: holds ${textOf(stored)}; the records say ${textOf(computed)}.`,
    // By the difference, not by the sum: later sales of that day or month must leave it the same finding.
    mark: `${userId}${sum}: ${sales}, ${micros}`,
    costs: [findings.costOf(userId, sales, micros)],
  };
}

function* readSums(db: Database, period: RollupPeriod): Generator<Sum> {
  const statement = db
    .prepare<[], Record<keyof Sum, string | bigint>>(
      `SELECT user_id AS userId, ${period} AS period, location_name AS locationName, device_id AS deviceId,
              count, total_micros AS totalMicros FROM rollup_${period}`,
    )
    .safeIntegers();
  for (const row of statement.iterate()) {
    yield {
      userId: String(row.userId),
      period: Number(row.period),
      locationName: String(row.locationName),
      deviceId: String(row.deviceId),
      count: Number(row.count),
      totalMicros: BigInt(row.totalMicros),
    };
  }
}
