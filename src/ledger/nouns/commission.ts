import type { Database } from "better-sqlite3";
import { type Actor, SERVICE_ACTOR } from "../../domain/audit.ts";
import type { BootMoment } from "../../domain/boot.ts";
import { MINUTE_MS, NS_PER_MS } from "../../domain/clock.ts";
import type {
  AcceptanceReportHead,
  CommissionScope,
  LineTest,
  StoredAcceptanceReport,
  StoredCommission,
  StoredRoom,
  TestedEdge,
  Tick,
} from "../../domain/commission.ts";
import { FlancoError } from "../../domain/error.ts";
import type { Id } from "../../domain/id.ts";
import type { LedgerCommands, LedgerReader } from "../../domain/ledger.ts";
import type { Sighting } from "../../domain/sale.ts";
import { notWired } from "../../domain/wiring.ts";
import type { WriteContext } from "../engine/commands.ts";
import type { RowBudget } from "../engine/reader.ts";
import { AUDIT_TIME } from "./audit.ts";
import { type WithinNames, withinNames } from "./limit.ts";

/** The newest tests that are kept of one line: an edge may be taken in after its test has ended. */
const MAX_TESTS = 20;
/** The newest edges under test that are kept of one line. */
const MAX_EDGES = 1_000;

/** A test that runs, also of a line that was unwired since: it would go on when that line is wired again. */
interface OpenTest extends Pick<LineTest, "line" | "remainingMs"> {
  readonly testId: number;
  /** Null for a line that is not wired. */
  readonly room: string | null;
}

/** The tests that run at a moment. A test ends with its boot: after a power cut it would be forgotten and keep sales. */
const OPEN = `
  SELECT test_id AS testId, begun_ms + life_ms - @monotonicMs AS remainingMs, t.user_id AS userId, t.line,
         w.device_id AS deviceId, d.name AS deviceName, actuator_id AS room
    FROM line_test t JOIN boot USING (boot) LEFT JOIN wiring w ON w.line = t.line AND w.user_id = t.user_id
    LEFT JOIN device d USING (device_id)
   WHERE ended_boot IS NULL AND boot_id = @bootId AND begun_ms + life_ms > @monotonicMs
     AND (@userId IS NULL OR t.user_id = @userId)`;

type RoomRow = {
  readonly room: string;
  readonly value: number;
  readonly withoutLine: number;
} & ({ readonly line: null } | WiredRow);

interface WiredRow extends Omit<NonNullable<StoredRoom["wired"]>, "activeLow"> {
  readonly activeLow: number;
}

/** A row whose time may not be trusted. */
type TimedRow<R> = Omit<R, "provisional"> & { readonly provisional: number };

interface ReportQuery extends WithinNames {
  readonly userId: Id;
}

/** The reports of an account of which all rooms are at the locations of `@within`. */
const REPORTS = `
  FROM audit LEFT JOIN boot USING (boot) WHERE kind = 'commissioned' AND user_id = @userId
   AND (@within IS NULL OR details ->> '$.locations' IS NOT NULL AND NOT EXISTS (
     SELECT 1 FROM json_each(details ->> '$.locations') WHERE value NOT IN (SELECT value FROM json_each(@within))))`;
const HEAD = `number, ${AUDIT_TIME} AS timeMs, boot IS NOT NULL AND zero_ms IS NULL AS provisional`;

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
    .prepare<ReportQuery & { limit: number }, number | null>(
      `SELECT sum(bytes) FROM (SELECT octet_length(details) AS bytes ${REPORTS} ORDER BY audit_id DESC LIMIT @limit)`,
    )
    .pluck();
  const heads = db.prepare<ReportQuery & { limit: number }, TimedRow<AcceptanceReportHead>>(
    `SELECT ${HEAD}, details ->> '$.technician' AS technician, details ->> '$.clinic' AS clinic,
            details ->> '$.rooms' AS rooms, details ->> '$.good' AS good, details ->> '$.attention' AS attention,
            details ->> '$.untested' AS untested ${REPORTS} ORDER BY audit_id DESC LIMIT @limit`,
  );
  const one = db.prepare<ReportQuery & { number: number }, TimedRow<StoredAcceptanceReport>>(
    `SELECT ${HEAD}, who, origin AS "from", lower(hex(hash)) AS hash, details ->> '$.report' AS text ${REPORTS} AND number = @number`,
  );
  const openTests = openTestReader<OpenTest & LineTest>(db, "w.line IS NOT NULL");
  const edges = db.prepare<[Id, number], TimedRow<TestedEdge>>(
    `SELECT line, device_id AS deviceId, room, zero_ms IS NULL AS provisional,
            coalesce(max(0, CAST(round(zero_ms + monotonic_ns / 1e6) AS INTEGER)), time_ms) AS timeMs
       FROM tested_edge JOIN boot USING (boot) WHERE user_id = ? ORDER BY edge_id DESC LIMIT ?`,
  );
  return {
    lineTests: (now, userId?) =>
      openTests.all({ ...now, userId: userId ?? null }).map(({ testId: _test, ...test }) => test),
    testedEdges: (userId, limit) =>
      edges.all(userId, limit).map((edge) => ({ ...edge, provisional: edge.provisional === 1 })),
    commissions: () =>
      all.all().map(({ scope, ...row }) => ({ ...row, ...(JSON.parse(scope) as CommissionScope) })),
    // One transaction: both statements see the same commit.
    commissionRooms: db.transaction((deviceId: Id): readonly StoredRoom[] => {
      const ticked = new Map(ticks.all(deviceId).map(({ room, tick }) => [room, tick]));
      return rooms.all(deviceId).map((row) => toStoredRoom(row, ticked.get(row.room)));
    }),
    acceptanceReports(userId, limit, within = null) {
      const asked = { userId, limit, ...withinNames(within) };
      budget.spendBytes(bytes.get(asked) ?? 0);
      return heads.all(asked).map((row) => ({ ...row, provisional: row.provisional === 1 }));
    },
    acceptanceReport(userId, number, within = null) {
      const row = one.get({ userId, number, ...withinNames(within) });
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

/** The tests that run at a moment, of one account or of all. */
function openTestReader<Row extends OpenTest>(db: Database, which: "TRUE" | "w.line IS NOT NULL") {
  return db.prepare<BootMoment & { userId: Id | null }, Row>(`${OPEN} AND ${which} ORDER BY t.line`);
}

/** The one way in which rises of lines under test enter the ledger. */
export function testedEdgeKeeper(db: Database) {
  const testAt = db
    .prepare<TestQuery, number>(
      `SELECT test_id FROM line_test
        WHERE line = @line AND user_id = @userId AND boot = @boot
          AND begun_ms <= @atMs AND begun_ms + life_ms > @atMs AND (ended_ms IS NULL OR ended_ms > @atMs)`,
    )
    .pluck();
  const insert = db.prepare<EdgeRow>(
    `INSERT OR IGNORE INTO tested_edge (test_id, user_id, line, device_id, room, time_ms, boot, monotonic_ns, request, sequence)
     VALUES (@testId, @userId, @line, @deviceId, @room, @timeMs, @boot, @monotonicNs, @request, @sequence)`,
  );
  const trim = db.prepare<[Id, string]>(
    `DELETE FROM tested_edge WHERE edge_id = (SELECT edge_id FROM tested_edge WHERE user_id = ? AND line = ?
                                               ORDER BY edge_id DESC LIMIT 1 OFFSET ${MAX_EDGES})`,
  );

  /** Keeps a rise if its line was under test when it happened. Gives false, and keeps nothing, if it was not. */
  return ({ line, timeMs, monotonicNs, source }: Sighting, room: WiredRoom, boot: number): boolean => {
    const { userId, deviceId, actuatorId } = room;
    const atMs = Number(monotonicNs) / NS_PER_MS;
    const testId = testAt.get({ line, userId, boot, atMs });
    if (testId === undefined) return false;
    const { request, sequence } = source;
    insert.run({
      testId,
      userId,
      line,
      deviceId,
      room: actuatorId,
      timeMs,
      boot,
      monotonicNs: Number(monotonicNs),
      request,
      sequence,
    });
    trim.run(userId, line);
    return true;
  };
}

interface WiredRoom {
  readonly userId: Id;
  readonly deviceId: Id;
  readonly actuatorId: string;
}

interface TestQuery {
  readonly line: string;
  readonly userId: Id;
  readonly boot: number;
  readonly atMs: number;
}

interface EdgeRow extends Omit<TestQuery, "atMs">, Omit<TestedEdge, "provisional"> {
  readonly testId: number;
  readonly monotonicNs: number;
  readonly request: number;
  readonly sequence: number;
}

export function commissionCommands(db: Database, context: WriteContext) {
  const save = db.prepare<[Id, number, string]>(
    `INSERT INTO commission (user_id, begun_ms, scope) VALUES (?, ?, ?)
     ON CONFLICT (user_id) DO UPDATE SET scope = excluded.scope`,
  );
  const isOpen = db.prepare<[Id]>("SELECT 1 FROM commission WHERE user_id = ?");
  const remove = db.prepare<[Id]>("DELETE FROM commission WHERE user_id = ?");
  const forget = db.prepare<[Id]>(
    "DELETE FROM commission_tick WHERE device_id IN (SELECT device_id FROM device WHERE user_id = ?)",
  );
  const saveTick = db.prepare<[Id, string, string]>(
    "INSERT OR REPLACE INTO commission_tick (device_id, actuator_id, tick) VALUES (?, ?, ?)",
  );
  const isRoom = db.prepare<[Id, Id, string]>(
    `SELECT 1 FROM actuator JOIN device USING (device_id) WHERE user_id = ? AND device_id = ? AND actuator_id = ?`,
  );
  const roomOf = db
    .prepare<[Id, string], string>("SELECT actuator_id FROM wiring WHERE user_id = ? AND line = ?")
    .pluck();
  const addTest = db.prepare<[Id, string, number, number, number]>(
    "INSERT INTO line_test (user_id, line, boot, begun_ms, life_ms) VALUES (?, ?, ?, ?, ?)",
  );
  const trim = db.prepare<[string, Id]>(
    `DELETE FROM line_test WHERE test_id = (SELECT test_id FROM line_test WHERE line = ? AND user_id = ?
                                             ORDER BY test_id DESC LIMIT 1 OFFSET ${MAX_TESTS})`,
  );
  const closeTest = db.prepare<[number, number, number]>(
    "UPDATE line_test SET ended_boot = ?, ended_ms = ? WHERE test_id = ?",
  );
  const counted = db
    .prepare<[Id, string, number], number>(
      "SELECT count(*) FROM tested_edge WHERE user_id = ? AND line = ? AND test_id = ?",
    )
    .pluck();
  const openTests = openTestReader<OpenTest>(db, "TRUE");

  function now() {
    const moment = context.boots.now();
    if (moment === undefined) {
      throw new FlancoError("unavailable", "The ledger does not know this boot yet.", {
        hint: "Try again in a moment.",
      });
    }
    return moment;
  }

  /** Ends the tests that run, of these lines where they are given, and gives them. */
  function closeTests(userId: Id, lines?: readonly string[]): readonly OpenTest[] {
    const moment = now();
    const ended = openTests
      .all({ ...moment, userId })
      .filter(({ line }) => lines === undefined || lines.includes(line));
    for (const { testId } of ended) closeTest.run(moment.boot, moment.monotonicMs, testId);
    return ended;
  }

  function beginTests(userId: Id, lines: readonly string[], lifeMs: number, by: Actor): void {
    context.audit.requireFew(userId, by);
    const rooms = lines.map((line) => {
      const room = roomOf.get(userId, line);
      if (room === undefined) throw notWired(line);
      return room;
    });
    const { boot, monotonicMs } = now();
    closeTests(userId, lines);
    for (const line of lines) {
      // The time is rounded down to whole milliseconds: a sale in the last one is still no test.
      addTest.run(userId, line, boot, monotonicMs + 1, lifeMs);
      trim.run(line, userId);
    }
    const details = { lines: lines.join(", "), rooms: rooms.join(", "), minutes: lifeMs / MINUTE_MS };
    context.audit.note("test_begun", userId, { ...details, untilMs: context.nowMs() + lifeMs }, by);
    context.tell({ kind: "tests", userId });
  }

  /** Ends all tests that run, or those of these lines. */
  function endTests(userId: Id, by: Actor, only?: readonly string[]): void {
    const ended = closeTests(userId, only);
    if (ended.length === 0) return;
    const edges = ended.reduce((sum, { line, testId }) => sum + (counted.get(userId, line, testId) ?? 0), 0);
    const lines = ended.map((test) => test.line).join(", ");
    const rooms = ended.map(({ room, line }) => room ?? line).join(", ");
    context.audit.note("test_ended", userId, { lines, rooms, edges }, by);
    context.tell({ kind: "tests", userId });
  }

  function requireOpen(userId: Id): void {
    if (isOpen.get(userId) !== undefined) return;
    throw new FlancoError("conflict", "No commissioning is open.", { hint: "Begin one first." });
  }

  return {
    beginCommission(userId, scope, lines, lifeMs, by = SERVICE_ACTOR) {
      const isOutside = ({ line, room }: OpenTest) => room === null || scope.lines?.includes(line) === false;
      const outside = openTests.all({ ...now(), userId }).filter(isOutside);
      endTests(
        userId,
        by,
        outside.map(({ line }) => line),
      );
      if (lines.length > 0) beginTests(userId, lines, lifeMs, by);
      save.run(userId, context.nowMs(), JSON.stringify(scope));
      context.tell({ kind: "commission", userId });
    },
    joinCommission(userId, lines) {
      const ends = openTests.all({ ...now(), userId }).map(({ remainingMs }) => remainingMs);
      const leftMs = Math.floor(Math.max(0, ...ends));
      // A test begins a millisecond after its commit.
      if (leftMs > 1) beginTests(userId, lines, leftMs - 1, SERVICE_ACTOR);
    },
    tickRoom(userId, tick) {
      requireOpen(userId);
      if (isRoom.get(userId, tick.deviceId, tick.room) === undefined) {
        throw new FlancoError("not_found", `There is no room ${tick.room}.`);
      }
      saveTick.run(tick.deviceId, tick.room, JSON.stringify(tick));
      context.tell({ kind: "commission", userId });
    },
    pauseCommission: (userId, by = SERVICE_ACTOR) => endTests(userId, by),
    endCommission(userId, report, by = SERVICE_ACTOR) {
      // Without a report it only ends tests: their lines sell nothing until then.
      if (report !== null) {
        requireOpen(userId);
        context.audit.requireFew(userId, by);
        context.audit.requireFewReports(userId, by);
      }
      endTests(userId, by);
      // Nothing is open: nothing changes, and pages are told of nothing.
      if (isOpen.get(userId) === undefined) return null;
      remove.run(userId);
      forget.run(userId);
      context.tell({ kind: "commission", userId });
      if (report === null) return null;
      const { technician, clinic, counts, text } = report;
      const locations = JSON.stringify(report.locations);
      const details = { technician, clinic, ...counts, locations, report: text };
      return context.audit.note("commissioned", userId, details, by);
    },
  } satisfies Partial<LedgerCommands>;
}
