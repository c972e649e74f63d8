import * as z from "zod";
import { MINUTE_MS } from "../domain/clock.ts";
import { DEFAULT_TEST_MS, DRIVER_NAMES, MAX_TEST_MS } from "../domain/line.ts";
import { declare, OPERATOR, PEOPLE, type Shape, TECHNICAL } from "./declaration.ts";
import { id, lineNames, name, timeMs, withData } from "./field.ts";

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

export const listLines = declare("get", "/api/line", TECHNICAL, {
  summary: "Every line of this machine: its room, its level, and which other program has it.",
  answer: withData(lines),
});

export const readLine = declare("post", "/api/line/read", TECHNICAL, {
  // The page looks again and again.
  aDay: null,
  summary: "The physical level of a free line, by one look: to see which one is which.",
  body: z.object({ line: name }),
  answer: withData(z.strictObject({ level: z.boolean().describe("Physical: true is high.") })),
  errors: ["not_found", "conflict"],
});

export const driveLine = declare("post", "/api/line/drive", TECHNICAL, {
  aDay: null,
  summary: "Set the physical level of a simulated line.",
  body: z.object({ line: name, level: z.boolean() }),
  errors: ["not_found", "conflict"],
});

/** How long lines are under test, in minutes. */
export function testMinutes(defaultMs: number) {
  return z
    .int()
    .min(1)
    .max(MAX_TEST_MS / MINUTE_MS)
    .default(defaultMs / MINUTE_MS);
}

/** Begins a test of lines. */
const newTest = {
  lines: lineNames,
  minutes: testMinutes(DEFAULT_TEST_MS).describe(
    "Then it ends by itself, also if the service was restarted.",
  ),
};

export const beginTest = declare("put", "/api/test", TECHNICAL, {
  summary: "Put wired lines under test, or prolong it: what they do is no sale. The status lists them.",
  body: z.object({ test: z.object(newTest) }),
  errors: ["not_found", "too_many"],
});

export const endTest = declare("delete", "/api/test", TECHNICAL, {
  summary: "End the test of a line, or of all lines of the account: sales count again.",
  query: z.object({ line: name.optional() }),
});

const testedEdge = z.strictObject({
  line: z.string(),
  deviceId: id,
  room: z.string(),
  time: timeMs,
  provisional: z.boolean().describe("That time is not trusted."),
});

export const listTestedEdges = declare("get", "/api/test/edge", PEOPLE, {
  summary: "The newest 200 times that a room was switched on under test, newest first. None is a sale.",
  answer: withData(z.array(testedEdge)),
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
