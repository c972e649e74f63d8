import type { Database } from "better-sqlite3";
import type { SettlementContent } from "../../contract/settlement.ts";
import { contentOf } from "../../contract/settlement-text.ts";
import { microsFromValor } from "../../domain/amount.ts";
import { SERVICE_ACTOR } from "../../domain/audit.ts";
import { firstDayOf, formatMonth, type Month, monthAfter, parseMonth } from "../../domain/day.ts";
import { FlancoError } from "../../domain/error.ts";
import type { Id } from "../../domain/id.ts";
import type { LedgerCommands, LedgerReader } from "../../domain/ledger.ts";
import { unknownLocation } from "../../domain/location.ts";
import {
  closedMeanwhile,
  type NewSettlement,
  type SettlementDetails,
  type SettlementHead,
  type StoredSettlement,
} from "../../domain/settlement.ts";
import { inHundredths, type LocationTerms, type Terms, termsIn } from "../../domain/terms.ts";
import { readHead } from "../engine/chain.ts";
import type { WriteContext } from "../engine/commands.ts";
import type { RowBudget } from "../engine/reader.ts";
import { AUDIT_TIME } from "./audit.ts";
import type { LocalCalendar } from "./calendar.ts";
import { locationNames } from "./location.ts";
import { type SettledMonth, type SettledRecord, SettlementSheet } from "./settlement-sheet.ts";

/** A month's stretch of time, and the entries between whose marks it is settled. */
interface Marks {
  readonly userId: Id;
  readonly fromMs: number;
  readonly untilMs: number;
  readonly since: number;
  readonly mark: number;
}

type SettledGap = SettlementContent["gaps"][number];
/** What a later settlement reads of an earlier one. */
type EarlierSettlement = Pick<SettlementContent, "month" | "from" | "locations" | "correctedMonths">;

/** The time of a record `r` by the entries up to one; null where it was not there yet. */
const timeAt = (mark: string) => `iif(r.record_id <= ${mark}, coalesce((SELECT time_ms FROM correction c
  WHERE c.record_id = r.record_id AND c.kind = 'time' AND c.correction_id <= ${mark} ORDER BY correction_id DESC LIMIT 1), created_ms), NULL)`;
const SETTLED = `SELECT r.record_id AS recordId, number, location_name AS locationName, device_id AS deviceId,
  device_name AS deviceName, room, valor_micros AS valorMicros, origin, ${timeAt("@mark")} AS afterMs,
  iif(voided_by <= @since, NULL, ${timeAt("@since")}) AS beforeMs, coalesce(voided_by <= @mark, 0) AS isVoid,
  provisional = 1 AND NOT EXISTS (SELECT 1 FROM correction c
     WHERE c.record_id = r.record_id AND c.kind = 'time' AND c.correction_id <= @mark) AS provisional`;
const IS_OWN = "effective_ms >= @fromMs AND effective_ms < @untilMs";
const IS_LATE = "r.record_id > @since AND effective_ms < @fromMs";
/** Every record that can count in a settlement, each once: by the time that it has today, new ones, and corrected ones. */
const SOURCES = [
  `FROM record r INDEXED BY record_by_time WHERE user_id = @userId AND r.record_id <= @mark AND ${IS_OWN}`,
  `FROM record r NOT INDEXED WHERE user_id = @userId AND r.record_id <= @mark AND ${IS_LATE}`,
  `FROM correction k CROSS JOIN record r ON r.record_id = k.record_id
    WHERE k.correction_id > @since AND r.record_id <= @mark AND user_id = @userId AND NOT (${IS_OWN}) AND NOT (${IS_LATE})
      AND NOT EXISTS (SELECT 1 FROM correction e
                       WHERE e.record_id = k.record_id AND e.correction_id > @since AND e.correction_id < k.correction_id)`,
];

/** The newest gaps that are listed. */
const MAX_SETTLED_GAPS = 200;

const CLOSED = `FROM closed_month c JOIN audit a USING (user_id, number) LEFT JOIN boot USING (boot) WHERE c.user_id = ?`;
const HEAD = `c.month, number, position, lower(hex(hash)) AS hash, ${AUDIT_TIME} AS timeMs, who, origin AS "from"`;

export function settlementReader(
  db: Database,
  calendar: LocalCalendar,
  budget: Pick<RowBudget, "spendRows" | "spendRecords">,
) {
  const heads = db.prepare<[Id, number], SettlementHead>(
    `SELECT ${HEAD} ${CLOSED} ORDER BY c.month DESC LIMIT ?`,
  );
  const one = db.prepare<[Id, Month], StoredSettlement>(
    `SELECT ${HEAD}, details ->> '$.report' AS text ${CLOSED} AND c.month = ?`,
  );
  const newestBefore = db.prepare<[Id, Month], StoredSettlement>(
    `SELECT ${HEAD}, details ->> '$.report' AS text ${CLOSED} AND c.month < ? ORDER BY c.month DESC LIMIT 1`,
  );
  const terms = db.prepare<[Id], Omit<LocationTerms, "closesItself"> & { closesItself: number }>(
    `SELECT location_name AS location, printf('%04d-%02d', from_month / 100, from_month % 100) AS "from", kind,
            share / 100.0 AS share, amount_micros / 1e6 AS amount, vat / 100.0 AS vat,
            company_signer AS companySigner, clinic_signer AS clinicSigner, closes_itself AS closesItself
       FROM location_terms WHERE user_id = ? ORDER BY location_name, from_month DESC`,
  );
  const locations = db.prepare<[Id], string>("SELECT name FROM location WHERE user_id = ?").pluck();
  const names = db.prepare<[Id], { name: string; today: string }>(
    `SELECT n.name, l.name AS today FROM location_name n JOIN location l USING (location_id) WHERE n.user_id = ?`,
  );
  const sources = SOURCES.map((source) => db.prepare<[Marks], SettledRecord>(`${SETTLED} ${source}`));
  const between = db
    .prepare<{ userId: Id; first: number; last: number }, number>(
      "SELECT count(*) FROM record NOT INDEXED WHERE record_id BETWEEN @first AND @last AND user_id = @userId",
    )
    .pluck();
  const TOUCHING = "g.user_id = @userId AND to_ms >= @fromMs AND from_ms < @untilMs";
  const gaps = db.prepare<[Marks], SettledGap>(
    `SELECT g.line, from_ms AS fromTime, to_ms AS toTime, missed, missed_rises AS missedRises, reason,
            location_name AS location, actuator_id AS room
       FROM gap g LEFT JOIN wiring w ON w.line = g.line AND w.user_id = g.user_id LEFT JOIN device USING (device_id)
      WHERE ${TOUCHING} ORDER BY g.number DESC LIMIT ${MAX_SETTLED_GAPS}`,
  );
  const gapCount = db.prepare<[Marks], number>(`SELECT count(*) FROM gap g WHERE ${TOUCHING}`).pluck();

  const allTerms = (userId: Id): readonly LocationTerms[] =>
    terms.all(userId).map((row) => ({ ...row, closesItself: row.closesItself === 1 }));

  function settlement(userId: Id, month: Month): StoredSettlement {
    const stored = one.get(userId, month);
    if (stored !== undefined) return stored;
    throw new FlancoError("not_found", `${formatMonth(month)} is not closed.`, {
      hint: "GET /api/settlements lists the closed months.",
    });
  }

  /** The settlements before a month, newest first, read as far back as a condition says. */
  function settledBefore(userId: Id, before: Month) {
    const read: EarlierSettlement[] = [];
    return (isOldest: (settlement: EarlierSettlement) => boolean): readonly EarlierSettlement[] => {
      while (!read.some(isOldest)) {
        const earlier = newestBefore.get(userId, parseMonth(read.at(-1)?.month ?? "") ?? before);
        if (earlier === undefined) return read;
        const { month, from, locations, correctedMonths } = contentOf(earlier);
        read.push({ month, from, locations, correctedMonths });
      }
      return read.slice(0, read.findIndex(isOldest) + 1);
    };
  }

  // One transaction: all of it is of one commit.
  const draft = db.transaction(
    (userId: Id, month: Month, details: SettlementDetails | null): NewSettlement => {
      if (details !== null)
        requireNext(month, heads.get(userId, 1)?.month, one.get(userId, month) !== undefined);
      const made = details ?? contentOf(settlement(userId, month));
      const closed = "mark" in made ? made : undefined;
      const { time, currency } = made;
      const counted = details?.counted ?? new Map<string, number>();
      const before = newestBefore.get(userId, month);
      const previous = before && contentOf(before);
      const head = readHead(db);
      const mark = closed?.mark ?? head;
      const since = previous?.mark.position ?? mark.position;
      const beginOf = (of: Month) => calendar.stretchOf(firstDayOf(of), firstDayOf(of)).fromMs;
      // Where the zone was changed since, no moment is in two months, nor in none.
      const fromMs = closed?.from ?? previous?.until ?? beginOf(month);
      const firstMs = closed?.first ?? previous?.first ?? fromMs;
      const untilMs = closed?.until ?? beginOf(monthAfter(month));
      budget.spendRecords(userId, fromMs, untilMs);
      budget.spendRows(head.position - since);

      // A closed month stays by its own names and terms, whatever its locations are called today.
      const settled = closed?.locations;
      const today = new Map(
        settled?.flatMap(({ name, names }) => names.map((known) => [known, name] as const)) ??
          names.all(userId).map(({ name, today }) => [name, today] as const),
      );
      const namesOf = (name: string) => [
        ...new Set([name, ...[...today].flatMap(([known, of]) => (of === name ? known : []))]),
      ];
      const all = allTerms(userId);
      const termsOf = (name: string) =>
        settled === undefined
          ? termsIn(all, name, month)
          : (settled.find((known) => known.name === name)?.terms ?? null);
      const earlier = settledBefore(userId, month);
      const sheet = new SettlementSheet({
        ...{ firstMs, fromMs, untilMs, currency, counted, termsOf },
        agreed:
          settled?.map(({ name }) => name) ?? locations.all(userId).filter((name) => termsOf(name) !== null),
        nameToday: (name) => today.get(name) ?? name,
        namesOf,
        monthOf: (timeMs) => earlier(({ from }) => from <= timeMs).at(-1)?.month ?? "",
        settledOf: (name, closedMonth) =>
          settledMonth(
            earlier((one) => one.month === closedMonth),
            namesOf(name),
            closedMonth,
          ),
        countBetween: (first, last) => between.get({ userId, first, last }) ?? 0,
      });
      const marks = { userId, fromMs, untilMs, since, mark: mark.position };
      for (const source of sources) for (const row of source.iterate(marks)) sheet.add(row);
      const content: SettlementContent = {
        ...{ month: formatMonth(month), time, timeZone: closed?.timeZone ?? calendar.timeZone, currency },
        ...{ first: firstMs, from: fromMs, until: untilMs, previous: before?.number ?? null, since, mark },
        ...sheet.settle(),
        gaps: gaps.all(marks),
        moreGaps: Math.max(0, (gapCount.get(marks) ?? 0) - MAX_SETTLED_GAPS),
      };
      return { month, previous: content.previous, text: JSON.stringify(content) };
    },
  );

  return {
    terms: allTerms,
    settlements: (userId, limit) => heads.all(userId, limit),
    settlement,
    draftSettlement: draft,
  } satisfies Partial<LedgerReader>;
}

/** What was settled of a location's month: by its own settlement, and by the corrections of later ones. */
function settledMonth(
  settlements: readonly EarlierSettlement[],
  names: readonly string[],
  month: string,
): SettledMonth {
  let netMicros = 0n;
  let terms: Terms | null = null;
  for (const settlement of settlements) {
    const own = settlement.locations.filter((location) =>
      location.names.some((name) => names.includes(name)),
    );
    if (settlement.month === month) {
      for (const { net } of own) netMicros += BigInt(microsFromValor(net));
      terms = own.find((location) => location.terms !== null)?.terms ?? null;
    }
    const known = new Set(own.map(({ name }) => name));
    for (const corrected of settlement.correctedMonths) {
      if (corrected.month !== month || !known.has(corrected.location)) continue;
      netMicros += BigInt(microsFromValor(corrected.net));
    }
  }
  return { netMicros, terms };
}

function requireNext(month: Month, newest: Month | undefined, isClosed: boolean): void {
  if (newest === undefined || month === monthAfter(newest)) return;
  if (isClosed) {
    throw new FlancoError("conflict", `${formatMonth(month)} is closed already.`, {
      hint: "What comes later for it stands in the next settlement, as a correction.",
    });
  }
  const next = formatMonth(monthAfter(newest));
  throw new FlancoError("conflict", `Months are closed in their order: the next one is ${next}.`, {
    hint: month > newest ? `Close ${next} first.` : "A month before the first that was closed stays open.",
  });
}

export function settlementCommands(db: Database, context: WriteContext) {
  const newest = db.prepare<[Id], { month: Month; number: number }>(
    "SELECT month, number FROM closed_month WHERE user_id = ? ORDER BY month DESC LIMIT 1",
  );
  const close = db.prepare<[Id, Month, number | null]>(
    "INSERT INTO closed_month (user_id, month, number) VALUES (?, ?, ?)",
  );
  const nameOf = locationNames(db);
  const set = db.prepare<[Readonly<Record<string, string | number | bigint>>]>(
    `INSERT OR REPLACE INTO location_terms (user_id, location_name, from_month, kind, share, amount_micros, vat,
                                            company_signer, clinic_signer, closes_itself)
     VALUES (@userId, @location, @from, @kind, @share, @amountMicros, @vat, @companySigner, @clinicSigner, @closesItself)`,
  );
  return {
    setTerms(userId, locationId, terms, by = SERVICE_ACTOR) {
      const location = nameOf.get(userId, locationId);
      if (location === undefined) throw unknownLocation();
      const closed = newest.get(userId)?.month ?? 0;
      const from = parseMonth(terms.from) ?? 0;
      if (from <= closed) {
        const message = `${terms.from} is closed: its settlement stays as it was signed.`;
        throw new FlancoError("conflict", message, {
          hint: `Set the terms from ${formatMonth(monthAfter(closed))} on.`,
        });
      }
      context.audit.requireFew(userId, by);
      set.run({
        ...{ ...terms, userId, location, from, closesItself: Number(terms.closesItself) },
        amountMicros: microsFromValor(terms.amount),
        ...{ share: inHundredths(terms.share), vat: inHundredths(terms.vat) },
      });
      context.audit.note("terms_set", userId, { location, ...terms }, by);
      context.tell({ kind: "settlement", userId });
    },
    closeMonth(userId, { month, previous, text }, by = SERVICE_ACTOR) {
      if ((newest.get(userId)?.number ?? null) !== previous) throw closedMeanwhile();
      context.audit.requireFew(userId, by);
      const number = context.audit.note(
        "month_closed",
        userId,
        { month: formatMonth(month), report: text },
        by,
      );
      close.run(userId, month, number);
      context.tell({ kind: "settlement", userId });
      return number;
    },
  } satisfies Partial<LedgerCommands>;
}
