import { z } from "zod";
import { parseMonth } from "../domain/day.ts";
import { declare, MONEY, type Shape } from "./declaration.ts";
import { dateText, day, name, success } from "./field.ts";
import { gap } from "./gap.ts";

const reportSum = {
  sales: z.int(),
  revenue: z.number(),
  voided: z.int().describe("Records that were voided: in no sum."),
  provisional: z.int().describe("How many of the sales have no certain time."),
};
const report = z.strictObject({
  month: z.string().regex(/^\d{4}-\d{2}$/),
  location: z.string(),
  from: day,
  to: day,
  rooms: z.array(
    z.strictObject({ deviceId: z.string(), deviceName: z.string(), room: z.string(), ...reportSum }),
  ),
  others: z
    .strictObject(reportSum)
    .nullable()
    .describe("The sum of the rooms beyond the 2,000 that sold last; null where all are listed."),
  totals: z.strictObject(reportSum),
  gaps: z
    .array(gap)
    .describe("Of lines that are wired at this location, or nowhere any more: the newest 1,000."),
  complete: z.boolean().describe("Whether the month is over."),
});
export type Report = Shape<typeof report>;

export const getReport = declare({
  method: "get",
  path: "/report",
  summary: "What each room of a location has sold in a month, and what is not certain about it.",
  roles: MONEY,
  query: z.object({ month: dateText(parseMonth, "YYYY-MM"), location: name }),
  answer: success.extend({ data: report }),
});
