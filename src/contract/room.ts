import { z } from "zod";
import { ROLES } from "../domain/member.ts";
import { declare, type Shape } from "./declaration.ts";
import { success, timeMs } from "./field.ts";

const room = z.strictObject({
  deviceId: z.string(),
  room: z.string(),
  level: z.boolean().describe("Whether the room is on."),
  line: z.string().nullable().describe("The line that it is wired to; null without one."),
  withoutLine: z.boolean().describe("It has no line on purpose."),
  sinceTime: timeMs
    .nullable()
    .describe("Since when, by the last edge of its line; null where that is not known."),
  sales: z
    .int()
    .nullable()
    .describe("On the whole local day, without void records; null for a role without money."),
  revenue: z.number().nullable().describe("The same."),
  lastSaleTime: timeMs
    .nullable()
    .describe("Of today's last sale; null before the first, and for a role without money."),
});
export type Room = Shape<typeof room>;

export const listRooms = declare({
  method: "get",
  path: "/room",
  summary:
    "Every room of the user's devices: its level, and what it has sold today (its newest 20,000 records).",
  roles: ROLES,
  answer: success.extend({ data: z.array(room) }),
});
