import type { Database } from "better-sqlite3";
import type { BootMoment } from "../../domain/boot.ts";
import type { LedgerReader } from "../../domain/ledger.ts";
import type { LineState } from "../../domain/sale.ts";

interface StateRow {
  readonly active: number;
  readonly activeLow: number;
  readonly changedMs: number;
  readonly changedBootId: string;
  readonly changedNs: number;
  readonly changedProvisional: number;
  readonly bootId: string;
  readonly request: number;
  readonly sequence: number;
  readonly recordId: number | null;
}

/** What the ledger last saw of the wired lines, and since when lines are not watched. */
export function lineStates(db: Database) {
  const state = db.prepare<[string], StateRow>(
    `SELECT active, active_low AS activeLow, changed_ms AS changedMs, c.boot_id AS changedBootId,
            changed_ns AS changedNs, changed_provisional AS changedProvisional, b.boot_id AS bootId, s.request, s.sequence, r.record_id AS recordId
       FROM line_state s JOIN boot b ON b.boot = s.boot JOIN boot c ON c.boot = changed_boot
       LEFT JOIN record r ON r.record_id = s.record_id
      WHERE s.line = ?`,
  );
  const unwatched = db.prepare<[], BootMoment & { line: string }>(
    "SELECT line, boot_id AS bootId, since_ms AS monotonicMs FROM unwatched JOIN boot USING (boot)",
  );
  return {
    /** Undefined for a line of which nothing was seen yet. */
    stateOf(line: string): LineState | undefined {
      const row = state.get(line);
      return row && toState(row);
    },
    /** Since when lines are not watched, by line. */
    unwatched: (): ReadonlyMap<string, BootMoment> =>
      new Map(unwatched.all().map(({ line, ...since }) => [line, since])),
  };
}

/**
 * Stores that no wired line was watched since the ledger's last sign of life,
 * where no earlier time is stored. Call it before any later boot is stored,
 * because the last sign of life is that of the newest boot.
 */
export function keepUnwatched(db: Database): void {
  db.exec(
    `INSERT INTO unwatched (line, boot, since_ms)
     SELECT line, boot, last_ms FROM wiring, (SELECT boot, last_ms FROM boot ORDER BY boot DESC LIMIT 1) WHERE true
     ON CONFLICT (line) DO NOTHING`,
  );
}

/** What the ledger last saw, for readers. */
export function lineStateReader(db: Database) {
  const { stateOf, unwatched } = lineStates(db);
  const lastRequest = db
    .prepare<[], number>("SELECT CAST(value AS INTEGER) FROM setting WHERE name = 'last_request'")
    .pluck();
  return {
    lastRequest: () => lastRequest.get() ?? 0,
    lastSighting(line) {
      const state = stateOf(line);
      return state && { ...state.source, high: state.active !== state.activeLow };
    },
    unwatched,
  } satisfies Partial<LedgerReader>;
}

function toState(row: StateRow): LineState {
  return {
    active: row.active === 1,
    activeLow: row.activeLow === 1,
    changed: {
      timeMs: row.changedMs,
      provisional: row.changedProvisional === 1,
      bootId: row.changedBootId,
      monotonicNs: BigInt(row.changedNs),
    },
    source: { bootId: row.bootId, request: row.request, sequence: row.sequence },
    recordId: row.recordId,
  };
}
