import * as z from "zod";
import { AUDIT_KINDS, AUDIT_WAYS } from "../domain/audit.ts";
import { declare, OPERATOR, OWNER, type Shape } from "./declaration.ts";
import { digits, id, pageQuery, success, timeMs, withData } from "./field.ts";

const auditEntry = z.strictObject({
  number: z
    .int()
    .nullable()
    .describe(
      "Its number among the account's entries that last, or the appliance's; null for one that passes.",
    ),
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

/** The most entries of the audit log in one answer to a command. */
export const MAX_AUDIT_PAGE = 500;

const wholeAuditEntry = auditEntry.omit({ time: true, own: true }).extend({
  auditId: z.int(),
  timeMs,
  userId: id.nullable(),
  user: z
    .string()
    .nullable()
    .describe("E-mail of the account that it is about; null for the appliance, and for a removed account."),
});
export type WholeAuditEntry = Shape<typeof wholeAuditEntry>;

export const listWholeAudit = declare("get", "/api/audit/whole", OPERATOR, {
  summary: "The audit log of all accounts, newest first.",
  query: z.object({
    before: digits.optional(),
    since: digits.optional(),
    limit: digits.pipe(z.int().min(1).max(MAX_AUDIT_PAGE)),
  }),
  answer: withData(z.array(wholeAuditEntry)),
});
