import { type AuditEntry as EntryAnswer, listAudit, listWholeAudit } from "../contract/audit.ts";
import type { AuditEntry } from "../domain/audit.ts";
import type { Id } from "../domain/id.ts";
import type { LedgerReader, SyncOrAsync } from "../domain/ledger.ts";
import { firstMembers } from "./account.ts";
import { type Endpoint, serve } from "./router.ts";

const DEFAULT_PAGE = 50;

export function auditEndpoints(
  reader: SyncOrAsync<Pick<LedgerReader, "audit">> & Pick<LedgerReader, "members">,
): readonly Endpoint[] {
  return [
    serve(listAudit, async ({ userId, query }) => {
      const limit = query.limit ?? DEFAULT_PAGE;
      const entries = await reader.audit({ userId, before: query.before ?? null, sinceMs: null, limit });
      const data = entries.map((entry) => toAnswer(entry, userId));
      return { data, next: data.length < limit ? null : (entries.at(-1)?.auditId ?? null) };
    }),
    serve(listWholeAudit, async ({ query: { before = null, since = null, limit } }) => {
      const emails = new Map(firstMembers(reader).map(({ userId, email }) => [userId, email]));
      const entries = await reader.audit({ before, sinceMs: since, limit });
      return {
        data: entries.map((entry) => ({ ...entry, user: emails.get(entry.userId ?? "") ?? null })),
      };
    }),
  ];
}

function toAnswer(
  { auditId: _auditId, timeMs, userId: about, ...entry }: AuditEntry,
  userId: Id,
): EntryAnswer {
  return { ...entry, time: timeMs, own: about === userId };
}
