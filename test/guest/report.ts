import { z } from "zod";

/** A record's row, as the ledger's file holds it. Times in the units of their names. */
export const ledgerRowSchema = z.object({
  room: z.string(),
  valorMicros: z.number(),
  origin: z.enum(["posted", "edge", "found_at_start"]),
  createdMs: z.number(),
  endedMs: z.number().nullable(),
  boot: z.number().nullable(),
  line: z.string().nullable(),
  request: z.number().nullable(),
  sequence: z.number().nullable(),
  monotonicNs: z.number().nullable(),
});
export type LedgerRow = z.infer<typeof ledgerRowSchema>;

/** `missed` is null for an outage. */
export const gapSchema = z.object({ line: z.string(), missed: z.number().nullable(), reason: z.string() });
export type Gap = z.infer<typeof gapSchema>;

/** When a line was not watched, in wall time. */
export const outageSchema = z.object({ line: z.string(), fromMs: z.number(), toMs: z.number() });
export type Outage = z.infer<typeof outageSchema>;

/** One level set by hand, with the guest's clocks just before and just after. */
export const driveSchema = z.object({
  room: z.string(),
  high: z.boolean(),
  beforeNs: z.number(),
  afterNs: z.number(),
  beforeMs: z.number(),
  afterMs: z.number(),
});
export type Drive = z.infer<typeof driveSchema>;

/** Every edge driven so that the driver under test must see it, and what the ledger and the API made of them. */
const pacedSchema = z.object({
  step: z.literal("paced"),
  drives: z.array(driveSchema),
  /** What the kernel counted on the lines meanwhile. */
  interrupts: z.number(),
  rows: z.array(ledgerRowSchema),
  actuators: z.array(z.object({ id: z.string(), value: z.boolean() })),
  summary: z.object({ totalSales: z.number(), totalRevenue: z.number() }),
});

/** More edges on one line than the kernel's buffer holds, while the program was stopped. */
const burstSchema = z.object({
  step: z.literal("burst"),
  driven: z.number(),
  interrupts: z.number(),
  /** The burst's records alone. */
  rows: z.array(ledgerRowSchema),
  gaps: z.array(gapSchema),
  apiGaps: z.array(gapSchema),
});

/** Records of the lines' rooms, those from before the step left out. */
const roomsSchema = z.record(z.string(), z.array(ledgerRowSchema));

/** The program killed between high and low and between low and high. */
const killedSchema = z.object({
  step: z.literal("killed"),
  /** Wall time at the kill, and when the program was up again. */
  awayFromMs: z.number(),
  awayToMs: z.number(),
  /** After the start, and after every line went low. */
  restarted: roomsSchema,
  last: roomsSchema,
});

/** The program told to end with edges just driven. */
const endedSchema = z.object({
  step: z.literal("ended"),
  /** There is no report of a program that did not end (END_MS of inside/service.ts). */
  exitCode: z.number().nullable(),
  /** What the file held when the program was gone, and after the next start. */
  committed: roomsSchema,
  restarted: roomsSchema,
});

/** `flanco verify` on the finished ledger. */
const verifiedSchema = z.object({
  step: z.literal("verified"),
  exitCode: z.number().nullable(),
  output: z.string(),
});

const reportSchema = z.discriminatedUnion("step", [
  pacedSchema,
  burstSchema,
  killedSchema,
  endedSchema,
  verifiedSchema,
]);
export type Report = z.infer<typeof reportSchema>;
export type ReportOf<Step extends Report["step"]> = Extract<Report, { step: Step }>;

/** What one program that ran inside came to. */
const partSchema = z.object({
  part: z.enum(["conformance", "chardev", "sysfs"]),
  exitCode: z.number().nullable(),
  seconds: z.number(),
  stdout: z.string(),
  stderr: z.string(),
});
export type Part = z.infer<typeof partSchema>;

/** Reads what the guest's command wrote: one JSON object a line, each a part. Throws ZodError or SyntaxError. */
export function parseParts(text: string): readonly Part[] {
  return jsonLines(text).map((line) => partSchema.parse(line));
}

/** Reads what an inside script wrote: one JSON object a line. Throws ZodError or SyntaxError. */
export function parseReports(text: string): readonly Report[] {
  return jsonLines(text).map((line) => reportSchema.parse(line));
}

function jsonLines(text: string): readonly unknown[] {
  return text
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line): unknown => JSON.parse(line));
}

/** Rooms of the eight lines, by the line's offset. */
export const ROOMS = ["101", "102", "103", "104", "105", "106", "107", "108"] as const;

/** Price of a sale in the room of a line, in units: each room has its own. */
export function valorOf(offset: number): number {
  return 10.25 + offset;
}

/** The name by which a line is kept. */
export function lineName(offset: number): string {
  return `RELAY${offset}`;
}

/** How a line is named when it is wired: by name and by chip and offset in turn, as technicians do. */
export function typedName(offset: number): string {
  return offset % 2 === 0 ? lineName(offset) : `gpiochip0:${offset}`;
}
