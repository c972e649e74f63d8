import { type AuditEntry as EntryAnswer, listAudit } from "../contract/audit.ts";
import type { AuditEntry } from "../domain/audit.ts";
import type { EitherWay } from "../domain/heavy-read.ts";
import type { Id } from "../domain/id.ts";
import type { LedgerReader } from "../domain/ledger.ts";
import { type Endpoint, serve } from "./router.ts";
import type { ShownNumbers } from "./shown-number.ts";

const DEFAULT_PAGE = 50;

export function auditEndpoints(
  reader: EitherWay<Pick<LedgerReader, "audit">>,
  numbers: ShownNumbers,
): readonly Endpoint[] {
  return [
    serve(listAudit, async ({ userId, query }) => {
      const limit = query.limit ?? DEFAULT_PAGE;
      const before = query.before === undefined ? null : numbers.find(query.before);
      const entries = await reader.audit({ userId, before, sinceMs: null, limit });
      const data = entries.map((entry) => toAnswer(entry, userId, numbers));
      return { data, next: data.length < limit ? null : (data.at(-1)?.auditId ?? null) };
    }),
  ];
}

function toAnswer(
  { auditId, kind, timeMs, provisional, way, who, from, ...entry }: AuditEntry,
  userId: Id,
  numbers: ShownNumbers,
): EntryAnswer {
  return {
    auditId: numbers.show(auditId),
    kind,
    time: timeMs,
    provisional,
    own: entry.userId === userId,
    way,
    who,
    from,
    details: numbers.showDetails(entry),
  };
}
