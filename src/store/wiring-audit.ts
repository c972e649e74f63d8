import type { Database } from "better-sqlite3";
import { valorFromMicros } from "../domain/amount.ts";
import type { Actor, AuditDetails } from "../domain/audit.ts";
import type { Id } from "../domain/id.ts";
import type { NewWiring } from "../domain/wiring.ts";
import type { WriteContext } from "./command.ts";

interface UnwiredRow {
  readonly line: string;
  readonly dId: string;
  readonly room: string;
}

/** What of a wired line decides what is sold, and for how much. */
type Settings = Omit<NewWiring, "line">;

/** Notes lines that are wired, or cease to be. A wiring that is set as it was is no change. */
export function wiringAudit(db: Database, context: Pick<WriteContext, "audit">) {
  const wired = db.prepare<{ userId: Id; dId: string | null; line: string | null }, UnwiredRow>(
    `SELECT line, d_id AS dId, actuator_id AS room FROM wiring w JOIN device d USING (device_id)
      WHERE w.user_id = @userId AND (@dId IS NULL OR d_id = @dId) AND (@line IS NULL OR line = @line) ORDER BY line`,
  );
  return {
    set(userId: Id, wiring: NewWiring, before: Settings | undefined, by: Actor): void {
      const [now, then] = [detailsOf(wiring), before && detailsOf(before)];
      if (then !== undefined && JSON.stringify(now) === JSON.stringify(then)) return;
      const valorBefore = then !== undefined && then.valor !== now.valor ? { valorBefore: then.valor } : {};
      context.audit.note("wiring_set", userId, { line: wiring.line, ...now, ...valorBefore }, by);
    },
    /** Before the rows go: of one line, of one device, or all of a user. */
    removed(userId: Id, which: { readonly line?: string; readonly dId?: string }, by: Actor): void {
      for (const row of wired.all({ userId, dId: which.dId ?? null, line: which.line ?? null })) {
        context.audit.note("wiring_removed", userId, { ...row }, by);
      }
    },
  };
}

function detailsOf(settings: Settings) {
  const { dId, actuatorId, valorMicros, activeLow, bias, debounceMs, rearmMs } = settings;
  return {
    dId,
    room: actuatorId,
    valor: valorFromMicros(valorMicros),
    activeLow,
    bias,
    debounceMs,
    rearmMs,
  } satisfies AuditDetails;
}
