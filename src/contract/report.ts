import * as z from "zod";
import { isLogo, MAX_LOGO_BYTES } from "../domain/account.ts";
import { parseDay, parseMonth } from "../domain/day.ts";
import { MAX_TEXT } from "../domain/text.ts";
import { declare, MONEY, OWNER, type Shape, within } from "./declaration.ts";
import { dateText, day, name, sold, soldOnDays, text, timeMs, withData } from "./field.ts";
import { soldAtLocations, soldBeside } from "./overview.ts";
import { gap } from "./record.ts";

const reportSum = {
  ...sold,
  gross: z.number().describe("Sum of the sales. revenue is net: without what was refunded."),
  refunds: z.int(),
  refunded: z.number().describe("What was given back in this time, also of sales before it: 0 or more."),
  voided: z.int().describe("Sales that were voided: in no other sum."),
  voidedTotal: z.number(),
  byHand: z.int().describe("How many of the sales were added by hand."),
  byHandTotal: z.number(),
  provisional: z.int().describe("How many of the sales have no certain time."),
};
const report = z.strictObject({
  month: z.string().regex(/^\d{4}-\d{2}$/),
  day: day.nullable().describe("Null: of the whole month."),
  location: z.string().nullable().describe("Null: of all locations."),
  from: day,
  to: day,
  before: soldOnDays
    .nullable()
    .describe(
      "The month or the day before; of a running one the same days, the last of them up to this time of day. Null for a time that is to come.",
    ),
  days: z
    .array(z.strictObject({ day, ...soldBeside }))
    .describe("Each day of the month, or the one; before: the part of `before` that is of the same day."),
  ...soldAtLocations,
  rooms: z.array(
    z.strictObject({
      location: z.string(),
      deviceId: z.string(),
      deviceName: z.string(),
      room: z.string(),
      prices: z
        .strictObject({ least: z.number(), most: z.number() })
        .nullable()
        .describe("The lowest and the highest price of its sales; null without one."),
      paidUntil: timeMs
        .nullable()
        .describe(
          "Until when these sales have paid for it, at most; null where none has, or it is not known here.",
        ),
      ...reportSum,
    }),
  ),
  others: z
    .strictObject(reportSum)
    .nullable()
    .describe("The sum of the rooms beyond the 2,000 that sold last; null where all are listed."),
  totals: z.strictObject(reportSum),
  gaps: z
    .array(gap)
    .describe(
      "Of all lines, or of those that are wired at this location, or nowhere any more: the newest 1,000.",
    ),
  head: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .describe(
      "The hash of the ledger's newest entry when the report was made. Kept elsewhere, it shows later whether anything before it was changed: flanco verify --head.",
    ),
  complete: z.boolean().describe("Whether the month, or the day, is over."),
});
export type Report = Shape<typeof report>;

export const getReport = declare("get", "/api/report", within(MONEY), {
  summary:
    "What each room has sold in a month or on a day, at one location or all, beside the month or day before, and what is not certain about it.",
  query: z
    .object({
      month: dateText(parseMonth, "YYYY-MM").optional(),
      day: dateText(parseDay, "YYYY-MM-DD").optional(),
      location: name.optional(),
    })
    .refine(({ month, day }) => (month === undefined) !== (day === undefined), {
      path: ["month"],
      message: "must be given, or day in its place",
    }),
  answer: withData(report),
});

export const exportDays = declare("get", "/api/report/days", within(MONEY), {
  summary: "What was sold on each day of a month, net of refunds, as a table for an invoicing program.",
  query: z.object({
    month: dateText(parseMonth, "YYYY-MM"),
    location: name.optional(),
    lang: z.enum(["es", "en"]),
  }),
  stream: "text/csv",
});

const letterhead = z.object({
  company: text(0, MAX_TEXT),
  taxNumber: text(0, MAX_TEXT),
  address: text(0, MAX_TEXT),
  logo: z
    .string()
    .refine(isLogo, `must be a PNG or JPEG image of at most ${MAX_LOGO_BYTES / 1024} KiB, as a data: URL`),
});

export const getLetterhead = declare("get", "/api/letterhead", within(MONEY), {
  summary: "What stands at the head of the account's reports.",
  answer: withData(z.strictObject(letterhead.shape)),
});

export const setLetterhead = declare("put", "/api/letterhead", OWNER, {
  summary: "Set the head of the account's reports. Written to the audit log.",
  body: z.object({ letterhead }),
});
