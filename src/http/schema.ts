import { z } from "zod";
import { MAX_VALOR, microsFromValor } from "../domain/amount.ts";
import { parseDay, parseMonth } from "../domain/day.ts";
import { MAX_ACTUATORS } from "../domain/device.ts";
import { BIASES } from "../domain/line.ts";
import type { RecordFilter } from "../domain/record.ts";
import { MAX_TEXT, textMistake } from "../domain/text.ts";
import { DEFAULT_DEBOUNCE_MS, DEFAULT_REARM_MS, MAX_DEBOUNCE_MS, MAX_REARM_MS } from "../domain/wiring.ts";

const MAX_DESCRIPTION = 2_000;
const MAX_PASSWORD = 1_000;
const MAX_TIME_MS = 8.64e15;

/** Trimmed text of so many characters (code points), without halves of surrogate pairs or NUL. */
function text(minimum: number, maximum: number) {
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
const valor = z.number().min(-MAX_VALOR).max(MAX_VALOR);

export const loginBody = z.object({ email: name, password: z.string().min(1).max(MAX_PASSWORD) });

export const firstRunBody = z.object({
  token: name,
  name,
  email: z.email().max(MAX_TEXT),
  password: z.string().min(1).max(MAX_PASSWORD),
});

export const deviceBody = z.object({
  newDevice: z.object({
    dId: name,
    name,
    locationId: name,
    locationName: name,
    actuators: z
      .array(z.object({ id: name, value: z.boolean() }))
      .min(1)
      .max(MAX_ACTUATORS)
      .check((context) => {
        const seen = new Set<string>();
        context.value.forEach(({ id }, index) => {
          if (seen.has(id)) {
            const message = `is in the list twice: "${id}"`;
            const params = { kind: "unique" };
            context.issues.push({ code: "custom", path: [index, "id"], message, params, input: id });
          }
          seen.add(id);
        });
      }),
  }),
});
export const deviceQuery = z.object({ dId: name });

export const locationBody = z.object({ location: z.object({ name, description: text(0, MAX_DESCRIPTION) }) });
/** Fields of which any may be left out, but not all. */
function someOf<S extends z.ZodRawShape>(shape: S) {
  return z
    .object(shape)
    .partial()
    .check((context) => {
      if (Object.values(context.value).some((value) => value !== undefined)) return;
      const message = `needs at least one of ${Object.keys(shape).join(", ")}`;
      context.issues.push({ code: "custom", message, input: context.value });
    });
}
export const deviceChange = z.object({ device: someOf({ name, locationId: name }) });
export const locationChange = z.object({
  location: someOf({ name, description: text(0, MAX_DESCRIPTION) }),
});

export const locationQuery = z.object({ locationId: name });

export const recordBody = z.object({
  locationName: name,
  deviceName: name,
  deviceId: name,
  habitacion: name,
  valor,
  createdTime: z.int().min(0).max(MAX_TIME_MS),
});
/** Query parameters are texts: dates are read from theirs. */
function dateText(parse: (text: string) => number | undefined, pattern: string) {
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
const date = dateText(parseDay, "YYYY-MM-DD");
export const reportQuery = z.object({ month: dateText(parseMonth, "YYYY-MM"), location: name });

const place = { location: name.optional(), device: name.optional() };
export const overviewQuery = z.object({ period: z.enum(["week", "year"]), ...place });

export const summaryQuery = z.object({ period: z.enum(["semanal", "anual"]) });

export const wiringBody = z.object({
  wiring: z.object({
    line: name,
    dId: name,
    actuatorId: name,
    valor: valor.meta({ description: "Price of one sale." }),
    activeLow: z.boolean().default(false),
    bias: z.enum(BIASES).default("as-is"),
    debounceMs: z.int().min(0).max(MAX_DEBOUNCE_MS).default(DEFAULT_DEBOUNCE_MS),
    rearmMs: z.int().min(0).max(MAX_REARM_MS).default(DEFAULT_REARM_MS),
  }),
});
export const lineReadBody = z.object({ line: name });
export const lineLevelBody = z.object({ line: name, level: z.boolean() });
export const wiringQuery = z.object({ line: name });

const MAX_PAGE = 200;
/** Query parameters are texts: numbers are read from their digits alone. */
const digits = z
  .string()
  .regex(/^\d{1,15}$/, "must be a whole number")
  .transform(Number);
const pageSize = digits.pipe(z.number().min(1).max(MAX_PAGE)).optional();
export const pageQuery = z.object({ before: digits.optional(), limit: pageSize });

/** Which records are meant. */
const records = { from: date.optional(), to: date.optional(), ...place, room: name.optional() };
export const recordsQuery = z.object({
  before: z
    .string()
    .regex(/^\d{1,16}-\d{1,16}$/, "must be the `next` of another answer")
    .optional(),
  limit: pageSize,
  ...records,
});

export const exportQuery = z.object({ lang: z.enum(["es", "en"]), ...records });

/** A posted record as the ledger takes it. */
export function toNewRecord(body: z.infer<typeof recordBody>) {
  return {
    locationName: body.locationName,
    deviceName: body.deviceName,
    deviceId: body.deviceId,
    room: body.habitacion,
    valorMicros: microsFromValor(body.valor),
    createdTimeMs: body.createdTime,
  };
}

/** A query's filters as the ledger takes them. */
export function toRecordFilter(query: z.infer<z.ZodObject<typeof records>>): RecordFilter {
  const { from = null, to = null, location = null, device = null, room = null } = query;
  return { from, to, location, deviceId: device, room };
}
