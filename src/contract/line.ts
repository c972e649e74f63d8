import { z } from "zod";
import { DRIVER_NAMES } from "../domain/line.ts";
import { declare, type Shape, TECHNICAL } from "./declaration.ts";
import { name, success } from "./field.ts";

const line = z.strictObject({
  address: z.string().describe("Chip and offset: gpiochip0:17."),
  name: z.string().nullable(),
  consumer: z
    .string()
    .nullable()
    .describe("Another program that has the line; null while it is free or watched."),
  wired: z
    .strictObject({ deviceName: z.string(), dId: z.string(), actuatorId: z.string() })
    .nullable()
    .describe("The user's own room."),
  wiredByOther: z.boolean(),
  watched: z.boolean(),
  level: z.boolean().nullable().describe("activeLow applied; null but for own watched lines."),
  problem: z.string().nullable().describe("Why an own wired line is not watched."),
});
const lines = z.strictObject({
  driver: z.enum(DRIVER_NAMES),
  simulated: z.boolean(),
  chips: z.array(z.strictObject({ chip: z.string(), label: z.string(), lines: z.array(line) })),
});
export type Line = Shape<typeof line>;
export type Lines = Shape<typeof lines>;

export const listLines = declare({
  method: "get",
  path: "/line",
  summary: "Every line of this machine: its room, its level, and which other program has it.",
  roles: TECHNICAL,
  answer: success.extend({ data: lines }),
});

export const readLine = declare({
  method: "post",
  path: "/line/read",
  summary: "The physical level of a free line, by one look: to see which one is which.",
  roles: TECHNICAL,
  body: z.object({ line: name }),
  answer: success.extend({
    data: z.strictObject({ level: z.boolean().describe("Physical: true is high.") }),
  }),
  errors: ["not_found", "conflict"],
});

export const driveLine = declare({
  method: "post",
  path: "/line/drive",
  summary: "Set the physical level of a simulated line.",
  roles: TECHNICAL,
  body: z.object({ line: name, level: z.boolean() }),
  errors: ["not_found", "conflict"],
});
