import { type AuditEntry as EntryAnswer, listAudit, listWholeAudit } from "../contract/audit.ts";
import type { AuditEntry } from "../domain/audit.ts";
import type { Id } from "../domain/id.ts";
import type { EitherWay, LedgerReader } from "../domain/ledger.ts";
import { firstMembers } from "./account.ts";
import { type Endpoint, serve } from "./router.ts";
import type { ShownNumbers } from "./shown-number.ts";

const DEFAULT_PAGE = 50;

export function auditEndpoints(
  reader: EitherWay<Pick<LedgerReader, "audit">> & Pick<LedgerReader, "members">,
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
    serve(listWholeAudit, async ({ query: { before = null, since = null, limit } }) => {
      const emails = new Map(firstMembers(reader).map(({ userId, email }) => [userId, email]));
      const entries = await reader.audit({ before, sinceMs: since, limit });
      return {
        data: entries.map((entry) => ({
          ...entry,
          details: numbers.showDetails(entry),
          user: emails.get(entry.userId ?? "") ?? null,
        })),
      };
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
