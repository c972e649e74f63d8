import * as z from "zod";
import { MAX_VALOR } from "../domain/amount.ts";
import { parseDay } from "../domain/day.ts";
import { MAX_LINES } from "../domain/line.ts";
import { RECORD_STATES } from "../domain/record.ts";
import { MAX_TEXT, textMistake } from "../domain/text.ts";

/** Fields that several shapes share. */

export const id = z.string().regex(/^[0-9a-f]{24}$/, "must have 24 digits of 0-9 and a-f");
/** Unix milliseconds. */
export const timeMs = z.int();
export const day = z.string().regex(/^\d{4}-\d{2}-\d{2}$/);
/** What was sold; `revenue` in units of the currency. */
export const sold = { sales: z.int(), revenue: z.number() };
export const soldOnDays = z.strictObject({ from: day, to: day, ...sold });
export const success = z.strictObject({ status: z.literal("success") });
export function withData<S extends z.ZodType>(data: S) {
  return success.extend({ data });
}

/**
 * A trimmed text of `minimum` to `maximum` characters
 * (code points), without halves of surrogate pairs or NUL.
 */
export function text(minimum: number, maximum: number) {
  return z
    .string()
    .trim()
    .check((context) => {
      const input = context.value;
      const mistake = textMistake(input, minimum, maximum);
      if (mistake === "too_short") {
        context.issues.push({ code: "too_small", origin: "string", minimum, inclusive: true, input });
      } else if (mistake === "too_long") {
        context.issues.push({ code: "too_big", origin: "string", maximum, inclusive: true, input });
      } else if (mistake === "malformed") {
        context.issues.push({ code: "custom", message: "must be well-formed Unicode text", input });
      }
    })
    .meta({ minLength: minimum, maxLength: maximum });
}

export const name = text(1, MAX_TEXT);
/** The lines of one request. */
export const lineNames = z.array(name).min(1).max(MAX_LINES);
export const valor = z.number().min(-MAX_VALOR).max(MAX_VALOR);

/** An object of which any field may be left out, but not all. */
export function someOf<S extends z.ZodRawShape>(shape: S) {
  return z
    .object(shape)
    .partial()
    .check((context) => {
      if (Object.values(context.value).some((value) => value !== undefined)) return;
      const message = `needs at least one of ${Object.keys(shape).join(", ")}`;
      context.issues.push({ code: "custom", message, input: context.value });
    });
}

/** A date in a query, which is a text, read by `parse`. */
export function dateText(parse: (text: string) => number | undefined, pattern: string) {
  return z
    .string()
    .transform((value, context) => {
      const parsed = parse(value);
      if (parsed !== undefined) return parsed;
      context.issues.push({ code: "custom", message: `must be a date, ${pattern}`, input: value });
      return z.NEVER;
    })
    .meta({ description: pattern });
}

/** A number in a query, which is a text. */
export const digits = z
  .string()
  .regex(/^\d{1,15}$/, "must be a whole number")
  .transform(Number);

/** The filter of records in a query. */
export const recordFilter = {
  from: dateText(parseDay, "YYYY-MM-DD").optional(),
  to: dateText(parseDay, "YYYY-MM-DD").optional(),
  location: name.optional(),
  device: name.optional(),
  room: name.optional(),
  roomPart: name.describe("A part of the room's name, without regard to case.").optional(),
  number: digits.optional(),
  state: z.enum(RECORD_STATES).describe("`counted`: in a sum, also a provisional one.").optional(),
};

const MAX_PAGE = 200;
export const pageSize = digits.pipe(z.number().min(1).max(MAX_PAGE)).optional();
export const pageQuery = z.object({ before: digits.optional(), limit: pageSize });
