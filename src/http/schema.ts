import { z } from "zod";
import { MAX_VALOR, microsFromValor } from "../domain/amount.ts";
import { MAX_ACTUATORS } from "../domain/device.ts";
import { BIASES } from "../domain/line.ts";
import { DEFAULT_DEBOUNCE_MS, DEFAULT_REARM_MS, MAX_DEBOUNCE_MS, MAX_REARM_MS } from "../domain/wiring.ts";

const MAX_TEXT = 200;
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
      const length = [...input].length;
      if (length < minimum) {
        context.issues.push({ code: "too_small", origin: "string", minimum, inclusive: true, input });
      } else if (length > maximum) {
        context.issues.push({ code: "too_big", origin: "string", maximum, inclusive: true, input });
      } else if (!input.isWellFormed() || input.includes("\0")) {
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
export const locationQuery = z.object({ locationId: name });

export const recordBody = z.object({
  locationName: name,
  deviceName: name,
  deviceId: name,
  habitacion: name,
  valor,
  createdTime: z.int().min(0).max(MAX_TIME_MS),
});
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
export const wiringQuery = z.object({ line: name });

const MAX_PAGE = 200;
/** Query parameters are texts: numbers are read from their digits alone. */
const digits = z
  .string()
  .regex(/^\d{1,15}$/, "must be a whole number")
  .transform(Number);
export const pageQuery = z.object({
  before: digits.optional(),
  limit: digits.pipe(z.number().min(1).max(MAX_PAGE)).optional(),
});

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
