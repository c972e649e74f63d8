import * as z from "zod";
import { AUDIT_KINDS, AUDIT_WAYS } from "../domain/audit.ts";
import { declare, OWNER, type Shape } from "./declaration.ts";
import { pageQuery, success, timeMs } from "./field.ts";

export const auditEntry = z.strictObject({
  auditId: z.int(),
  kind: z.enum(AUDIT_KINDS),
  time: timeMs,
  provisional: z.boolean().describe("Its time is not trusted: the clock was not set."),
  own: z.boolean().describe("About this user's account; otherwise about the appliance as a whole."),
  way: z
    .enum(AUDIT_WAYS)
    .describe("Over the network, by a command on the appliance, or by the service itself."),
  who: z.string().nullable().describe("E-mail of the signed-in user, as it was then."),
  from: z.string().describe("Address of the client, or the system's user of the command."),
  details: z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
    .describe("What was done; never a secret."),
});
export type AuditEntry = Shape<typeof auditEntry>;

export const listAudit = declare("get", "/api/audit", OWNER, {
  summary:
    "Who did what, and from where, newest first, in pages: of the user's own account, and of the appliance as a whole.",
  query: pageQuery,
  answer: success.extend({ data: z.array(auditEntry), next: z.int().nullable() }),
});
