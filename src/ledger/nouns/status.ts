import type { Database } from "better-sqlite3";
import { valorFromMicros } from "../../domain/amount.ts";
import type { ReclockedBoot } from "../../domain/boot.ts";
import { DAY_MS, SECOND_MS } from "../../domain/clock.ts";
import { formatDay } from "../../domain/day.ts";
import type { Gap, LostEdges, SwallowedEdges, UnwatchedTime } from "../../domain/gap.ts";
import type { Id } from "../../domain/id.ts";
import type { LocationLimit } from "../../domain/limit.ts";
import type { ProvisionalCounts } from "../../domain/record.ts";
import type { LastEdge, LedgerTroubles, Today } from "../../domain/status.ts";
import type { RowBudget } from "../engine/reader.ts";
import type { LocalCalendar } from "./calendar.ts";
import { clockReader } from "./correction.ts";
import { GAP } from "./gap.ts";
import { AT_LOCATIONS, atLocations, WITHIN, type WithinNames, withinNames } from "./limit.ts";
import { UNSETTLED } from "./record.ts";
import { ALL, addUp, rollupSums } from "./rollup-sum.ts";

/** The most rows that are counted: beyond it the exact number does not matter. */
const MAX_COUNTED = 1_000;
const MAX_EDGES = 1_000;
const MAX_NAMED_LINES = 5;
const MONTH_MS = 30 * DAY_MS;
/** A shorter outage, as at a restart by hand, is not reported. */
const SHORT_OUTAGE_MS = 60_000;

interface EdgeRow extends Omit<LastEdge, "active" | "provisional"> {
  readonly active: number | null;
  readonly provisional: number | null;
}

/**
 * The ledger's part of the status, of one user or of all. Each
 * read takes stored sums, an index, or a bounded number of rows.
 */
export function statusReader(db: Database, calendar: LocalCalendar, budget: RowBudget) {
  const accounts = db.prepare<[], Id>("SELECT user_id FROM account").pluck();
  const sums = rollupSums(db, budget);
  const { reclocked } = clockReader(db);
  const edges = db.prepare<{ userId: Id | null; locations: string | null }, EdgeRow>(
    `SELECT w.line, w.device_id AS deviceId, d.d_id AS dId, d.name AS deviceName, w.actuator_id AS room,
            active, changed_ms AS timeMs, changed_provisional AS provisional
       FROM wiring w JOIN device d USING (device_id) LEFT JOIN line_state s ON s.line = w.line
      WHERE (:userId IS NULL OR w.user_id = :userId) AND ${AT_LOCATIONS} ORDER BY w.line LIMIT ${MAX_EDGES}`,
  );
  const gapsOfAll = gapStatements(db, "");
  const gapsOfAccount = gapStatements(db, "WHERE user_id = :userId");
  const gapsOfLocations = gapStatements(
    db,
    `WHERE user_id = :userId AND line IN (SELECT line FROM wiring JOIN device d USING (device_id) WHERE ${AT_LOCATIONS})`,
  );
  const provisionalOfAll = provisionalStatement(db, "");
  const provisionalOfAccount = provisionalStatement(db, `AND r.user_id = :userId AND ${WITHIN}`);

  function today({ userId, limit }: StatusView, nowMs: number): Today {
    const day = calendar.dayOf(nowMs);
    const found = (userId === null ? accounts.all() : [userId]).map((one) =>
      sums
        .each(one, { months: [], days: [{ from: day, to: day }] }, { ...ALL, within: limit?.names ?? null })
        .values(),
    );
    const { count, totalMicros } = addUp(...found);
    return { day: formatDay(day), sales: count, revenue: valorFromMicros(totalMicros) };
  }

  function gapsOf({ userId, limit }: StatusView, nowMs: number) {
    const ofAccount = limit === null ? gapsOfAccount : gapsOfLocations;
    const { counted, recent } = userId === null ? gapsOfAll : ofAccount;
    const whose = { userId, ...(limit && atLocations(limit)) };
    // A gap that ends more than a day ahead was stamped by a wrong clock.
    const toMs = nowMs + DAY_MS;
    const counts = counted.get({ ...whose, fromMs: nowMs - MONTH_MS, toMs }) ?? { all: 0, last30Days: 0 };
    const rows = recent.all({ ...whose, fromMs: nowMs - DAY_MS, toMs });
    const swallowed = swallowedIn(rows);
    return {
      gaps: { ...counts, swallowedLastDay: swallowed?.gaps ?? 0 },
      lost: lostIn(rows),
      unwatched: unwatchedIn(rows),
      swallowed,
    };
  }

  function unplaced({ userId, limit }: StatusView, bootId: string): ProvisionalCounts {
    const statement = userId === null ? provisionalOfAll : provisionalOfAccount;
    const rows = statement.all({ userId, bootId, ...withinNames(limit?.names ?? null) });
    const of = (waiting: number) => rows.find((row) => row.waiting === waiting)?.count ?? 0;
    return { waiting: of(1), unplaced: of(0) };
  }

  // One transaction: all of it is of the same commit.
  const read = db.transaction(
    (bootId: string, nowMs: number, userId: Id | null = null, limit: LocationLimit | null = null) => {
      const seen = { userId, limit };
      const { gaps, ...troubles } = gapsOf(seen, nowMs);
      // How many sales have a wrong time is known of the whole account alone.
      const misplaced = limit === null ? misplacedIn(reclocked(userId, MAX_COUNTED)) : null;
      return {
        today: today(seen, nowMs),
        lastEdges: edges.all({ userId, ...atLocations(limit) }).map(toEdge),
        gaps,
        provisional: unplaced(seen, bootId),
        troubles: { ...troubles, misplaced },
      };
    },
  );
  return { ledgerStatus: read };
}

/** Whose status it is: of all accounts for null, of a member within its limit. */
interface StatusView {
  readonly userId: Id | null;
  readonly limit: LocationLimit | null;
}

/** Counts what waits for its time, from the boot that runs on, so that it is counted where not all is. */
function provisionalStatement(db: Database, whose: string) {
  return db.prepare<{ userId: Id | null; bootId: string } & WithinNames, { waiting: number; count: number }>(
    `SELECT boot_id = :bootId AS waiting, count(*) AS count
       FROM (SELECT boot_id, voided_by
               FROM boot b CROSS JOIN record r INDEXED BY record_provisional ON r.boot = b.boot ${whose}
              WHERE ${UNSETTLED} ORDER BY b.boot DESC LIMIT ${MAX_COUNTED})
      WHERE voided_by IS NULL GROUP BY waiting`,
  );
}

/** When a gap ended, of one user or of all. */
interface Between {
  readonly userId: Id | null;
  readonly locations?: string | null;
  readonly fromMs: number;
  readonly toMs: number;
}

/** Reads of the newest gaps, as many as `MAX_COUNTED` allows. */
function gapStatements(db: Database, whose: string) {
  const gaps = `(SELECT * FROM gap ${whose} ORDER BY gap_id DESC LIMIT ${MAX_COUNTED}) gap`;
  return {
    counted: db.prepare<Between, { all: number; last30Days: number }>(
      `SELECT count(*) AS "all", coalesce(sum(to_ms BETWEEN :fromMs AND :toMs), 0) AS last30Days FROM ${gaps}`,
    ),
    recent: db.prepare<Between, Gap>(`SELECT ${GAP} FROM ${gaps} WHERE to_ms BETWEEN :fromMs AND :toMs`),
  };
}

function lostIn(rows: readonly Gap[]): LostEdges | null {
  const lost = rows.filter(({ reason }) => reason === "overflow");
  if (lost.length === 0) return null;
  return {
    gaps: lost.length,
    edges: lost.reduce((sum, { missed }) => sum + (missed ?? 0), 0),
    sales: lost.reduce((sum, { missedRises }) => sum + (missedRises ?? 0), 0),
    lines: someLines(lost),
    toTimeMs: latest(lost),
  };
}

function swallowedIn(rows: readonly Gap[]): SwallowedEdges | null {
  const swallowed = rows.filter(({ reason }) => reason === "swallowed");
  if (swallowed.length === 0) return null;
  return { gaps: swallowed.length, lines: someLines(swallowed), toTimeMs: latest(swallowed) };
}

function unwatchedIn(rows: readonly Gap[]): UnwatchedTime | null {
  const unwatched = rows.filter(
    ({ reason, fromTimeMs, toTimeMs }) => reason === "outage" && toTimeMs - fromTimeMs >= SHORT_OUTAGE_MS,
  );
  if (unwatched.length === 0) return null;
  return {
    gaps: unwatched.length,
    lines: someLines(unwatched),
    fromTimeMs: unwatched.reduce((first, { fromTimeMs }) => Math.min(first, fromTimeMs), Infinity),
    toTimeMs: latest(unwatched),
  };
}

function latest(gaps: readonly Gap[]): number {
  return gaps.reduce((last, { toTimeMs }) => Math.max(last, toTimeMs), 0);
}

function someLines(gaps: readonly Gap[]): string[] {
  return [...new Set(gaps.map(({ line }) => line))].toSorted().slice(0, MAX_NAMED_LINES);
}

function misplacedIn(boots: readonly ReclockedBoot[]): LedgerTroubles["misplaced"] {
  const records = boots.reduce((sum, { before }) => sum + before.records, 0);
  const offMs = Math.max(0, ...boots.map(({ before }) => Math.abs(before.byMs)));
  return records === 0 ? null : { records, seconds: Math.round(offMs / SECOND_MS) };
}

function toEdge({ active, provisional, ...row }: EdgeRow): LastEdge {
  return { ...row, active: active === null ? null : active === 1, provisional: provisional === 1 };
}
