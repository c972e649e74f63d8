import type { Database } from "better-sqlite3";
import type { BootMoment } from "../../domain/boot.ts";
import { NS_PER_MS } from "../../domain/clock.ts";
import type { Gap, GapReason } from "../../domain/gap.ts";
import type { Id } from "../../domain/id.ts";
import type { LedgerReader } from "../../domain/ledger.ts";
import { type LineState, missedRises } from "../../domain/sale.ts";
import type { WriteContext } from "../engine/commands.ts";

/** The newest gaps that are kept of each line: one that loses edges all the time must not fill the disk. */
const MAX_GAPS = 1_000;

/** Where a gap of a user's line ends. */
export interface GapEnd {
  readonly line: string;
  readonly userId: Id;
  readonly timeMs: number;
  /** Null before the running boot was noted, as in a command that runs without the service. */
  readonly moment: BootMoment | null;
  /** Whether the wall clock is not trusted at that moment. */
  readonly provisional: boolean;
}

interface GapRow extends Omit<Gap, "number" | "added"> {
  readonly userId: Id;
  readonly notedMs: number;
  /** The boot of `fromNs` and `toNs`; all three are null once its clock is trusted. */
  readonly bootId: string | null;
  readonly fromNs: number | null;
  readonly toNs: number | null;
}

interface FoundGap extends Omit<Gap, "number" | "added" | "line" | "toTimeMs"> {
  /** Where it began by the monotonic time of the boot in which it ends; null where it began in another. */
  readonly fromMs: number | null;
}

/** The columns of a Gap in a SELECT from `gap`. */
export const GAP = `number, line, from_ms AS fromTimeMs, to_ms AS toTimeMs, missed,
  missed_rises AS missedRises, reason,
  (SELECT count(*) FROM record r INDEXED BY record_of_gap
    WHERE r.user_id = gap.user_id AND r.sequence = gap.number AND r.origin = 'by_hand' AND r.voided_by IS NULL) AS added`;

export function gapReader(db: Database) {
  const page = db.prepare<[Id, number, number], Gap>(
    `SELECT ${GAP} FROM gap WHERE user_id = ? AND number < ? ORDER BY number DESC LIMIT ?`,
  );
  return {
    gaps: (userId, { before, limit }) => page.all(userId, before ?? Number.MAX_SAFE_INTEGER, limit),
  } satisfies Partial<LedgerReader>;
}

/** The one way in which gaps enter the ledger: in the transaction of the sighting or change that shows them. */
export function gapWriter(db: Database, context: Pick<WriteContext, "boots" | "nowMs" | "tell">) {
  // An account's newest gap is its line's newest, which is never removed.
  const nextNumber = db
    .prepare<[Id], number>("SELECT coalesce(max(number), 0) + 1 FROM gap WHERE user_id = ?")
    .pluck();
  const locationOf = db
    .prepare<[string], string>("SELECT location_id FROM wiring JOIN device USING (device_id) WHERE line = ?")
    .pluck();
  const insert = db.prepare<GapRow & Pick<Gap, "number">>(
    `INSERT INTO gap (user_id, line, from_ms, to_ms, missed, missed_rises, reason, noted_ms, boot, from_ns, to_ns, number)
     VALUES (@userId, @line, @fromTimeMs, @toTimeMs, @missed, @missedRises, @reason, @notedMs,
             (SELECT boot FROM boot WHERE boot_id = @bootId), @fromNs, @toNs, @number)`,
  );
  const removeOldest = db.prepare<[Id, string]>(
    `DELETE FROM gap WHERE gap_id = (SELECT gap_id FROM gap INDEXED BY gap_by_line WHERE user_id = ? AND line = ?
                                      ORDER BY gap_id DESC LIMIT 1 OFFSET ${MAX_GAPS})`,
  );

  function add({ line, userId, timeMs, moment, provisional }: GapEnd, { fromMs, ...found }: FoundGap): void {
    const gap = { number: nextNumber.get(userId) ?? 1, line, toTimeMs: timeMs, added: 0, ...found };
    const unsettled = provisional ? moment : null;
    insert.run({
      ...gap,
      userId,
      notedMs: context.nowMs(),
      bootId: unsettled?.bootId ?? null,
      fromNs: unsettled === null || fromMs === null ? null : Math.round(fromMs * NS_PER_MS),
      toNs: unsettled === null ? null : Math.round(unsettled.monotonicMs * NS_PER_MS),
    });
    removeOldest.run(userId, line);
    context.tell({ kind: "gap", userId, locationId: locationOf.get(line) ?? null, gap });
  }

  /** The wall time of a moment in an earlier boot; by that boot's own clock where it was never trusted. */
  function timeInBootBefore(since: BootMoment, { changed }: LineState): number {
    const known = context.boots.timeOf(since.bootId, since.monotonicMs);
    if (known !== null) return known;
    if (changed.bootId !== since.bootId) return changed.timeMs;
    return Math.round(changed.timeMs + since.monotonicMs - Number(changed.monotonicNs) / NS_PER_MS);
  }

  return {
    /** A gap in which `missed` edges were lost, from the line's last state to the end. */
    overflow(end: GapEnd, missed: number, before: LineState | undefined): void {
      const from = before?.changed;
      add(end, {
        fromTimeMs: from?.timeMs ?? end.timeMs,
        fromMs:
          from !== undefined && from.bootId === end.moment?.bootId
            ? Number(from.monotonicNs) / NS_PER_MS
            : null,
        missed,
        missedRises: missedRises(before?.active ?? false, missed),
        reason: "overflow",
      });
    },

    /**
     * Not all of the line's edges are known since then, or since its last
     * state, where that came after. Without one nothing could be missed.
     */
    outage(end: GapEnd, unwatched: BootMoment, before: LineState, reason: GapReason = "outage"): void {
      const { moment, timeMs } = end;
      const changedMs = Number(before.changed.monotonicNs) / NS_PER_MS;
      const isLater = before.changed.bootId === unwatched.bootId && changedMs > unwatched.monotonicMs;
      const since = isLater ? { ...unwatched, monotonicMs: changedMs } : unwatched;
      const isSameBoot = since.bootId === moment?.bootId;
      const lastedMs = isSameBoot ? moment.monotonicMs - since.monotonicMs : 0;
      add(end, {
        fromTimeMs: isSameBoot ? Math.round(timeMs - lastedMs) : timeInBootBefore(since, before),
        fromMs: isSameBoot ? since.monotonicMs : null,
        missed: null,
        missedRises: null,
        reason,
      });
    },
  };
}
