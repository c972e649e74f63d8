import type { Database } from "better-sqlite3";
import { SERVICE_ACTOR } from "../../domain/audit.ts";
import type { BootMoment } from "../../domain/boot.ts";
import { MINUTE_MS, NS_PER_MS } from "../../domain/clock.ts";
import { FlancoError } from "../../domain/error.ts";
import type { Id } from "../../domain/id.ts";
import type { LedgerCommands, LedgerReader } from "../../domain/ledger.ts";
import type { LineTest, TestedEdge } from "../../domain/line.ts";
import type { Sighting } from "../../domain/sale.ts";
import { notWired } from "../../domain/wiring.ts";
import type { WriteContext } from "../engine/commands.ts";

/** The newest tests that are kept of one line: an edge may be taken in after its test has ended. */
const MAX_TESTS = 20;
/** The newest edges under test that are kept of one line. */
const MAX_EDGES = 1_000;

interface OpenTest extends LineTest {
  readonly testId: number;
}

/** The tests that run at a moment. A test ends with its boot: after a power cut it would be forgotten and keep sales. */
const OPEN = `
  SELECT test_id AS testId, begun_ms + life_ms - @monotonicMs AS remainingMs, t.user_id AS userId, t.line,
         w.device_id AS deviceId, d.name AS deviceName, actuator_id AS room
    FROM line_test t JOIN boot USING (boot) JOIN wiring w ON w.line = t.line AND w.user_id = t.user_id
    JOIN device d USING (device_id)
   WHERE ended_boot IS NULL AND boot_id = @bootId AND begun_ms + life_ms > @monotonicMs`;

export function lineTestReader(db: Database) {
  const ofAll = db.prepare<BootMoment, OpenTest>(`${OPEN} ORDER BY t.line`);
  const ofUser = db.prepare<BootMoment & { userId: Id }, OpenTest>(
    `${OPEN} AND t.user_id = @userId ORDER BY t.line`,
  );
  const edges = (whose: string) =>
    db.prepare<[Id | null, number], Omit<TestedEdge, "provisional"> & { provisional: number }>(
      `SELECT line, device_id AS deviceId, room, zero_ms IS NULL AS provisional,
              coalesce(max(0, CAST(round(zero_ms + monotonic_ns / 1e6) AS INTEGER)), time_ms) AS timeMs
         FROM tested_edge JOIN boot USING (boot) WHERE ${whose} ORDER BY edge_id DESC LIMIT ?`,
    );
  const edgesOfAll = edges("? IS NULL");
  const edgesOfUser = edges("user_id = ?");
  return {
    lineTests: (now, userId?) =>
      (userId === undefined ? ofAll.all(now) : ofUser.all({ ...now, userId })).map(
        ({ testId: _test, ...test }) => test,
      ),
    testedEdges: (userId, limit) =>
      (userId === null ? edgesOfAll : edgesOfUser)
        .all(userId, limit)
        .map((edge) => ({ ...edge, provisional: edge.provisional === 1 })),
  } satisfies Partial<LedgerReader>;
}

/** The one way in which rises of lines under test enter the ledger. */
export function testedEdgeKeeper(db: Database) {
  const testAt = db
    .prepare<Asked, number>(
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

interface Asked {
  readonly line: string;
  readonly userId: Id;
  readonly boot: number;
  readonly atMs: number;
}

interface EdgeRow extends Omit<Asked, "atMs">, Omit<TestedEdge, "provisional"> {
  readonly testId: number;
  readonly monotonicNs: number;
  readonly request: number;
  readonly sequence: number;
}

export function lineTestCommands(db: Database, context: WriteContext) {
  const roomOf = db
    .prepare<[Id, string], string>("SELECT actuator_id FROM wiring WHERE user_id = ? AND line = ?")
    .pluck();
  const insert = db.prepare<[Id, string, number, number, number]>(
    "INSERT INTO line_test (user_id, line, boot, begun_ms, life_ms) VALUES (?, ?, ?, ?, ?)",
  );
  const trim = db.prepare<[string, Id]>(
    `DELETE FROM line_test WHERE test_id = (SELECT test_id FROM line_test WHERE line = ? AND user_id = ?
                                             ORDER BY test_id DESC LIMIT 1 OFFSET ${MAX_TESTS})`,
  );
  const close = db.prepare<[number, number, number]>(
    "UPDATE line_test SET ended_boot = ?, ended_ms = ? WHERE test_id = ?",
  );
  const counted = db
    .prepare<[Id, string, number], number>(
      "SELECT count(*) FROM tested_edge WHERE user_id = ? AND line = ? AND test_id = ?",
    )
    .pluck();
  const openOf = db.prepare<BootMoment & { userId: Id }, OpenTest>(
    `${OPEN} AND t.user_id = @userId ORDER BY t.line`,
  );

  function now() {
    const moment = context.boots.now();
    if (moment === undefined) {
      throw new FlancoError("unavailable", "The ledger does not know this boot yet.", {
        hint: "Try again in a moment.",
      });
    }
    return moment;
  }

  /** Ends the running tests of these lines, and gives them. */
  function end(userId: Id, isMeant: (line: string) => boolean): readonly OpenTest[] {
    const moment = now();
    const ended = openOf.all({ ...moment, userId }).filter((test) => isMeant(test.line));
    for (const { testId } of ended) close.run(moment.boot, moment.monotonicMs, testId);
    return ended;
  }

  return {
    beginTest(userId, lines, lifeMs, by = SERVICE_ACTOR) {
      context.audit.requireFew(userId, by);
      const rooms = lines.map((line) => {
        const room = roomOf.get(userId, line);
        if (room === undefined) throw notWired(line);
        return room;
      });
      const { boot, monotonicMs } = now();
      const begun = new Set(lines);
      end(userId, (line) => begun.has(line));
      for (const line of lines) {
        // The time is rounded down to whole milliseconds: a sale in the last one is still no test.
        insert.run(userId, line, boot, monotonicMs + 1, lifeMs);
        trim.run(line, userId);
      }
      const details = { lines: lines.join(", "), rooms: rooms.join(", "), minutes: lifeMs / MINUTE_MS };
      context.audit.note("test_begun", userId, { ...details, untilMs: context.nowMs() + lifeMs }, by);
      context.tell({ kind: "tests", userId });
    },
    endTest(userId, named, by = SERVICE_ACTOR) {
      const meant = named && new Set(named);
      const ended = end(userId, (line) => meant?.has(line) ?? true);
      if (ended.length === 0) return;
      const edges = ended.reduce(
        (sum, { line, testId }) => sum + (counted.get(userId, line, testId) ?? 0),
        0,
      );
      const lines = ended.map((test) => test.line).join(", ");
      const rooms = ended.map((test) => test.room).join(", ");
      context.audit.note("test_ended", userId, { lines, rooms, edges }, by);
      context.tell({ kind: "tests", userId });
    },
  } satisfies Partial<LedgerCommands>;
}
