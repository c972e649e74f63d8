import * as z from "zod";
import { MAX_TIME_MS } from "../domain/clock.ts";
import { parseDay, parseMonth } from "../domain/day.ts";
import { SEVERITIES } from "../domain/faults/entry.ts";
import { CLINIC_STATES, MAX_DETAIL, MAX_REPORTED } from "../domain/gateway.ts";
import { shownText } from "../domain/text.ts";
import { declare, MONEY, type Shape } from "./declaration.ts";
import { dateText, digits, sold, soldOnDays, timeMs, withData } from "./field.ts";
import { closedSettlement } from "./settlement.ts";
import { pageStatus } from "./status.ts";

const whole = z.int().min(0);
/** A moment that dates can show, of the gateway's clock. */
const moment = whole.max(MAX_TIME_MS);

/**
 * What a gateway tells its company of itself, as it comes from the company's database. A newer
 * gateway may tell more, and of faults that are not known here. One that somebody has
 * broken into can tell nothing that a page or a terminal stumbles over.
 */
export const gatewayReport = z.object({
  version: z.string().regex(/^[\w.+~-]{1,60}$/),
  clockTrusted: z.boolean(),
  /** Of HTTPS; null before its ports are open. */
  certificateEndsMs: moment.nullable(),
  /** The ledger's; null where it could not be read. `lifeUsedPercent` as `CardWear` has it. */
  disk: z.object({ freeBytes: whole, totalBytes: whole, lifeUsedPercent: whole.nullable() }).nullable(),
  /** Of when the newest proved backup is, and the newest one outside of the house; null without one. */
  backupMs: moment.nullable(),
  remoteBackupMs: moment.nullable(),
  /** Each code once, the worst first. `details` and `sinceMs` are those of the first fault of `count`. */
  faults: z
    .array(
      z.object({
        code: z.string().regex(/^[a-z_]{1,40}$/),
        count: whole,
        sinceMs: moment,
        details: z.record(
          z.string().max(40),
          z.union([z.string().max(MAX_DETAIL).transform(shownText), z.number()]),
        ),
      }),
    )
    .max(MAX_REPORTED),
});
export type GatewayReport = Shape<typeof gatewayReport>;

const states = z
  .array(z.enum(CLINIC_STATES))
  .describe("How its gateway fares: each trouble, the worst first.");

const clinic = z.strictObject({ name: z.string(), ...sold, before: z.strictObject(sold), states });

const faultText = z.strictObject({ what: z.string(), todo: z.string() });

/** What a gateway told of itself when it called last; times are those of its clock. */
const told = z.strictObject({
  version: z.string(),
  clockTrusted: z.boolean(),
  certificateEndsTime: timeMs.nullable().describe("Of HTTPS."),
  disk: gatewayReport.shape.disk,
  backupTime: timeMs.nullable().describe("Of when its newest proved backup is."),
  remoteBackupTime: timeMs.nullable().describe("Of when the newest one outside of the house is."),
  faults: z.array(
    z.strictObject({
      code: z.string(),
      severity: z.enum(SEVERITIES),
      count: z.int().describe("How many faults of this code there are; the texts are of the first."),
      texts: z.strictObject({ es: faultText, en: faultText }),
    }),
  ),
});

const gateway = z.strictObject({
  name: z.string(),
  timeZone: z.string(),
  states,
  seenTime: timeMs.nullable().describe("When it called last; null where it never did."),
  waiting: z
    .int()
    .describe("Entries that the gateway has and the company's database lacks, when it called last."),
  forkedAt: z
    .int()
    .nullable()
    .describe("The entry from which its ledger is another one than the database's."),
  withheld: z.int().describe("Entries of that ledger that are not taken, when it called last."),
  untold: z
    .int()
    .describe("Entries that it lost before they were sent, and that its ledger does not tell of."),
  clockOffMs: z.int().describe("By how much its clock is ahead of the database's."),
  currency: z.string().describe("The company's."),
  ownZone: z.string().nullable().describe("Of the gateway's own settings; null before it said it."),
  ownCurrency: z.string().nullable().describe("Likewise."),
  told: told.nullable().describe("Null before it told anything, and where its version is too old to do so."),
});
export type ToldGateway = Shape<typeof gateway>;

const comparison = z.strictObject({
  days: soldOnDays,
  before: soldOnDays,
  clinics: z.array(clinic).describe("The highest revenue first."),
});
export type ClinicComparison = Shape<typeof comparison>;

export const compareClinics = declare("get", "/api/clinic", MONEY, {
  summary: "What each clinic has sold in a period, beside the same days before, and how its gateway fares.",
  query: z.object({
    period: z.enum(["week", "month", "year"]),
    at: dateText(parseDay, "YYYY-MM-DD, a day of the period; today without it").optional(),
  }),
  answer: withData(comparison),
});

export const listGateways = declare("get", "/api/gateway", MONEY, {
  summary: "How the gateway of each clinic fares, and what it tells of itself.",
  answer: withData(z.array(gateway)),
});

/** What the company's list reads of a settlement. A newer gateway may say more. */
export const settledFigures = z.object({
  number: z.int(),
  closed: timeMs,
  totals: closedSettlement.shape.content.shape.totals.strip(),
});

const settledHere = z.strictObject({
  id: z.int().describe("Number of its entry among those of all gateways."),
  hash: closedSettlement.shape.hash,
  isReplaced: z
    .boolean()
    .describe("It is of a ledger in whose place a restored one has closed the month too."),
  figures: settledFigures.nullable().describe("Null where the gateway's version is not understood."),
  differs: z
    .strictObject(sold)
    .nullable()
    .describe(
      "The settled sales and net sum less those that the company's database has, up to the settlement's mark.",
    ),
});

const clinicMonth = z.strictObject({
  month: closedSettlement.shape.month,
  months: z
    .array(closedSettlement.shape.month)
    .describe("The newest 120 months that any clinic has closed, newest first."),
  clinics: z
    .array(
      z.strictObject({
        name: z.string(),
        states,
        waiting: gateway.shape.waiting,
        now: z
          .strictObject(sold)
          .nullable()
          .describe("What the company's database has of the month now; null in a clinic's further rows."),
        settlement: settledHere.nullable().describe("Null while the database has none of this month."),
      }),
    )
    .describe("By name; a clinic with several settlements of the month several times, the newest first."),
});
export type ClinicMonth = Shape<typeof clinicMonth>;

export const listClinicSettlements = declare("get", "/api/clinic/settlements", MONEY, {
  summary: "What each clinic has settled of a month, and who has not closed it.",
  query: z.object({ month: dateText(parseMonth, "YYYY-MM") }),
  answer: withData(clinicMonth),
});

export const getClinicSettlement = declare("get", "/api/clinic/settlement", MONEY, {
  summary: "One settlement of a clinic, as its gateway has it.",
  query: z.object({ id: digits }),
  answer: withData(closedSettlement),
  errors: ["not_found"],
});

export const getCompanyStatus = declare("get", "/api/status", MONEY, {
  summary: "What the page needs to show the company: its name, zone, currency and time.",
  answer: withData(pageStatus.extend({ troubled: z.int().describe("Gateways that a person must see to.") })),
});
