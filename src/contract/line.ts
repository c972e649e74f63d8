import * as z from "zod";
import { DRIVER_NAMES } from "../domain/line.ts";
import { declare, OPERATOR, type Shape, TECHNICAL, within } from "./declaration.ts";
import { name, timeMs, withData } from "./field.ts";

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

export const listLines = declare("get", "/api/line", within(TECHNICAL), {
  summary: "Every line of this machine: its room, its level, and which other program has it.",
  answer: withData(lines),
});

export const driveLine = declare("post", "/api/line/drive", within(TECHNICAL), {
  aDay: null,
  summary: "Set the physical level of a simulated line.",
  body: z.object({ line: name, level: z.boolean() }),
  errors: ["not_found", "conflict"],
});

const chip = z.strictObject({
  name: z.string(),
  label: z.string(),
  place: z.string().exactOptional(),
  lines: z.array(
    z.strictObject({
      chip: z.string(),
      offset: z.int(),
      name: z.string().nullable(),
      holder: z.string().nullable(),
    }),
  ),
});

export type Chip = Shape<typeof chip>;

export const listChips = declare("get", "/api/line/chip", OPERATOR, {
  summary: "Every chip with its lines and their holders.",
  answer: withData(z.array(chip)),
});

/** A sighting as `flanco gpio watch` shows it. `sequence` is 0 for the level at the start of a watch. */
export const sighting = z.strictObject({
  line: z.string(),
  active: z.boolean(),
  activeLow: z.boolean(),
  timeMs,
  monotonicMs: z.int(),
  sequence: z.int(),
  missed: z.int(),
});
export type ShownSighting = z.output<typeof sighting>;

export const watchLines = declare("get", "/api/line/watch", OPERATOR, {
  summary: "Every level of the wired lines from now on, a JSON text a line, until the client goes away.",
  stream: "application/x-ndjson",
});
