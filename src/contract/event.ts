import * as z from "zod";
import { declare, ON_PAGE, type Shape, within } from "./declaration.ts";
import { paid } from "./device.ts";
import { timeMs } from "./field.ts";
import { gap, record, voided } from "./record.ts";

/** The header that says up to which change an answer is current: `RUN:NUMBER`, as in the event `hello`. */
export const POSITION_HEADER = "X-Flanco-At";

/** The data of each server-sent event, by the event's name. Its `id` is the position up to which the stream has told all. */
const EVENTS = {
  /** The stream begins: it will have every change that is committed after the position `at`. */
  hello: z.strictObject({ at: z.string() }),
  /** Nothing, but a sign that the stream lives: after every 15 s. */
  beat: z.strictObject({}),
  record,
  void: z.strictObject({ number: z.int(), voided }),
  /** A provisional record was moved to its trusted time. */
  time: z.strictObject({ number: z.int(), timeMs }),
  actuator: z.strictObject({
    deviceId: z.string(),
    actuatorId: z.string(),
    value: z.boolean(),
    time: timeMs,
  }),
  /** A room was paid, or is free. */
  paid: z.strictObject({ deviceId: z.string(), actuatorId: z.string(), paid: paid.nullable() }),
  gap,
  /** Devices, locations, wired lines or prices were added, changed or removed. */
  locations: z.strictObject({}),
  /** Lines came under test, or a test was ended. */
  tests: z.strictObject({}),
  /** A line of the account's commissioning moved, or what is known of it changed. */
  commission: z.strictObject({}),
  /** A month was closed, or terms were set. */
  settlement: z.strictObject({}),
};
export type EventName = keyof typeof EVENTS;
export type EventData = { readonly [N in EventName]: Shape<(typeof EVENTS)[N]> };

export const listenToEvents = declare("get", "/api/event", within(ON_PAGE), {
  summary:
    "Live changes as server-sent events, and a beat every 15 s: actuator, paid, gap, locations, tests, commission, and for a role with money record, void, time, settlement.",
  stream: "text/event-stream",
  withoutLedger: true,
  errors: ["overloaded"],
});
