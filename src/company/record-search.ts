import {
  type FoundMoved,
  type FoundRecord,
  type FoundRecords,
  type LedgerMark,
  type MovedSearch,
  NUMBERS_OF_LEDGER,
  RECORD_FIELDS,
  type RecordEntry,
  type RecordFilter,
  type RecordSearch,
} from "../domain/record.ts";
import type { LocalCalendar, Stretch } from "../ledger/nouns/calendar.ts";
import { isWithin, MAX_LOOKED_AT, startOf, stretchOf } from "../ledger/nouns/record-search.ts";
import type { CompanyQuery } from "./connection-pool.ts";
import { idOf, placeOf } from "./entry-id.ts";

/** The SQL of a sale's field, from its canonical form: a JSON list that begins with the entry's kind. */
export function fieldOf(list: string, name: (typeof RECORD_FIELDS)[number]): string {
  return `${list} ->> ${RECORD_FIELDS.indexOf(name) + 1}`;
}

/** The SQL of a field of a sale `e` with its parsed canonical form. */
function field(name: (typeof RECORD_FIELDS)[number]): string {
  return fieldOf("e.fields", name);
}

const FITS = `(@location::text IS NULL OR ${field("locationName")} = @location) AND (@device::text IS NULL OR ${field("deviceId")} = @device)
  AND (@room::text IS NULL OR ${field("room")} = @room) AND (@pattern::text IS NULL OR ${field("room")} ~ @pattern)
  AND (@ofNumber::text IS NULL OR ${field("number")} = @ofNumber)
  AND (@state::text IS NULL OR CASE @state::text WHEN 'voided' THEN e.void_position IS NOT NULL WHEN 'counted' THEN e.void_position IS NULL
       WHEN 'provisional' THEN e.void_position IS NULL AND e.moved_by IS NULL AND ${field("provisional")} = '1'
       ELSE ${field("origin")} = @state END)`;

/**
 * What was given back of a sale `e`: the refunds with its number of its account that count, in each ledger that has
 * this sale. After a restore two ledgers may have given the same number to two sales.
 */
const REFUNDED = `(SELECT sum(-r.valor_micros) FROM flanco.entry r
   WHERE r.company = @company AND r.gateway = e.gateway AND r.refund_of = e.number AND r.voided_by IS NULL
     AND r.text::jsonb ->> 2 = ${field("userId")} AND (r.branch = e.branch OR e.branch IN (
       WITH RECURSIVE line AS (
         SELECT b.* FROM flanco.branch b WHERE b.company = @company AND b.gateway = e.gateway AND b.branch = r.branch
         UNION ALL
         SELECT b.* FROM line l JOIN flanco.branch b USING (company, gateway) WHERE b.branch = l.parent AND l.start > e.position)
       SELECT branch FROM line)))`;

/**
 * The columns of a sale `e` with the entry `v` that voids it, whose reason and time stand
 * at the end of its canonical form, and with the audit entry `a` that says who did.
 */
const COLUMNS = `e.id AS "recordId", e.effective_ms AS "createdTimeMs", e.moved_by AS "movedBy",
  (SELECT g.time_zone FROM flanco.gateway g WHERE g.company = @company AND g.gateway = e.gateway) AS "timeZone",
  e.fields::text AS text, v.fields ->> -2 AS "voidReason", v.fields ->> -1 AS "voidedMs",
  CASE WHEN ((a.fields ->> 9)::jsonb ->> 'number')::bigint IN (e.number, e.refund_of)
       THEN CASE a.fields ->> 6 WHEN 'command' THEN a.fields ->> 8 ELSE a.fields ->> 7 END END AS "voidedWho",
  CASE WHEN e.refund_of IS NULL THEN ${REFUNDED} END AS "refundedMicros"`;
const { branch, position } = placeOf("voided_by");
/** The entry that says who voided a sale follows the corrections of the sale and of its refunds, of which there are seldom many. */
const VOIDED_TOGETHER = 100;
/**
 * The place of the voiding entry, and the sale's number. They are computed before these entries are looked up: where a policy
 * hides the rows of other companies, PostgreSQL uses an index only for comparisons with a plain column or value.
 */
const VOIDED_BY = `${branch} AS void_branch, ${position} AS void_position, ${position} + ${VOIDED_TOGETHER} AS void_until`;
const NUMBER = `(${field("number")})::bigint AS number`;
const VOIDING = `LEFT JOIN LATERAL (SELECT c.text::jsonb AS fields FROM flanco.entry c WHERE c.company = @company AND c.gateway = e.gateway
  AND c.branch = e.void_branch AND c.position = e.void_position OFFSET 0) v ON true
  LEFT JOIN LATERAL (SELECT w.text::jsonb AS fields FROM flanco.entry w WHERE w.company = @company AND w.gateway = e.gateway
     AND w.branch = e.void_branch AND w.position > e.void_position AND w.position <= e.void_until
     AND w.text LIKE '["record_voided",%' ORDER BY w.position LIMIT 1) a ON true`;

/**
 * The newest sales before a position: at most `@limit` that fit,
 * among the `@lookedAt` newest. Of all gateways, or of one.
 */
function searchSql(ofGateway: string): string {
  return `WITH looked AS MATERIALIZED (
      SELECT *, row_number() OVER (ORDER BY effective_ms DESC, id DESC) AS n FROM (
        SELECT gateway, branch, position, id, effective_ms, moved_by, refund_of, text::jsonb AS fields, ${VOIDED_BY} FROM flanco.entry
         WHERE company = @company ${ofGateway} AND (effective_ms, id) < (@timeMs::bigint, @number::bigint) AND effective_ms >= @fromMs
         ORDER BY effective_ms DESC, id DESC LIMIT @lookedAt) newest)
    SELECT l."reachedMs", l."reachedId", r.*
      FROM (SELECT max(effective_ms) FILTER (WHERE n = @lookedAt) AS "reachedMs", max(id) FILTER (WHERE n = @lookedAt) AS "reachedId" FROM looked) l
      LEFT JOIN (SELECT e.n, ${COLUMNS} FROM (SELECT *, ${NUMBER} FROM looked e WHERE ${FITS} ORDER BY n LIMIT @limit) e ${VOIDING}) r ON true
     ORDER BY r.n`;
}
const SEARCH = searchSql("");
const SEARCH_OF_GATEWAY = searchSql("AND gateway = @gateway");

/** Sales that were there at these marks, and were moved after and before these entries: at most `@limit`. */
const MOVED = `SELECT ${COLUMNS} FROM (
    SELECT *, ${NUMBER} FROM (
      SELECT e.*, e.text::jsonb AS fields, ${VOIDED_BY} FROM unnest(@marks::bigint[], @after::bigint[], @until::bigint[]) r(mark, after, until)
        CROSS JOIN LATERAL (SELECT * FROM flanco.entry m WHERE m.company = @company AND m.moved_by > r.after AND m.moved_by < r.until
           AND m.id <= r.mark OFFSET 0) e OFFSET 0) e OFFSET 0) e ${VOIDING} WHERE ${FITS} ORDER BY e.moved_by LIMIT @limit`;

/** The gateways that have sold at a location or with a device: at most two. */
const SELLING = `SELECT DISTINCT gateway FROM flanco.device
  WHERE company = @company AND (@location::text IS NULL OR location = @location) AND (@device::text IS NULL OR device = @device) LIMIT 2`;

/** Of the newest branch, also while a ledger goes on in an older one, so that a mark never goes back. */
const MARK = `SELECT coalesce(e.id, ${idOf("g.gateway", "1", "0")}) AS newest
    FROM flanco.gateway g LEFT JOIN LATERAL (SELECT id FROM flanco.entry e WHERE e.company = g.company AND e.gateway = g.gateway
           ORDER BY e.branch DESC, e.position DESC LIMIT 1) e ON true
   WHERE g.company = @company ORDER BY g.gateway`;

/** Numbers of 64 bits come as texts. */
interface RecordRow {
  readonly recordId: string;
  readonly createdTimeMs: string;
  readonly movedBy: string | null;
  readonly timeZone: string;
  /** The canonical form. */
  readonly text: string;
  readonly voidReason: string | null;
  readonly voidedMs: string | null;
  readonly voidedWho: string | null;
  readonly refundedMicros: string | null;
}

type SearchRow = { readonly reachedMs: string | null; readonly reachedId: string | null } & (
  | RecordRow
  | { readonly recordId: null }
);

/** A company's database, read within one transaction. */
export interface CompanyView {
  readonly query: CompanyQuery;
  /** The calendars of its gateways' zones. */
  readonly calendars: readonly LocalCalendar[];
}

/**
 * The sales of a company by time. A room has the name that it had then.
 * The end of a sale is unknown, because it is no entry of the chain.
 */
export class CompanyRecords {
  readonly #view: CompanyView;

  constructor(view: CompanyView) {
    this.#view = view;
  }

  async find({ filter, before, limit }: RecordSearch): Promise<FoundRecords> {
    const { location, deviceId } = filter;
    const stretch = this.#stretchOf(filter);
    const asked = askedOf(filter);
    const isAny = Object.values(asked).every((each) => each === null);
    let sql = SEARCH;
    let gateway: number | undefined;
    if (location !== null || deviceId !== null) {
      const [one, other] = await this.#view.query<{ gateway: number }>(SELLING, asked);
      if (one === undefined) return { records: [], next: null };
      // The records of a single clinic are searched by themselves, not among those of all.
      if (other === undefined) {
        sql = SEARCH_OF_GATEWAY;
        gateway = one.gateway;
      }
    }
    const rows = await this.#view.query<SearchRow>(sql, {
      ...asked,
      ...startOf(before, stretch),
      fromMs: stretch.fromMs,
      limit,
      // Where every record fits, the limit alone bounds the work.
      lookedAt: isAny ? limit : MAX_LOOKED_AT,
      gateway,
    });
    const { reachedMs = null, reachedId = null } = rows[0] ?? {};
    const found = rows.filter((row) => row.recordId !== null).map(toFound);
    const last = found.length === limit ? found.at(-1) : undefined;
    const reached = reachedMs === null ? null : { timeMs: Number(reachedMs), number: Number(reachedId ?? 0) };
    return {
      records: this.#within(found, filter, stretch),
      next:
        last === undefined ? reached : { timeMs: last.record.createdTimeMs, number: last.record.recordId },
    };
  }

  async findMoved({ filter, since, after, limit }: MovedSearch): Promise<FoundMoved> {
    const rows = await this.#view.query<RecordRow>(MOVED, {
      ...askedOf(filter),
      marks: since,
      after: since.map((mark) => Math.max(mark, after ?? 0)),
      until: since.map((mark) => (Math.floor(mark / NUMBERS_OF_LEDGER) + 1) * NUMBERS_OF_LEDGER),
      limit,
    });
    const found = rows.map(toFound);
    return {
      records: this.#within(found, filter, this.#stretchOf(filter)),
      next: found.length < limit ? null : (found.at(-1)?.record.movedBy ?? null),
    };
  }

  async mark(): Promise<LedgerMark> {
    const rows = await this.#view.query<{ newest: string }>(MARK);
    return rows.map(({ newest }) => Number(newest));
  }

  /** The stretch of the filter's days in all zones. */
  #stretchOf(filter: RecordFilter): Stretch {
    const all = this.#view.calendars.map((calendar) => stretchOf(filter, calendar));
    return {
      fromMs: Math.min(...all.map(({ fromMs }) => fromMs)),
      insideFromMs: Math.max(...all.map(({ insideFromMs }) => insideFromMs)),
      insideUntilMs: Math.min(...all.map(({ insideUntilMs }) => insideUntilMs)),
      untilMs: Math.max(...all.map(({ untilMs }) => untilMs)),
    };
  }

  #within(
    found: readonly { readonly record: FoundRecord; readonly timeZone: string }[],
    filter: RecordFilter,
    stretch: Stretch,
  ): readonly FoundRecord[] {
    return found
      .filter(({ record, timeZone }) => {
        const calendar = this.#view.calendars.find((each) => each.timeZone === timeZone);
        return calendar === undefined || isWithin(record.createdTimeMs, filter, stretch, calendar);
      })
      .map(({ record }) => record);
  }
}

/** The parameters of FITS. */
function askedOf({ location, deviceId, room, roomPart, number, state }: RecordFilter) {
  const pattern = roomPart === null ? null : patternOf(roomPart);
  return {
    location,
    device: deviceId,
    room,
    pattern,
    ofNumber: number?.toString() ?? null,
    state: state ?? null,
  };
}

/**
 * A class of a pattern that fits a letter in both cases;
 * undefined where there are not two of one character each.
 */
function bothCases(letter: string): string | undefined {
  const cases = [letter.toLowerCase(), letter.toUpperCase()];
  const isLetter = cases[0] !== cases[1] && cases.every((each) => [...each].length === 1);
  return isLetter ? `[${cases.join("")}]` : undefined;
}

/** A regular expression for a part of a name, without regard to case. */
function patternOf(part: string): string {
  return Array.from(part, (letter) => bothCases(letter) ?? letter.replace(/[^\p{L}\p{N}]/u, "\\$&")).join("");
}

function toFound(row: RecordRow): { readonly record: FoundRecord; readonly timeZone: string } {
  const {
    timeZone,
    voidReason,
    voidedMs,
    voidedWho,
    recordId,
    createdTimeMs,
    movedBy,
    refundedMicros,
    text,
  } = row;
  const [, ...fields] = JSON.parse(text) as readonly unknown[];
  const entry: unknown = Object.fromEntries(
    RECORD_FIELDS.map((name, index) => [name, fields[index] ?? null]),
  );
  const { position, userId, bootId, line, request, sequence, monotonicNs, ...same } = entry as RecordEntry;
  const record: FoundRecord = {
    ...same,
    recordId: Number(recordId),
    createdTimeMs: Number(createdTimeMs),
    endedTimeMs: null,
    provisional: same.provisional === 1 && movedBy === null,
    voided: voidedMs === null ? null : { timeMs: Number(voidedMs), reason: voidReason ?? "", who: voidedWho },
    movedBy: movedBy === null ? null : Number(movedBy),
    refundedMicros: Number(refundedMicros ?? 0),
    paid: null,
  };
  return { record, timeZone };
}
