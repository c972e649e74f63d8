import * as z from "zod";
import { parseDay } from "../domain/day.ts";
import { BIASES, MAX_LINES } from "../domain/line.ts";
import { MAX_PAID_MINUTES } from "../domain/paid-time.ts";
import { DEFAULT_DEBOUNCE_MS, DEFAULT_REARM_MS, MAX_DEBOUNCE_MS, MAX_REARM_MS } from "../domain/wiring.ts";
import {
  declare,
  MAX_IMPORT_BYTES,
  MONEY,
  OPERATOR,
  OWNER,
  PEOPLE,
  type Shape,
  STAFF,
  TECHNICAL,
  within,
} from "./declaration.ts";
import { dateText, day, lineNames, name, timeMs, valor, withData } from "./field.ts";

const wiring = z.strictObject({
  line: z
    .string()
    .describe(
      "The name that means this line after every boot: its own, or its chip's label with the offset.",
    ),
  dId: z.string(),
  deviceName: z.string(),
  actuatorId: z.string(),
  valor: z.number().nullable().describe("Null for a role without money."),
  activeLow: z.boolean(),
  bias: z.enum(BIASES),
  debounceMs: z.int(),
  rearmMs: z.int(),
  paidMinutes: z.int(),
  watched: z.boolean(),
  problem: z.string().nullable(),
});
export type Wiring = Shape<typeof wiring>;

const paidMinutes = z.int().min(0).max(MAX_PAID_MINUTES);

/** A line's room and its settings, as a client gives them. */
export const newWiring = {
  line: name,
  dId: name,
  actuatorId: name,
  activeLow: z.boolean().default(false),
  bias: z.enum(BIASES).default("as-is"),
  debounceMs: z.int().min(0).max(MAX_DEBOUNCE_MS).default(DEFAULT_DEBOUNCE_MS),
  rearmMs: z.int().min(0).max(MAX_REARM_MS).default(DEFAULT_REARM_MS),
  paidMinutes: paidMinutes.default(0),
};

const wiringBody = z.object({
  wiring: z.object({
    ...newWiring,
    valor: valor.optional().meta({
      description:
        "Price of one sale. A technician leaves it out: the room keeps its price, also from before it was unwired, or takes the commonest of the account.",
    }),
    paidMinutes: paidMinutes.optional().meta({
      description:
        "For how many minutes a sale pays its room: to switch it on again within that time is the same sale. 0, the default: each is a sale. A technician leaves it out: the room keeps its paid time.",
    }),
  }),
});

export const listWirings = declare("get", "/api/wiring", within(PEOPLE), {
  summary: "Which line is which room, and whether it is being watched.",
  answer: withData(z.array(wiring)),
});

export const setWiring = declare("put", "/api/wiring", within(TECHNICAL), {
  summary: "Wire a line to a room, or change the settings of one that is.",
  body: wiringBody,
  errors: ["not_found", "conflict", "too_many"],
});

const user = name
  .optional()
  .describe("E-mail of a member of the device's account; needed where there are several accounts.");

export const importWirings = declare("put", "/api/wiring/import", OPERATOR, {
  summary: "Wire lines of several accounts: all of them, or none.",
  body: z.object({ wirings: z.array(z.object({ ...newWiring, valor, user })).max(MAX_LINES) }),
  maxBodyBytes: MAX_IMPORT_BYTES,
});

export const setPrices = declare("put", "/api/wiring/price", OWNER, {
  summary: "Give wired lines one price, from now or from a day to come: all of them, or none.",
  body: z.object({
    price: z.object({
      lines: lineNames,
      valor,
      paidMinutes: paidMinutes.optional().meta({ description: "Without it each room keeps its paid time." }),
      from: dateText(parseDay, "YYYY-MM-DD, a day to come; it holds from its beginning").optional(),
    }),
  }),
  errors: ["not_found", "conflict", "too_many"],
});

const price = z.strictObject({
  dId: z.string(),
  room: z.string(),
  valor: z.number(),
  paidMinutes: z.int().nullable().describe("Null: a planned price that leaves the room its paid time."),
  from: day.nullable().describe("The first day of a planned price; null for one that held at once."),
  setTime: timeMs,
  isComing: z.boolean(),
});

export const listPrices = declare("get", "/api/wiring/price", within(MONEY), {
  summary: "The prices that one room had, has and will have, or all that are planned for days to come.",
  query: z.object({ dId: name.optional(), room: name.optional() }),
  answer: withData(z.array(price)),
});

export const cancelPrices = declare("delete", "/api/wiring/price", OWNER, {
  summary: "Take a planned price back before its day, of all rooms that have it.",
  query: z.object({
    from: dateText(parseDay, "YYYY-MM-DD"),
    valor: z.coerce.number<string>().pipe(valor),
  }),
  errors: ["not_found"],
});

const roomName = z.object({ dId: name, room: name });

export const movePaidTime = declare("post", "/api/room/paid-time", within(STAFF), {
  summary: "Move the rest of a room's paid time to another room: a patient has moved.",
  body: z.object({ move: z.object({ from: roomName, to: roomName }) }),
  errors: ["not_found", "conflict", "too_many"],
});

export const removeWiring = declare("delete", "/api/wiring", within(TECHNICAL), {
  summary: "Unwire a line. It is released; its records stay.",
  query: z.object({ line: name }),
  errors: ["not_found"],
});
