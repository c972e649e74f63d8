import type { Database } from "better-sqlite3";
import type { Id } from "../../domain/id.ts";
import type { LedgerReader } from "../../domain/ledger.ts";
import type {
  FoundRecord,
  FoundRecords,
  RecordFilter,
  RecordPosition,
  RecordSearch,
  RecordState,
} from "../../domain/record.ts";
import { headReader } from "../engine/chain.ts";
import { recordByNumber } from "../engine/numbers.ts";
import type { LocalCalendar, Stretch } from "./calendar.ts";
import { type WithinNames, withinNames } from "./limit.ts";
import { RECORD_CORRECTIONS, type RecordRow, ROOM_TODAY, SELECT_RECORD, toRecord } from "./record.ts";
import { ALL_DAYS, FITS_FILTER } from "./rollup-sum.ts";

/** The most records of a piece that are looked at where not all fit: a millisecond's work. */
export const MAX_LOOKED_AT = 2_000;
/** Above every moment. */
const ABOVE_ALL = Number.MAX_SAFE_INTEGER;

/** Records by the room's name then or today. */
const FITS = `${FITS_FILTER} AND (@room IS NULL OR room = @room OR ${ROOM_TODAY} = @room)
  AND (@roomPart IS NULL OR holds_part(room, @roomPart) OR holds_part(${ROOM_TODAY}, @roomPart))
  AND (@state IS NULL OR CASE @state WHEN 'voided' THEN voided_by IS NOT NULL WHEN 'counted' THEN voided_by IS NULL
       WHEN 'provisional' THEN voided_by IS NULL AND provisional = 1 AND t.correction_id IS NULL ELSE origin = @state END)`;

/** The member that voided a record `r`, or the sale that it refunds: of the audit entry that came with the correction. */
const VOIDED_WHO = `(SELECT iif(a.way = 'command', a.origin, a.who) FROM audit a
  WHERE a.position = (SELECT min(position) FROM audit WHERE position > r.voided_by)
    AND a.kind = 'record_voided' AND a.details ->> '$.number' IN (r.number, r.refund_of))`;

/** The records of a user before a position and not before another one, newest first. */
export const BETWEEN = `user_id = @userId AND (effective_ms, number) < (@timeMs, @number)
  AND (effective_ms, number) >= (@fromMs, @fromNumber)`;
const NEWEST_FIRST = "ORDER BY effective_ms DESC, number DESC";

/** The parameters of FITS, with the bound of an answer. */
interface SearchParameters
  extends Omit<RecordFilter, "from" | "to" | "number" | "state" | "within">,
    WithinNames {
  readonly state: RecordState | null;
  readonly userId: Id;
  readonly limit: number;
}

/** The parameters of BETWEEN. */
interface BetweenParameters extends RecordPosition {
  readonly userId: Id;
  readonly fromMs: number;
  readonly fromNumber: number;
}

interface FoundRow extends RecordRow {
  readonly movedBy: number | null;
  readonly voidedWho: string | null;
}

/** The search by time. */
export function recordFinder(db: Database, calendar: LocalCalendar) {
  // SQLite's LIKE takes time by the product of both lengths:
  // an account could make it take milliseconds a record.
  db.function("holds_part", { deterministic: true }, (name: string, part: string) =>
    Number(name.toLowerCase().includes(part)),
  );
  const columns = `${SELECT_RECORD}, t.correction_id AS movedBy, ${VOIDED_WHO} AS voidedWho`;
  const matching = db.prepare<[SearchParameters & BetweenParameters], FoundRow>(
    `SELECT ${columns} FROM record r INDEXED BY record_by_time ${RECORD_CORRECTIONS}
      WHERE ${BETWEEN} AND ${FITS} ${NEWEST_FIRST} LIMIT @limit`,
  );
  const one = db.prepare<[SearchParameters & { readonly recordId: number | null }], FoundRow>(
    `SELECT ${columns} FROM record r ${RECORD_CORRECTIONS} WHERE r.record_id = @recordId AND user_id = @userId AND ${FITS}
      LIMIT @limit`,
  );
  const byNumber = recordByNumber(db);
  const lastLookedAt = db.prepare<[BetweenParameters], RecordPosition>(
    `SELECT effective_ms AS timeMs, number FROM record r INDEXED BY record_by_time
      WHERE ${BETWEEN} ${NEWEST_FIRST} LIMIT 1 OFFSET ${MAX_LOOKED_AT - 1}`,
  );

  // CROSS JOIN: from the corrections to their records, never from all the user's records.
  const moved = db.prepare<[SearchParameters & { since: number; after: number }], FoundRow>(
    `SELECT ${columns}
       FROM correction t CROSS JOIN record r ON r.record_id = t.record_id
       LEFT JOIN correction v ON v.correction_id = voided_by
      WHERE t.correction_id > @after AND t.kind = 'time' AND r.record_id <= @since AND user_id = @userId AND ${FITS}
      ORDER BY t.correction_id LIMIT @limit`,
  );
  const head = headReader(db);

  function find(userId: Id, { filter, before, limit }: RecordSearch): FoundRecords {
    const stretch = stretchOf(filter, calendar);
    const place = placeOf(filter);
    const within = (rows: readonly FoundRow[]) =>
      rows.filter((row) => isWithin(row.createdTimeMs, filter, stretch, calendar)).map(toFound);
    const { number } = filter;
    if (number !== undefined) {
      const recordId = byNumber.get({ userId, number }) ?? null;
      return { records: within(one.all({ userId, recordId, ...place, limit })), next: null };
    }
    const whole = { userId, ...startOf(before, stretch), fromMs: stretch.fromMs, fromNumber: 0 };
    // Where every record fits, the limit alone bounds the work.
    const isAny = Object.values(place).every((each) => each === null);
    const reached = isAny ? undefined : lastLookedAt.get(whole);
    const piece =
      reached === undefined ? whole : { ...whole, fromMs: reached.timeMs, fromNumber: reached.number };
    const rows = matching.all({ ...piece, ...place, limit });
    return {
      records: within(rows),
      next: (rows.length === limit ? positionOf(rows.at(-1)) : reached) ?? null,
    };
  }

  // One transaction: where a piece ends and what is in it see the same commit.
  const read = db.transaction(find);
  return {
    findRecords: (userId, search) => read(userId, search),

    findMoved(userId, { filter, since, after, limit }) {
      const stretch = stretchOf(filter, calendar);
      const [start = 0] = since;
      const asked = { userId, ...placeOf(filter), since: start, after: after ?? start, limit };
      const rows = moved.all(asked);
      const within = rows.filter((row) => isWithin(row.createdTimeMs, filter, stretch, calendar));
      return {
        records: within.map(toFound),
        next: rows.length < limit ? null : (rows.at(-1)?.movedBy ?? null),
      };
    },

    newestEntry: () => head().position,
    mark: () => [head().position],
    chainHead: () => head().hash,
  } satisfies Partial<LedgerReader>;
}

function placeOf({ location, deviceId, room, roomPart, state, within }: RecordFilter) {
  return {
    location,
    deviceId,
    room,
    roomPart: roomPart?.toLowerCase() ?? null,
    state: state ?? null,
    ...withinNames(within),
  };
}

function toFound({ movedBy, voidedWho, ...row }: FoundRow): FoundRecord {
  const record = toRecord(row);
  const voided = record.voided && { ...record.voided, who: voidedWho };
  return { ...record, voided, movedBy };
}

function positionOf(row: FoundRow | undefined): RecordPosition | undefined {
  return row && { timeMs: row.createdTimeMs, number: row.number };
}

export function startOf(before: RecordPosition | null, { untilMs }: Stretch): RecordPosition {
  return before !== null && before.timeMs < untilMs ? before : { timeMs: untilMs, number: 0 };
}

/** The moments at which a record of the filter's days can be. */
export function stretchOf({ from, to }: Pick<RecordFilter, "from" | "to">, calendar: LocalCalendar): Stretch {
  const first = from === null ? undefined : calendar.stretchOf(from, from);
  const last = to === null ? undefined : calendar.stretchOf(to, to);
  return {
    fromMs: first?.fromMs ?? 0,
    insideFromMs: first?.insideFromMs ?? 0,
    insideUntilMs: last?.insideUntilMs ?? ABOVE_ALL,
    untilMs: last?.untilMs ?? ABOVE_ALL,
  };
}

/** Whether a moment is on one of the filter's days. */
export function isWithin(
  timeMs: number,
  { from, to }: Pick<RecordFilter, "from" | "to">,
  stretch: Stretch,
  calendar: LocalCalendar,
): boolean {
  if (timeMs >= stretch.insideFromMs && timeMs < stretch.insideUntilMs) return true;
  const day = calendar.dayOf(timeMs);
  return day >= (from ?? ALL_DAYS.from) && day <= (to ?? ALL_DAYS.to);
}
