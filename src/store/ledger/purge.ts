import type { Database } from "better-sqlite3";
import { leastAgeMs } from "../../domain/boot.ts";
import { WEEK_MS } from "../../domain/clock.ts";
import type { Id } from "../../domain/id.ts";
import type { LedgerCommands } from "../../domain/ledger.ts";
import type { Boots } from "./boot.ts";
import type { WriteContext } from "./commands.ts";

/** Rows looked at in one command: other writes wait meanwhile. */
const MAX_ROWS = 500;
/** How long a second post with the same key is known for one. */
const IDEMPOTENCY_MS = WEEK_MS;

/** When a row was begun: monotonic milliseconds of a boot, or wall time where no boot is known. */
export interface Begun {
  readonly bootId: string | null;
  readonly begunMs: number;
}

interface SessionRow extends Begun {
  readonly sid: Id;
  readonly userId: Id;
  readonly lifeMs: number;
}

interface KeyRow extends Begun {
  readonly userId: Id;
  readonly key: string;
}

/** Removes what has had its time. Records are never among it. */
export function purgeCommands(db: Database, context: WriteContext) {
  const sessions = db.prepare<[number], SessionRow>(
    `SELECT sid, user_id AS userId, expires_ms - s.created_ms AS lifeMs, boot_id AS bootId, begun_ms AS begunMs
       FROM session s JOIN member USING (member_id) LEFT JOIN boot USING (boot) ORDER BY boot, begun_ms LIMIT ?`,
  );
  const removeSession = db.prepare<[Id]>("DELETE FROM session WHERE sid = ?");
  const [placed, unplaced] = ["IS NOT NULL", "IS NULL"].map((known) =>
    db.prepare<[number], KeyRow>(
      `SELECT user_id AS userId, key, boot_id AS bootId, begun_ms AS begunMs
         FROM idempotency i LEFT JOIN boot USING (boot)
        WHERE i.boot ${known} ORDER BY i.boot, begun_ms LIMIT ?`,
    ),
  );
  const removeKey = db.prepare<[Id, string]>("DELETE FROM idempotency WHERE user_id = ? AND key = ?");

  function purgeSessions(ageOf: (begun: Begun) => number): number {
    const ended = sessions.all(MAX_ROWS).filter((row) => ageOf(row) >= row.lifeMs);
    for (const { sid } of ended) removeSession.run(sid);
    for (const userId of new Set(ended.map((row) => row.userId))) context.tell({ kind: "sessions", userId });
    return ended.length;
  }

  function purgeKeys(ageOf: (begun: Begun) => number): number {
    const rows = [...(placed?.all(MAX_ROWS) ?? []), ...(unplaced?.all(MAX_ROWS) ?? [])];
    const old = rows.filter((row) => ageOf(row) >= IDEMPOTENCY_MS);
    for (const { userId, key } of old) removeKey.run(userId, key);
    return old.length;
  }

  return {
    purge() {
      if (context.boots.now() === undefined) return 0;
      const ageOf = ageInLedger(context.boots);
      return purgeSessions(ageOf) + purgeKeys(ageOf);
    },
  } satisfies Partial<LedgerCommands>;
}

/** Ages of rows at this moment. A row of no boot has wall time alone: without a trusted clock its age is 0. */
export function ageInLedger(boots: Boots): (begun: Begun) => number {
  const now = boots.now();
  const nowMs = now === undefined ? null : boots.timeOf(now.bootId, now.monotonicMs);
  const all = boots.all();
  return ({ bootId, begunMs }) => {
    if (bootId === null || now === undefined) return (nowMs ?? begunMs) - begunMs;
    return leastAgeMs({ bootId, monotonicMs: begunMs }, now, all);
  };
}
