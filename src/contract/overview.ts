import { z } from "zod";
import { declare, MONEY, type Shape } from "./declaration.ts";
import { day, recordFilter, success } from "./field.ts";

const sold = { revenue: z.number(), sales: z.int() };
const soldOnDays = { from: day, to: day, ...sold, locations: z.int(), devices: z.int() };
const overview = z.strictObject({
  period: z.enum(["week", "year"]),
  ...soldOnDays,
  before: z
    .strictObject(soldOnDays)
    .describe("The seven days before the week, or the same days of last year."),
  today: z.strictObject(sold),
  chart: z
    .array(z.strictObject({ start: day, ...sold }))
    .describe("7 days, oldest first, or 12 months by their first day, January first."),
  choices: z
    .strictObject({
      locations: z.array(z.string()),
      devices: z.array(z.strictObject({ deviceId: z.string(), locationName: z.string() })),
    })
    .describe("What sold in the period or in the one before, no filter applied."),
});
export type Overview = Shape<typeof overview>;

const { location, device } = recordFilter;

export const getOverview = declare({
  method: "get",
  path: "/overview",
  summary: "What was sold in the last seven days, or in this calendar year, beside the time before.",
  roles: MONEY,
  query: z.object({ period: z.enum(["week", "year"]), location, device }),
  status: 200,
  answer: success.extend({ data: overview }),
  errors: ["invalid", "unavailable", "internal"],
});
