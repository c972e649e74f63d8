import type { Context } from "koa";
import { type Actor, type AuditEntry, networkActor } from "../domain/audit.ts";
import type { Id } from "../domain/id.ts";
import type { LedgerReader } from "../domain/ledger.ts";
import { auditAnswer } from "./answer.ts";
import { clientAddress } from "./client-address.ts";
import { type Endpoint, endpoint } from "./endpoint.ts";
import { pageQuery } from "./schema.ts";

const DEFAULT_PAGE = 50;

/** Who sends a request, and from where; `userId` null without a session. */
export function actorOf({ req: { socket } }: Context, userId: Id | null): Actor {
  return networkActor(clientAddress(socket.remoteAddress).address, userId);
}

export function auditEndpoints(reader: Pick<LedgerReader, "audit">): readonly Endpoint[] {
  return [
    endpoint({
      method: "get",
      path: "/audit",
      summary:
        "Who did what, and from where, newest first, in pages: of the user's own account, and of the appliance as a whole.",
      session: true,
      query: pageQuery,
      status: 200,
      answer: auditAnswer,
      errors: ["invalid", "unavailable", "internal"],
      run: ({ userId, query }) => {
        const limit = query.limit ?? DEFAULT_PAGE;
        const entries = reader.audit({ userId, before: query.before ?? null, sinceMs: null, limit });
        const next = entries.length < limit ? null : (entries.at(-1)?.auditId ?? null);
        return { status: "success", data: entries.map((entry) => toAnswer(entry, userId)), next };
      },
    }),
  ];
}

function toAnswer(
  { auditId, kind, timeMs, provisional, way, who, from, details, ...entry }: AuditEntry,
  userId: Id,
) {
  return { auditId, kind, time: timeMs, provisional, own: entry.userId === userId, way, who, from, details };
}
