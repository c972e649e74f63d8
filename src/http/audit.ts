import type { Context } from "koa";
import { type AuditEntry as EntryAnswer, listAudit } from "../contract/audit.ts";
import { type Actor, type AuditEntry, networkActor } from "../domain/audit.ts";
import { clientAddress } from "../domain/client-address.ts";
import type { Id } from "../domain/id.ts";
import type { LedgerReader } from "../domain/ledger.ts";
import { type Endpoint, serve } from "./router.ts";

const DEFAULT_PAGE = 50;

/** The sender of a request and its address; `memberId` is null without a session. */
export function actorOf({ req: { socket } }: Context, memberId: Id | null): Actor {
  return networkActor(clientAddress(socket.remoteAddress), memberId);
}

export function auditEndpoints(reader: Pick<LedgerReader, "audit">): readonly Endpoint[] {
  return [
    serve(listAudit, ({ userId, query }) => {
      const limit = query.limit ?? DEFAULT_PAGE;
      const entries = reader.audit({ userId, before: query.before ?? null, sinceMs: null, limit });
      const next = entries.length < limit ? null : (entries.at(-1)?.auditId ?? null);
      return { data: entries.map((entry) => toAnswer(entry, userId)), next };
    }),
  ];
}

function toAnswer(
  { auditId, kind, timeMs, provisional, way, who, from, details, ...entry }: AuditEntry,
  userId: Id,
): EntryAnswer {
  return { auditId, kind, time: timeMs, provisional, own: entry.userId === userId, way, who, from, details };
}
