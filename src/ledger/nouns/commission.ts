import type { Database } from "better-sqlite3";
import { SERVICE_ACTOR } from "../../domain/audit.ts";
import type {
  AcceptanceReportHead,
  CommissionScope,
  StoredAcceptanceReport,
  StoredCommission,
  StoredRoom,
  Tick,
} from "../../domain/commission.ts";
import { FlancoError } from "../../domain/error.ts";
import type { Id } from "../../domain/id.ts";
import type { LedgerCommands, LedgerReader } from "../../domain/ledger.ts";
import type { WriteContext } from "../engine/commands.ts";
import type { RowBudget } from "../engine/row-budget.ts";
import { AUDIT_TIME } from "./audit.ts";

type RoomRow = {
  readonly room: string;
  readonly value: number;
  readonly withoutLine: number;
} & ({ readonly line: null } | WiredRow);

interface WiredRow extends Omit<NonNullable<StoredRoom["wired"]>, "activeLow"> {
  readonly activeLow: number;
}

/** A row whose time may not be trusted. */
type Timed<R> = Omit<R, "provisional"> & { readonly provisional: number };

const REPORTS = `
  FROM audit LEFT JOIN boot USING (boot) WHERE kind = 'commissioned' AND user_id = ?`;
const HEAD = `audit_id AS auditId, ${AUDIT_TIME} AS timeMs, boot IS NOT NULL AND zero_ms IS NULL AS provisional`;

export function commissionReader(db: Database, budget: Pick<RowBudget, "spendBytes">) {
  const all = db.prepare<[], Pick<StoredCommission, "userId" | "begunMs"> & { scope: string }>(
    "SELECT user_id AS userId, begun_ms AS begunMs, scope FROM commission",
  );
  const rooms = db.prepare<[Id], RoomRow>(
    `SELECT a.actuator_id AS room, value, without_line AS withoutLine, line, active_low AS activeLow, bias,
            debounce_ms AS debounceMs, rearm_ms AS rearmMs
       FROM actuator a LEFT JOIN wiring w ON w.device_id = a.device_id AND w.actuator_id = a.actuator_id
      WHERE a.device_id = ? ORDER BY position`,
  );
  // Not joined: a tick is longer than a page keeps, and a look for one reads others whole.
  const ticks = db.prepare<[Id], { readonly room: string; readonly tick: string }>(
    "SELECT actuator_id AS room, tick FROM commission_tick WHERE device_id = ?",
  );
  const bytes = db
    .prepare<[Id, number], number | null>(
      `SELECT sum(bytes) FROM (SELECT octet_length(details) AS bytes ${REPORTS} ORDER BY audit_id DESC LIMIT ?)`,
    )
    .pluck();
  const heads = db.prepare<[Id, number], Timed<AcceptanceReportHead>>(
    `SELECT ${HEAD}, details ->> '$.technician' AS technician, details ->> '$.clinic' AS clinic,
            details ->> '$.rooms' AS rooms, details ->> '$.good' AS good, details ->> '$.attention' AS attention,
            details ->> '$.untested' AS untested ${REPORTS} ORDER BY audit_id DESC LIMIT ?`,
  );
  const one = db.prepare<[Id, number], Timed<StoredAcceptanceReport>>(
    `SELECT ${HEAD}, who, origin AS "from", lower(hex(hash)) AS hash, details ->> '$.report' AS text ${REPORTS} AND audit_id = ?`,
  );
  return {
    commissions: () =>
      all.all().map(({ scope, ...row }) => ({ ...row, ...(JSON.parse(scope) as CommissionScope) })),
    // One transaction: both statements see the same commit.
    commissionRooms: db.transaction((deviceId: Id): readonly StoredRoom[] => {
      const ticked = new Map(ticks.all(deviceId).map(({ room, tick }) => [room, tick]));
      return rooms.all(deviceId).map((row) => toStoredRoom(row, ticked.get(row.room)));
    }),
    acceptanceReports(userId, limit) {
      budget.spendBytes(bytes.get(userId, limit) ?? 0);
      return heads.all(userId, limit).map((row) => ({ ...row, provisional: row.provisional === 1 }));
    },
    acceptanceReport(userId, auditId) {
      const row = one.get(userId, auditId);
      return row && { ...row, provisional: row.provisional === 1 };
    },
  } satisfies Partial<LedgerReader>;
}

/** @param tick JSON; undefined for a room that is not ticked off */
function toStoredRoom({ room, value, withoutLine, ...row }: RoomRow, tick: string | undefined): StoredRoom {
  return {
    room,
    active: value === 1,
    withoutLine: withoutLine === 1 && row.line === null,
    wired: row.line === null ? null : toWired(row),
    // The room may have been given another name since.
    tick: tick === undefined ? null : { ...(JSON.parse(tick) as Tick), room },
  };
}

function toWired({ line, activeLow, bias, debounceMs, rearmMs }: WiredRow): StoredRoom["wired"] {
  return { line, activeLow: activeLow === 1, bias, debounceMs, rearmMs };
}

export function commissionCommands(
  db: Database,
  context: WriteContext,
  tests: Pick<LedgerCommands, "beginTest" | "endTest">,
) {
  const open = db.prepare<[Id, number, string]>(
    `INSERT INTO commission (user_id, begun_ms, scope) VALUES (?, ?, ?)
     ON CONFLICT (user_id) DO UPDATE SET scope = excluded.scope`,
  );
  const scopeOf = db.prepare<[Id], string>("SELECT scope FROM commission WHERE user_id = ?").pluck();
  const close = db.prepare<[Id]>("DELETE FROM commission WHERE user_id = ?");
  const forget = db.prepare<[Id]>(
    "DELETE FROM commission_tick WHERE device_id IN (SELECT device_id FROM device WHERE user_id = ?)",
  );
  const insert = db.prepare<[Id, string, string]>(
    "INSERT OR REPLACE INTO commission_tick (device_id, actuator_id, tick) VALUES (?, ?, ?)",
  );
  const roomOf = db.prepare<[Id, Id, string]>(
    `SELECT 1 FROM actuator JOIN device USING (device_id) WHERE user_id = ? AND device_id = ? AND actuator_id = ?`,
  );

  function requireOpen(userId: Id): CommissionScope {
    const scope = scopeOf.get(userId);
    if (scope === undefined) {
      throw new FlancoError("conflict", "No commissioning is open.", { hint: "Begin one first." });
    }
    return JSON.parse(scope) as CommissionScope;
  }

  return {
    beginCommission(userId, scope, lines, lifeMs, by = SERVICE_ACTOR) {
      if (lines.length > 0) tests.beginTest(userId, lines, lifeMs, by);
      open.run(userId, context.nowMs(), JSON.stringify(scope));
      context.tell({ kind: "commission", userId });
    },
    tickRoom(userId, tick) {
      requireOpen(userId);
      if (roomOf.get(userId, tick.deviceId, tick.room) === undefined) {
        throw new FlancoError("not_found", `There is no room ${tick.room}.`);
      }
      insert.run(tick.deviceId, tick.room, JSON.stringify(tick));
      context.tell({ kind: "commission", userId });
    },
    endCommission(userId, report, by = SERVICE_ACTOR) {
      if (report === null && scopeOf.get(userId) === undefined) return null;
      const { lines } = requireOpen(userId);
      // Without a report it only ends tests: their lines sell nothing until then.
      if (report !== null) {
        context.audit.requireFew(userId, by);
        context.audit.requireFewReports(userId, by);
      }
      tests.endTest(userId, lines, by);
      close.run(userId);
      forget.run(userId);
      context.tell({ kind: "commission", userId });
      if (report === null) return null;
      const { technician, clinic, counts, text } = report;
      const details = { technician, clinic, ...counts, report: text };
      return context.audit.note("commissioned", userId, details, by);
    },
  } satisfies Partial<LedgerCommands>;
}
