import * as z from "zod";
import { MAX_VALOR, MICROS_PER_UNIT } from "../domain/amount.ts";
import { GAP_REASONS } from "../domain/gap.ts";
import { isPlausibleTime } from "../domain/imported.ts";
import { LANGUAGES } from "../domain/language.ts";
import { RECORD_ORIGINS } from "../domain/record.ts";
import { declare, MONEY, OWNER, PEOPLE, type Shape, within } from "./declaration.ts";
import { paid } from "./device.ts";
import {
  digits,
  name,
  pageQuery,
  pageSize,
  recordFilter,
  success,
  timeMs,
  valor,
  withData,
} from "./field.ts";

export const voided = z.strictObject({
  timeMs,
  reason: z.string(),
  who: z
    .string()
    .nullable()
    .optional()
    .describe(
      "In lists: e-mail of the member, or the system's user of the command, that voided it; null for the gateway itself.",
    ),
});

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
  refundOf: z
    .int()
    .nullable()
    .describe(
      "Of a refund, whose valor is negative and which is no sale: the number of its sale. Else null.",
    ),
  reason: z
    .string()
    .nullable()
    .describe("Why a person refunded the sale or added it by hand; null for other records."),
  refunded: z.number().describe("How much of the sale was given back, as valor; 0 for most."),
  paid: paid
    .omit({ from: true })
    .nullable()
    .describe("Until when its room was paid by it; null where no time was paid, or it is not known here."),
});
export type Record = Shape<typeof record>;

export const listRecords = declare("get", "/api/record", within(MONEY), {
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

export const sumRecords = declare("get", "/api/record/sum", within(MONEY), {
  summary: "Number of the user's sales, and sum of sales and refunds, that are not void.",
  query: z.object(recordFilter),
  answer: withData(z.strictObject({ sales: z.int(), revenue: z.number() })),
});

export const voidRecord = declare("post", "/api/record/void", OWNER, {
  summary: "Void a record: it stays to be seen, and counts in no sum.",
  body: z.object({ void: z.object({ number: z.int().min(1), reason: name }) }),
  errors: ["not_found", "conflict"],
});

const entered = withData(
  z.strictObject({ number: z.int().describe("The new record's."), valor: z.number() }),
);
const KEYED = { "Idempotency-Key": "1 to 255 characters: the same key and body are entered once." };

export const addSale = declare("post", "/api/record/sale", OWNER, {
  summary:
    "Add a sale that neither a relay nor a program has recorded. In a closed month it arrives late: it shows as regularización in the next settlement.",
  body: z.object({
    sale: z.object({
      dId: name,
      room: name,
      time: timeMs.refine(isPlausibleTime, "must be in milliseconds, after 1999"),
      valor: valor.optional().describe("Without it, the price that the room had then."),
      reason: name,
      gap: z.int().min(1).optional().describe("Number of the gap that it was lost in."),
    }),
  }),
  answer: entered,
  errors: ["not_found", "too_many", "unprocessable"],
  headers: KEYED,
});

export const refundRecord = declare("post", "/api/record/refund", OWNER, {
  summary: "Refund a sale wholly or partly, at this moment: sums become less, and the sale stays one.",
  body: z.object({
    refund: z.object({
      number: z.int().min(1),
      valor: z
        .number()
        .min(1 / MICROS_PER_UNIT)
        .max(MAX_VALOR),
      reason: name,
    }),
  }),
  answer: entered,
  errors: ["not_found", "conflict", "too_many", "unprocessable"],
  headers: KEYED,
});

const who = z
  .string()
  .nullable()
  .describe("E-mail of the person who entered it, or the system's user of the command; null of others.");

export const getRecord = declare("get", "/api/record/one", within(MONEY), {
  summary: "One record, who entered it, and its newest 100 refunds with their reasons.",
  query: z.object({ number: digits }),
  answer: withData(z.strictObject({ record, who, refunds: z.array(z.strictObject({ record, who })) })),
  errors: ["not_found"],
});

export const getPriceThen = declare("get", "/api/record/price", OWNER, {
  summary: "The price that a room had at a time, as POST /api/record/sale takes it.",
  query: z.object({ dId: name, room: name, time: digits }),
  answer: withData(z.strictObject({ valor: z.number().nullable().describe("Null: it never had one.") })),
});

/** The media type of a workbook. */
export const WORKBOOK_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

export const exportRecords = declare("get", "/api/export", within(MONEY), {
  summary:
    "The user's records for a spreadsheet, newest first by time: as a table, or as a workbook with sums.",
  query: z.object({
    lang: z.enum(LANGUAGES),
    format: z.enum(["csv", "xlsx"]).default("csv"),
    ...recordFilter,
  }),
  stream: ["text/csv", WORKBOOK_TYPE],
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
  added: z
    .int()
    .nullable()
    .describe("How many sales were added by hand for it, and count; null for a role without money."),
  reason: z
    .enum(GAP_REASONS)
    .describe(
      "overflow: edges came faster than they could be kept. outage: the line was not watched. swallowed: hardware or the kernel did not report an edge, and a look at the level found it.",
    ),
});
export type Gap = Shape<typeof gap>;

export const listGaps = declare("get", "/api/gap", within(PEOPLE), {
  summary: "Stretches in which edges of a line were lost, or it was not watched, newest first, in pages.",
  query: pageQuery,
  answer: success.extend({ data: z.array(gap), next: z.int().nullable() }),
});
