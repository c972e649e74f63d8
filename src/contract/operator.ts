import * as z from "zod";
import { MAX_TEXT } from "../domain/text.ts";
import { declare, OPERATOR, type Shape } from "./declaration.ts";
import { name, text, withData } from "./field.ts";

/**
 * The headers with the system's user that runs a command, for the audit log, and with the e-mail of a member of
 * the account that it is about. Percent-encoded, because names need not be Latin-1.
 */
export const OPERATOR_HEADER = "x-flanco-operator";
export const ACCOUNT_HEADER = "x-flanco-account";

/** The most characters of the keys of one check's findings. */
const MAX_KEYS = 20_000;

export const rotateSecret = declare("post", "/api/secret/rotate", OPERATOR, {
  summary: "Replace the secret that signs sessions, which ends all of them.",
  answer: withData(z.strictObject({ ended: z.int() })),
});

const misplacedSales = z.strictObject({
  records: z.int(),
  firstMs: z.int().nullable(),
  lastMs: z.int().nullable(),
  byMs: z.int(),
});
const reclocked = z.strictObject({
  bootId: z.string(),
  zeroMs: z.int(),
  setZeroMs: z.int(),
  before: misplacedSales,
  since: misplacedSales,
});
export type ReclockedBootAnswer = Shape<typeof reclocked>;

export const listReclocked = declare("get", "/api/clock", OPERATOR, {
  summary: "Boots whose clock was set to another time later, with their sales.",
  answer: withData(z.array(reclocked)),
});

export const correctClock = declare("post", "/api/clock", OPERATOR, {
  summary: "Give the sales of a boot other times, by another wall time of its monotonic zero.",
  body: z.object({ bootId: name, zeroMs: z.int() }),
  answer: withData(z.strictObject({ moved: z.int() })),
});

export const acknowledgeFindings = declare("post", "/api/finding/acknowledge", OPERATOR, {
  summary: "Acknowledge findings of a full check. Written to the audit log.",
  body: z.object({ name, reason: text(0, MAX_TEXT), findings: text(1, MAX_KEYS) }),
});
