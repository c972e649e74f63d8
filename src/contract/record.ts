import * as z from "zod";
import { GAP_REASONS } from "../domain/gap.ts";
import { RECORD_ORIGINS } from "../domain/record.ts";
import { declare, MONEY, OWNER, PEOPLE, type Shape } from "./declaration.ts";
import { name, pageQuery, pageSize, recordFilter, success, timeMs, withData } from "./field.ts";

export const voided = z.strictObject({ timeMs, reason: z.string() });

export const record = z.strictObject({
  number: z.int().describe("Its number among the account's records: 1, 2, 3 and so on, as they were stored."),
  locationName: z.string(),
  deviceName: z.string(),
  deviceId: z.string(),
  habitacion: z.string(),
  valor: z.number(),
  createdTime: timeMs,
  endedTime: timeMs.nullable(),
  origin: z.enum(RECORD_ORIGINS),
  provisional: z.boolean().describe("Its time is not trusted yet: the clock was not set."),
  voided: voided.nullable().describe("When and why it was voided: it counts in no summary."),
});
export type Record = Shape<typeof record>;

export const listRecords = declare("get", "/api/record", MONEY, {
  summary: "The user's records, newest first by time, in pages.",
  query: z.object({
    before: z
      .string()
      .regex(/^\d{1,16}-\d{1,16}$/, "must be the `next` of another answer")
      .optional(),
    limit: pageSize,
    ...recordFilter,
  }),
  answer: success.extend({
    data: z.array(record),
    next: z
      .string()
      .nullable()
      .describe(
        "Ask on with ?before=next until it is null: a page may hold fewer than its limit, even none.",
      ),
  }),
});

export const sumRecords = declare("get", "/api/record/sum", MONEY, {
  summary: "Number and sum of the user's records that are not void.",
  query: z.object(recordFilter),
  answer: withData(z.strictObject({ sales: z.int(), revenue: z.number() })),
});

export const voidRecord = declare("post", "/api/record/void", OWNER, {
  summary: "Void a record: it stays to be seen, and counts in no sum.",
  body: z.object({ void: z.object({ number: z.int().min(1), reason: name }) }),
  errors: ["not_found", "conflict"],
});

export const exportRecords = declare("get", "/api/export", MONEY, {
  summary: "The user's records as a table for a spreadsheet, newest first by time.",
  query: z.object({ lang: z.enum(["es", "en"]), ...recordFilter }),
  stream: "text/csv",
});

export const gap = z.strictObject({
  number: z.int().describe("Its number among the account's gaps."),
  line: z.string(),
  fromTime: timeMs,
  toTime: timeMs,
  missed: z
    .int()
    .nullable()
    .describe("Edges that were lost; null where that is not known, and for a role without money."),
  missedRises: z.int().nullable().describe("How many of them were sales; null likewise."),
  reason: z
    .enum(GAP_REASONS)
    .describe(
      "overflow: edges came faster than they could be kept. outage: the line was not watched. swallowed: hardware or the kernel did not report an edge, and a look at the level found it.",
    ),
});
export type Gap = Shape<typeof gap>;

export const listGaps = declare("get", "/api/gap", PEOPLE, {
  summary: "Stretches in which edges of a line were lost, or it was not watched, newest first, in pages.",
  query: pageQuery,
  answer: success.extend({ data: z.array(gap), next: z.int().nullable() }),
});
