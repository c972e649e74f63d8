import * as z from "zod";
import { SECRET_DIGITS } from "../domain/move.ts";
import { declare, NO_SESSION, OWNER } from "./declaration.ts";
import { timeMs, withData } from "./field.ts";

const MAX_FROM = 2 ** 40;
/** A small bound, because the sender of the body is not known yet. */
const MAX_TICKET_BYTES = 4_096;

const ticket = z.string().regex(/^[\w-]{22}$/);
const ticketBody = z.object({ ticket });
export const madeCode = z.strictObject({
  code: z.string().describe("To be typed at the new gateway: a secret, and this one's fingerprint."),
  endsTime: timeMs,
});

export const allowMove = declare("post", "/api/move/code", OWNER, {
  summary:
    "Make a code, valid once and for 15 minutes, by which another gateway takes over all that this one has. Refused while several accounts share the gateway.",
  answer: withData(madeCode),
  errors: ["conflict", "too_many"],
});

export const beginMove = declare("post", "/api/move", NO_SESSION, {
  summary:
    "Begin a move with a code's secret: the gateway makes a backup, and answers with the move's ticket.",
  signsIn: true,
  body: z.object({ secret: z.string().regex(new RegExp(`^[0-9a-f]{${SECRET_DIGITS}}$`)) }),
  answer: withData(z.strictObject({ ticket: z.string() })),
  errors: ["unauthorized", "too_many"],
});

export const getMove = declare("post", "/api/move/clinic", NO_SESSION, {
  summary: "The proof of a move's backup and the gateway's keys; null until the backup is proved.",
  maxBodyBytes: MAX_TICKET_BYTES,
  body: ticketBody,
  answer: withData(
    z
      .strictObject({ proof: z.string(), gateway: z.string() })
      .describe("Two texts of JSON, as they lie beside a backup.")
      .nullable(),
  ),
  errors: ["unauthorized"],
});

export const readMove = declare("post", "/api/move/ledger", NO_SESSION, {
  summary: "A move's backup, from a byte on.",
  maxBodyBytes: MAX_TICKET_BYTES,
  body: z.object({ ticket, from: z.int().min(0).max(MAX_FROM) }),
  stream: "application/vnd.sqlite3",
  errors: ["unauthorized"],
});

export const finishMove = declare("post", "/api/move/end", NO_SESSION, {
  summary: "The other gateway has the clinic: this one says so, and goes on recording.",
  maxBodyBytes: MAX_TICKET_BYTES,
  body: ticketBody,
  errors: ["unauthorized"],
});
