import * as z from "zod";
import { parseMonth } from "../domain/day.ts";
import { RECORD_ORIGINS } from "../domain/record.ts";
import { CORRECTION_REASONS } from "../domain/settlement.ts";
import { DEFAULT_VAT, TERMS_KINDS } from "../domain/terms.ts";
import { MAX_TEXT } from "../domain/text.ts";
import { declare, MONEY, OWNER, type Shape, within } from "./declaration.ts";
import { dateText, digits, id, name, text, timeMs, valor, withData } from "./field.ts";
import { gap } from "./record.ts";

const month = z.string().regex(/^\d{4}-\d{2}$/);
const askedMonth = dateText(parseMonth, "YYYY-MM");
const hash = z.string().regex(/^[0-9a-f]{64}$/);
const percent = z
  .number()
  .min(0)
  .max(100)
  .refine((value) => Number.isInteger(Math.round(value * 1e6) / 1e4), "must have at most two decimals");
const signer = text(0, MAX_TEXT).default("");

const terms = z.strictObject({
  from: z
    .string()
    .refine((value) => parseMonth(value) !== undefined, "must be a date, YYYY-MM")
    .describe("The month from which they hold, YYYY-MM."),
  kind: z
    .enum(TERMS_KINDS)
    .describe("The clinic gets a share, a fixed canon, or the share and at least a minimum, each month."),
  share: percent.default(0).describe("Of what is sold, VAT included, in percent."),
  amount: valor.min(0).default(0).describe("The canon or the minimum of a month."),
  vat: percent.default(DEFAULT_VAT).describe("The rate of the VAT that prices include, in percent."),
  companySigner: signer,
  clinicSigner: signer,
  closesItself: z
    .boolean()
    .default(false)
    .describe("Months are closed on the third day where all terms say so, and by a person otherwise."),
});
export type Terms = Shape<typeof terms>;
const locationTerms = z.strictObject({ location: z.string(), ...terms.shape });

export const listTerms = declare("get", "/api/terms", within(MONEY), {
  summary: "What is agreed with the clinics: all terms of each location, the latest first.",
  answer: withData(z.array(locationTerms)),
});

export const setTerms = declare("put", "/api/terms", OWNER, {
  summary:
    "Set what is agreed with a clinic, from a month on that is not closed yet. Written to the ledger for ever.",
  body: z.object({
    terms: z
      .object({ locationId: id, ...terms.shape })
      .refine(({ kind, share }) => kind === "canon" || share > 0, {
        path: ["share"],
        message: "must be more than 0",
      }),
  }),
  errors: ["not_found", "conflict", "too_many"],
});

const sums = {
  sales: z.int(),
  gross: z.number().describe("What was sold, also by hand; voided records are not in it."),
  refunds: z.int(),
  refunded: z.number(),
  voided: z.int().describe("Sales that were voided before the month was closed."),
  voidedValue: z.number(),
  byHand: z.int().describe("How many of the sales were added by hand."),
  byHandValue: z.number(),
  provisional: z.int().describe("How many of the sales have no trusted time."),
  first: z.int().describe("Lowest number among all of its records; 0 without any."),
  last: z.int(),
  net: z.number().describe("Gross without what was refunded."),
};
const split = {
  net: z.number(),
  base: z.number().describe("Without VAT, rounded to the currency's smallest amount."),
  vat: z.number().describe("The rest: with the base it is the net."),
  clinic: z.number().describe("The clinic's part, rounded likewise."),
  company: z.number().describe("The rest: with the clinic's part it is the net."),
};
const parts = {
  own: z.strictObject(split).describe("Of the month itself."),
  corrected: z.strictObject(split).describe("Of what changed in months that were closed before."),
  due: z.strictObject(split).describe("Of both: what is settled."),
};

const ofRoom = { ...sums, corrected: z.number().describe("What changed in closed months.") };
const place = { location: z.string(), deviceName: z.string(), room: z.string() };

const settlement = z.strictObject({
  month,
  time: timeMs.describe("When it was made."),
  timeZone: z.string(),
  currency: z.strictObject({ code: z.string(), decimals: z.int() }),
  first: timeMs.describe("The beginning of the first month that was ever closed."),
  from: timeMs,
  until: timeMs.describe("The month's end; not included."),
  previous: z.int().nullable().describe("Number of the settlement before; null for the first."),
  since: z.int().describe("Entry of the chain up to which the settlement before was made; 0 in an answer."),
  mark: z
    .strictObject({ position: z.int(), hash })
    .describe(
      "The chain's newest entry that it was made of, and its hash. The position is 0 in an answer: it counts all accounts.",
    ),
  numbers: z
    .strictObject({
      first: z.int(),
      last: z.int(),
      others: z.int().describe("How many of them are records of other months."),
      missing: z.int().describe("How many are of no record; 0 but after a loss of entries."),
    })
    .nullable()
    .describe(
      "The numbers from the month's first record to its last, in the order of commits; null without one.",
    ),
  totals: z.strictObject({ ...sums, ...parts }),
  locations: z.array(
    z.strictObject({
      name: z.string(),
      names: z.array(z.string()).describe("All names that it has or had: its records stand under these."),
      terms: terms.nullable().describe("Null where nothing is agreed: all is the company's."),
      ...sums,
      ...parts,
      counted: z.number().nullable().describe("The money that was counted; null where it was not."),
      difference: z.number().nullable().describe("Counted less what is settled."),
    }),
  ),
  rooms: z.array(z.strictObject({ ...place, deviceId: z.string(), ...ofRoom })),
  otherRooms: z
    .strictObject(ofRoom)
    .nullable()
    .describe("The sum of the rooms beyond 2,000; null where all are listed."),
  correctedMonths: z.array(z.strictObject({ location: z.string(), month, sales: z.int(), ...split })),
  corrections: z
    .array(
      z.strictObject({
        number: z.int(),
        ...place,
        origin: z.enum(RECORD_ORIGINS),
        time: timeMs,
        month,
        valor: z.number().describe("What it adds to that month; negative where it is taken away."),
        why: z
          .enum(CORRECTION_REASONS)
          .describe("The record came late, was voided, or got its time after the month was closed."),
      }),
    )
    .describe("At most 1,000."),
  moreCorrections: z.int().describe("How many more there are. They are in all sums."),
  gaps: z
    .array(
      z.strictObject({
        ...gap.omit({ number: true, added: true }).shape,
        location: z.string().nullable(),
        room: z.string().nullable(),
      }),
    )
    .describe("Times of the month in which edges were lost; the newest 200."),
  moreGaps: z.int(),
});
export type SettlementContent = Shape<typeof settlement>;

const settlementHead = z.strictObject({
  number: z.int().describe("Of its entry among the account's lasting entries."),
  month,
  time: timeMs,
  who: z.string().nullable().describe("E-mail of the signed-in user, as it was then."),
  from: z.string().describe("Address of the client, or the system's user of the command."),
  hash: hash.describe("The hash of its entry in the ledger's chain."),
});
export type SettlementHead = Shape<typeof settlementHead>;

export const closedSettlement = z.strictObject({ ...settlementHead.shape, content: settlement });
export type ClosedSettlement = Shape<typeof closedSettlement>;

export const listSettlements = declare("get", "/api/settlements", within(MONEY), {
  summary: "The closed months, the newest 120, newest first, and the one that can be closed next.",
  answer: withData(
    z.strictObject({
      closed: z.array(settlementHead),
      next: month.describe(
        "The month that is closed next, once it has ended. Before the first one a proposal: any that has ended may be it.",
      ),
    }),
  ),
});

export const getSettlement = declare("get", "/api/settlement", within(MONEY), {
  summary: "The settlement of a closed month.",
  query: z.object({ month: askedMonth }),
  answer: withData(closedSettlement),
  errors: ["not_found"],
});

export const draftSettlement = declare("get", "/api/settlement/draft", within(MONEY), {
  summary: "What the settlement of a month would say if it were closed now.",
  query: z.object({ month: askedMonth }),
  answer: withData(settlement),
  errors: ["conflict"],
});

export const closeMonth = declare("post", "/api/settlement", OWNER, {
  summary:
    "Close a month that has ended, with its settlement. Months are closed in their order; the first may be any. It is an entry of the ledger, for ever.",
  body: z.object({
    settlement: z.object({
      month: askedMonth,
      counted: z
        .array(z.object({ location: name, valor }))
        .max(400)
        .default([])
        .describe("Money that was counted, by location."),
    }),
  }),
  answer: withData(z.strictObject({ number: z.int(), hash })),
  errors: ["conflict", "too_many"],
});

const check = z.strictObject({
  found: settlementHead
    .nullable()
    .describe("The settlement with this hash or number; null where there is none."),
  net: z.number().nullable().describe("What it settles in all."),
  netIsRight: z
    .boolean()
    .nullable()
    .describe(
      "Whether the amount that was asked for is what it settles in all, or at a location; null without one.",
    ),
  differences: z
    .array(
      z.strictObject({
        part: z.enum(["entry", "totals", "numbers", "location", "month", "room", "correction"]),
        name: z.string(),
        settled: z.number(),
        ledger: z.number(),
      }),
    )
    .describe(
      "What the ledger's records up to its mark say otherwise today; none where all figures are right.",
    ),
});
export type SettlementCheck = Shape<typeof check>;

export const checkSettlement = declare("get", "/api/settlement/check", MONEY, {
  summary: "Hold the hash or the number and the amount of a paper to the ledger: its figures are made anew.",
  query: z
    .object({
      hash: z
        .string()
        .transform((value) => value.replaceAll(/[\s:]/g, "").toLowerCase())
        .refine((value) => /^[0-9a-f]{16,64}$/.test(value), "must be at least 16 hexadecimal digits")
        .optional(),
      number: digits.optional(),
      net: z
        .string()
        .regex(/^-?\d{1,12}([.,]\d{1,6})?$/, "must be an amount like 1234.50, with no sign between thousands")
        .transform((value) => Number(value.replace(",", ".")))
        .optional(),
    })
    .refine(({ hash, number }) => (hash === undefined) !== (number === undefined), {
      path: ["hash"],
      message: "must be given, or number in its place",
    }),
  answer: withData(check),
});
