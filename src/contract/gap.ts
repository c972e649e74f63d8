import { z } from "zod";
import { declare, PEOPLE, type Shape } from "./declaration.ts";
import { pageQuery, success, timeMs } from "./field.ts";

export const gap = z.strictObject({
  gapId: z.int(),
  line: z.string(),
  fromTime: timeMs,
  toTime: timeMs,
  missed: z.int().nullable().describe("Edges that were lost; null for an outage: not known."),
  missedRises: z.int().nullable().describe("How many of them were sales; null for an outage."),
  reason: z
    .enum(["overflow", "outage"])
    .describe("overflow: edges came faster than they could be kept. outage: the line was not watched."),
});
export type Gap = Shape<typeof gap>;

export const listGaps = declare({
  method: "get",
  path: "/gap",
  summary: "Stretches in which edges of a line were lost, or it was not watched, newest first, in pages.",
  roles: PEOPLE,
  query: pageQuery,
  answer: success.extend({ data: z.array(gap), next: z.int().nullable() }),
});
