import * as z from "zod";
import { MINUTE_MS } from "../domain/clock.ts";
import { DEFAULT_COMMISSION_MS, MAX_FREE_LINES, MAX_TEST_MS } from "../domain/commission.ts";
import { BIASES, DRIVER_NAMES } from "../domain/line.ts";
import { MAX_TEXT } from "../domain/text.ts";
import { CAUSES, MENDED_SETTINGS, VERDICTS } from "../domain/verdict.ts";
import { declare, PEOPLE, type Shape, TECHNICAL, within } from "./declaration.ts";
import { digits, id, lineNames, name, text, timeMs, withData } from "./field.ts";

/** What a commissioning is begun with. */
const newCommission = {
  lines: lineNames
    .optional()
    .describe("The wired lines; left out for all of the account, also those that are wired meanwhile."),
  freeLines: z
    .array(name)
    .max(MAX_FREE_LINES)
    .default([])
    .describe("Lines without a room that are looked at too, to see which one moves."),
  minutes: z
    .int()
    .min(1)
    .max(MAX_TEST_MS / MINUTE_MS)
    .default(DEFAULT_COMMISSION_MS / MINUTE_MS)
    .describe(
      "The lines' test then ends by itself, also if the service was restarted. What was ticked off stays.",
    ),
};

/** Names a room. */
const roomKey = { dId: name, room: name };
/** Ticks a room off, with a note. */
const newTick = { ...roomKey, note: text(0, MAX_TEXT).default("") };
/** The names of the two people who sign a report. */
const signatures = { technician: name, clinic: name };

const contact = {
  activeLow: z.boolean(),
  bias: z.enum(BIASES),
  debounceMs: z.int(),
};

const measured = z.strictObject({
  switchings: z.int(),
  edges: z.int().describe("Without debounce."),
  mostEdges: z.int().describe("Of one switching; 1 for a contact that does not bounce."),
  longestMs: z.int().describe("From the first edge of a switching to its last, at most."),
  restHigh: z.boolean().describe("The physical level at rest."),
});

const judgement = z.strictObject({
  verdict: z.enum(VERDICTS).nullable().describe("Null until the relay was switched on and off."),
  cause: z.enum(CAUSES).nullable(),
  mend: z
    .strictObject({ setting: z.enum(MENDED_SETTINGS), line: z.string(), ...contact })
    .nullable()
    .describe("How to wire the room so that it is good; null where no setting mends it."),
  measured: measured.nullable(),
});

const tick = z.strictObject({
  ...judgement.shape,
  note: z.string(),
  time: timeMs,
  provisional: z.boolean().describe("That time is not trusted."),
});

const wiredRoom = {
  locationName: z.string(),
  deviceId: id,
  dId: z.string(),
  deviceName: z.string(),
  room: z.string(),
  withoutLine: z.boolean().describe("It has no line on purpose."),
  wired: z
    .strictObject({ line: z.string(), ...contact, rearmMs: z.int() })
    .nullable()
    .describe("Its line; null without one."),
};

const commissionedRoom = z.strictObject({
  ...wiredRoom,
  level: z.boolean().nullable().describe("activeLow applied; null for a line that is not watched."),
  isUnderTest: z.boolean().describe("What its line does is no sale."),
  isAsked: z.boolean().describe("It is the room that is to be switched."),
  judgement: judgement.describe("By what was seen of its line so far."),
  tick: tick.nullable().describe("Null until it is ticked off, and again once its wiring is changed."),
});

const moved = z.strictObject({
  line: z.string(),
  room: z.strictObject({ dId: z.string(), deviceName: z.string(), room: z.string() }).nullable(),
  level: z.boolean(),
  time: timeMs,
});

const commissionState = z.strictObject({
  begunTime: timeMs.nullable().describe("Null where no commissioning is open."),
  untilTime: timeMs
    .nullable()
    .describe("When the test of its lines ends; null where it has ended: begin again to go on."),
  lines: z
    .array(z.string())
    .nullable()
    .describe("The wired lines that it is of; null for all of the account."),
  freeLines: z.array(z.string()),
  moved: z.array(moved).describe("The newest 20 movements of its lines, newest first."),
  rooms: z.array(commissionedRoom).describe("All rooms of the account, in the order of their places."),
});
export type Commission = Shape<typeof commissionState>;
export type CommissionedRoom = Shape<typeof commissionedRoom>;

/** The content of an acceptance report. It has no money in it. */
const reportContent = z.strictObject({
  technician: z.string(),
  clinic: z.string(),
  begunTime: timeMs,
  versions: z.strictObject({ flanco: z.string(), node: z.string(), kernel: z.string() }),
  lines: z.strictObject({
    driver: z.enum(DRIVER_NAMES),
    simulated: z.boolean(),
    wired: z.int(),
    watched: z.int(),
    failures: z.array(z.strictObject({ line: z.string(), message: z.string() })),
  }),
  rooms: z.array(z.strictObject({ ...wiredRoom, tick: tick.nullable() })),
  counts: z.strictObject({
    rooms: z.int(),
    good: z.int(),
    attention: z.int().describe("Ticked off, and not good."),
    untested: z.int().describe("Not ticked off, and not without a line on purpose."),
  }),
  clock: z.strictObject({ time: timeMs, trusted: z.boolean(), timeZone: z.string() }),
  backup: z
    .strictObject({ madeTime: timeMs, provedTime: timeMs, clockTrusted: z.boolean(), head: z.string() })
    .nullable()
    .describe("The newest backup that was checked in full; null before the first."),
  head: z.string().describe("The hash of the chain's newest entry before this report's own."),
});
export type ReportContent = Shape<typeof reportContent>;

const acceptanceReport = z.strictObject({
  ...reportContent.shape,
  number: z.int(),
  time: timeMs,
  provisional: z.boolean().describe("That time is not trusted."),
  who: z.string().nullable().describe("E-mail of the signed-in user, as it was then."),
  from: z.string().describe("Address of the client, or the system's user of the command."),
  hash: z.string().describe("The hash of this report's entry in the ledger's chain."),
});
export type AcceptanceReport = Shape<typeof acceptanceReport>;

const reportHead = z.strictObject({
  number: z.int(),
  time: timeMs,
  provisional: z.boolean(),
  technician: z.string(),
  clinic: z.string(),
  rooms: z.int(),
  good: z.int(),
  attention: z.int(),
  untested: z.int(),
});
export type AcceptanceReportHead = Shape<typeof reportHead>;

export const beginCommission = declare("put", "/api/commission", within(TECHNICAL), {
  summary:
    "Begin to commission wired lines, or go on: what they do is no sale, and their bounce is measured. Lasts for a bounded time.",
  body: z.object({ commission: z.object(newCommission) }),
  errors: ["not_found", "conflict", "too_many"],
});

export const getCommission = declare("get", "/api/commission", within(TECHNICAL), {
  summary: "The account's rooms with what was seen of their lines, and what is proposed.",
  answer: withData(commissionState),
});

export const endCommission = declare("delete", "/api/commission", within(TECHNICAL), {
  summary: "End the commissioning without a report: sales count again, and what was ticked off is forgotten.",
  query: z.object({
    pause: z.stringbool().optional().describe("End the tests of its lines alone, to go on with it later."),
  }),
});

const testedEdge = z.strictObject({
  line: z.string(),
  deviceId: id,
  room: z.string(),
  time: timeMs,
  provisional: z.boolean().describe("That time is not trusted."),
});

export const listTestedEdges = declare("get", "/api/commission/edge", within(PEOPLE), {
  summary: "The newest 200 times that a room was switched on under test, newest first. None is a sale.",
  answer: withData(z.array(testedEdge)),
});

export const askRoom = declare("put", "/api/commission/room", within(TECHNICAL), {
  // It is kept in memory alone.
  aDay: null,
  summary: "Say which room is switched next: from here on its line is judged by that.",
  body: z.object({ room: z.object(roomKey) }),
  errors: ["not_found", "conflict"],
});

export const tickRoom = declare("put", "/api/commission/tick", within(TECHNICAL), {
  summary: "Tick a room off with its verdict of this moment.",
  body: z.object({ tick: z.object(newTick) }),
  errors: ["not_found", "conflict"],
});

export const mendRoom = declare("post", "/api/commission/mend", within(TECHNICAL), {
  summary:
    "Apply what is proposed for a room: a setting of its line, or the line that moved, which then changes places with its own.",
  body: z.object({ room: z.object(roomKey) }),
  errors: ["not_found", "conflict", "too_many"],
});

export const finishCommission = declare("post", "/api/commission/report", within(TECHNICAL), {
  summary: "End the commissioning with an acceptance report, which the ledger keeps for ever.",
  body: z.object({ report: z.object(signatures) }),
  answer: withData(z.strictObject({ number: z.int() })),
  errors: ["conflict", "too_many"],
});

export const listAcceptanceReports = declare("get", "/api/commission/reports", within(TECHNICAL), {
  summary: "The newest 50 acceptance reports, newest first.",
  answer: withData(z.array(reportHead)),
});

export const getAcceptanceReport = declare("get", "/api/commission/report", within(TECHNICAL), {
  summary: "One acceptance report; the newest where no number is given.",
  query: z.object({ number: digits.optional() }),
  answer: withData(acceptanceReport),
  errors: ["not_found"],
});
