import * as z from "zod";
import { parseDay } from "../domain/day.ts";
import { MAX_COMPARED, MAX_GONE } from "../domain/overview.ts";
import { declare, MONEY, type Shape, within } from "./declaration.ts";
import { dateText, day, recordFilter, sold, soldOnDays, withData } from "./field.ts";

/** What was sold, and the revenue of the period before. */
export const soldBeside = { ...sold, before: z.number() };
export const soldAtLocations = {
  locations: z
    .array(z.strictObject({ name: z.string(), ...soldBeside }))
    .describe(`The locations with the highest revenue, the highest first: at most ${MAX_COMPARED}.`),
  otherLocations: z
    .strictObject(soldBeside)
    .nullable()
    .describe("The sum of the locations beyond those; null where all are listed."),
};

const overview = z.strictObject({
  period: z.enum(["week", "month", "year"]),
  ...soldOnDays.shape,
  before: soldOnDays.describe(
    "The seven days before the week, the month before, or the year before; of a running one the same days, the last of them up to this time of day.",
  ),
  spans: z
    .array(
      z.strictObject({
        name: z.enum(["day", "week", "month", "year"]),
        ...soldOnDays.shape,
        before: soldOnDays.describe("The same days before, the last of them up to this time of day."),
        isComparable: z.boolean().describe("Whether the days before are known in full."),
      }),
    )
    .describe("Today, the last seven days, this month and this year so far."),
  chart: z
    .array(z.strictObject({ start: day, ...soldBeside }))
    .describe(
      "7 days, the days of a month, or 12 months by their first day, oldest first; before: the part of `before` that is of the same day or month.",
    ),
  ...soldAtLocations,
  choices: z
    .strictObject({
      locations: z.array(z.string()),
      devices: z.array(z.strictObject({ deviceId: z.string(), locationName: z.string() })),
      gone: z
        .array(z.strictObject({ deviceId: z.string(), name: z.string() }))
        .describe(
          `Devices of these, and of the filter, that /api/device does not list, by a name that they had, on a gateway the newest: at most ${MAX_GONE}.`,
        ),
    })
    .describe("What sold in the period or in the one before, no filter applied."),
});
export type Overview = Shape<typeof overview>;

const { location, device } = recordFilter;

export const getOverview = declare("get", "/api/overview", within(MONEY), {
  summary: "What was sold in seven days, or in a calendar month or year, beside the time before.",
  query: z.object({
    period: z.enum(["week", "month", "year"]),
    at: dateText(
      parseDay,
      "YYYY-MM-DD, a day of the period, the last one of a week; today without it",
    ).optional(),
    location,
    device,
  }),
  answer: withData(overview),
});
