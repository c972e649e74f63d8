import type { Database } from "better-sqlite3";
import { DAY_MS } from "../../domain/clock.ts";
import type { RoomToday } from "../../domain/device.ts";
import type { Id } from "../../domain/id.ts";
import type { LedgerReader } from "../../domain/ledger.ts";
import type { LocationLimit } from "../../domain/limit.ts";
import type { RowBudget } from "../engine/reader.ts";
import type { LocalCalendar, Stretch } from "./calendar.ts";
import { AT_LOCATIONS, atLocations, WITHIN, type WithinNames, withinNames } from "./limit.ts";
import { NEWEST_PAID, SELECT_STRETCH, type StretchRow, toStretch } from "./paid-time.ts";
import { ROOM_TODAY } from "./record.ts";

/** The most records of today that are added up, the newest first. */
const MAX_RECORDS = 20_000;

interface RoomRow extends StretchRow {
  readonly deviceId: Id;
  readonly room: string;
  readonly value: number;
  readonly withoutLine: number;
  readonly line: string | null;
  readonly sinceMs: number | null;
}

/** `edgeMs`: null for records that are surely of the day, else their one moment. */
interface SoldRow {
  readonly deviceId: string;
  readonly room: string;
  readonly edgeMs: bigint | null;
  readonly totalMicros: bigint;
  readonly count: bigint;
}

/** What each room of a user's devices has sold today, from a bounded number of records by the index over time. */
export function roomReader(db: Database, calendar: LocalCalendar, budget: RowBudget) {
  const rooms = db.prepare<[{ userId: Id; locations: string | null }], RoomRow>(
    `SELECT d.device_id AS deviceId, a.actuator_id AS room, a.value, a.without_line AS withoutLine, w.line,
            CASE WHEN s.active = a.value THEN s.changed_ms END AS sinceMs, ${SELECT_STRETCH}
       FROM device d JOIN actuator a USING (device_id)
       LEFT JOIN wiring w ON w.device_id = d.device_id AND w.actuator_id = a.actuator_id
       LEFT JOIN line_state s ON s.line = w.line ${NEWEST_PAID}
      WHERE d.user_id = @userId AND ${AT_LOCATIONS} ORDER BY d.device_id, a.position`,
  );
  const sold = db
    .prepare<[Stretch & WithinNames & { userId: Id }], SoldRow>(
      `SELECT device_id AS deviceId, room, sum(valor_micros) AS totalMicros, sum(sales) AS count,
              CASE WHEN effective_ms < @insideFromMs OR effective_ms >= @insideUntilMs THEN effective_ms END AS edgeMs
         FROM (SELECT device_id, ${ROOM_TODAY} AS room, valor_micros, refund_of IS NULL AS sales, effective_ms FROM record r INDEXED BY record_by_time
                WHERE user_id = @userId AND effective_ms >= @fromMs AND effective_ms < @untilMs AND voided_by IS NULL
                  AND ${WITHIN}
                ORDER BY effective_ms DESC LIMIT ${MAX_RECORDS})
        GROUP BY device_id, room, edgeMs`,
    )
    .safeIntegers();

  const soldDays = db.prepare<
    [WithinNames & { userId: Id; fromMs: number; nowMs: number }],
    { deviceId: string; room: string; daysAgo: string }
  >(
    `SELECT device_id AS deviceId, room, json_group_array(DISTINCT ago) AS daysAgo
       FROM (SELECT device_id, ${ROOM_TODAY} AS room, CAST(@nowMs - effective_ms AS INTEGER) / ${DAY_MS} AS ago
               FROM record r INDEXED BY record_by_time
              WHERE user_id = @userId AND effective_ms > @fromMs AND effective_ms <= @nowMs
                AND voided_by IS NULL AND refund_of IS NULL AND ${WITHIN})
      GROUP BY device_id, room`,
  );

  // One transaction: levels and sums are of the same commit.
  const read = db.transaction(
    (userId: Id, nowMs: number, limit: LocationLimit | null = null): readonly RoomToday[] => {
      const today = calendar.dayOf(nowMs);
      const sums = new Map<string, Pick<RoomToday, "totalMicros" | "count">>();
      const stretch = calendar.stretchOf(today, today);
      budget.spendRecords(userId, stretch.fromMs, stretch.untilMs);
      for (const row of sold.all({ userId, ...stretch, ...withinNames(limit?.names ?? null) })) {
        if (row.edgeMs !== null && calendar.dayOf(Number(row.edgeMs)) !== today) continue;
        const key = JSON.stringify([row.deviceId, row.room]);
        const before = sums.get(key);
        sums.set(key, {
          totalMicros: (before?.totalMicros ?? 0n) + row.totalMicros,
          count: (before?.count ?? 0) + Number(row.count),
        });
      }
      const nothing = { totalMicros: 0n, count: 0 };
      return rooms
        .all({ userId, ...atLocations(limit) })
        .map(({ deviceId, room, value, withoutLine, line, sinceMs, ...paid }) => ({
          deviceId,
          room,
          active: value === 1,
          line,
          withoutLine: withoutLine === 1 && line === null,
          sinceMs,
          paid: toStretch(paid, nowMs),
          ...(sums.get(JSON.stringify([deviceId, room])) ?? nothing),
        }));
    },
  );
  return {
    roomsToday: read,
    roomDays: (userId, days, nowMs, within = null) => {
      const fromMs = nowMs - days * DAY_MS;
      budget.spendRecords(userId, fromMs, nowMs);
      const rows = soldDays.all({ userId, fromMs, nowMs, ...withinNames(within) });
      return rows.map(({ daysAgo, ...room }) => ({ ...room, daysAgo: JSON.parse(daysAgo) as number[] }));
    },
  } satisfies Partial<LedgerReader>;
}
