import { z } from "zod";
import { driveSchema, gapSchema, ledgerRowSchema, outageSchema } from "../guest/report.ts";

const journalEntrySchema = z.object({ message: z.string(), monotonicNs: z.number() });

/** Relays driven from before the process's end until after its return, and what the ledger made of it. */
const absenceSchema = z.object({
  step: z.enum(["killed", "restarted", "stopped", "control"]),
  drives: z.array(driveSchema),
  /** Monotonic time at which the process was told to end, or stopped. */
  awayFromNs: z.number(),
  /** Monotonic time at which systemd heard READY of the next one. */
  awayToNs: z.number(),
  rows: z.array(ledgerRowSchema),
  gaps: z.array(gapSchema),
  /** Those of the gaps that are outages. */
  outages: z.array(outageSchema),
  /** What the service's journal says meanwhile, one message each, systemd's own among them. */
  journal: z.array(journalEntrySchema),
});
export type Absence = z.infer<typeof absenceSchema>;

/** One line unwired and, as the step waits for it, free again: what systemd keeps before and after. */
const unwiredSchema = z.object({
  step: z.literal("unwired"),
  storedBefore: z.number(),
  storedAfter: z.number(),
});

/** `flanco verify` on the finished ledger. */
const verifiedSchema = z.object({
  step: z.literal("verified"),
  exitCode: z.number().nullable(),
  output: z.string(),
});

/** What systemd shows of the service once it is up. */
const shownSchema = z.object({
  step: z.literal("shown"),
  status: z.string(),
  stored: z.number(),
});

/** The process told to end by a signal that systemd knows nothing of: when systemd took it for stopping. */
const endedSchema = z.object({
  step: z.literal("ended"),
  /** Monotonic time at which the unit ceased to be active. */
  inactiveNs: z.number(),
  journal: z.array(journalEntrySchema),
});

/** The service and the program's commands under the unit's confinement, in which a forbidden call kills. */
const confinedSchema = z.object({
  step: z.literal("confined"),
  /** Of /proc/PID/status and /proc/PID/limits: 2 is a filter. */
  seccomp: z.number(),
  coreBytes: z.string(),
  openFiles: z.string(),
  /** Which of the things that the service does by itself, or is told to, were seen in its journal. */
  seen: z.array(z.string()),
  commands: z.array(z.object({ command: z.string(), result: z.string(), status: z.number() })),
  /** A command that calls what is forbidden. */
  control: z.object({ result: z.string(), status: z.number() }),
});

const reportSchema = z.union([
  confinedSchema,
  absenceSchema,
  unwiredSchema,
  verifiedSchema,
  shownSchema,
  endedSchema,
]);
export type Report = z.infer<typeof reportSchema>;

/** Reads what the inside script wrote: one JSON object a line. Throws ZodError or SyntaxError. */
export function parseReports(text: string): readonly Report[] {
  return text
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => reportSchema.parse(JSON.parse(line)));
}
