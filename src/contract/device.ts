import * as z from "zod";
import { LAST_SALE_DAYS, MAX_ACTUATORS } from "../domain/device.ts";
import { ROLES } from "../domain/member.ts";
import { declare, LEDGER_FAILS, MONEY, PEOPLE, type Shape, TECHNICAL, within } from "./declaration.ts";
import { id, name, someOf, timeMs, withData } from "./field.ts";

const device = z.strictObject({
  _id: id,
  userId: id,
  dId: z.string(),
  name: z.string(),
  selected: z.boolean(),
  actuators: z.array(z.strictObject({ id: z.string(), value: z.boolean() })),
  locationId: z.string(),
  locationName: z.string(),
  createdTime: timeMs,
  __v: z.int().describe("Grows by 1 with every change, also of an actuator; 0 for a role without money."),
});
export type Device = Shape<typeof device>;

const deviceQuery = z.object({ dId: name });

export const listDevices = declare("get", "/api/device", within(ROLES), {
  summary: "The user's devices, with the live state of their actuators.",
  answer: withData(z.array(device)),
  statuses: LEDGER_FAILS,
});

/** A list with an entry for each room of a device. */
function roomList<S extends z.ZodType>(entry: S) {
  return z.array(entry).min(1).max(MAX_ACTUATORS);
}

/** Refuses a list that names a room twice; `path` leads from an entry to its name. */
function onceEach<T>(nameOf: (entry: T) => string, path: readonly string[]) {
  return (context: z.core.ParsePayload<T[]>): void => {
    const seen = new Set<string>();
    context.value.forEach((entry, index) => {
      const input = nameOf(entry);
      if (seen.has(input)) {
        const message = `is in the list twice: "${input}"`;
        const params = { kind: "unique" };
        context.issues.push({ code: "custom", path: [index, ...path], message, params, input });
      }
      seen.add(input);
    });
  };
}

export const addDevice = declare("post", "/api/device", within(TECHNICAL), {
  summary: "Register a device.",
  body: z.object({
    newDevice: z.object({
      dId: name,
      name,
      locationId: name,
      locationName: name,
      actuators: roomList(z.object({ id: name, value: z.boolean() })).check(onceEach(({ id }) => id, ["id"])),
    }),
  }),
  errors: ["conflict"],
  statuses: LEDGER_FAILS,
});

export const changeDevice = declare("patch", "/api/device", within(TECHNICAL), {
  summary: "Rename a device, move it to another location, or change its rooms. Its records stay as they are.",
  query: deviceQuery,
  body: z.object({
    device: someOf({
      name,
      locationId: name,
      rooms: roomList(name)
        .check(onceEach((room) => room, []))
        .meta({
          description: "All of its rooms, in order. The line of a room that is left out is released.",
        }),
      renamedRooms: roomList(z.object({ from: name, to: name }))
        .check(onceEach(({ from }) => from, ["from"]))
        .check(onceEach(({ to }) => to, ["to"]))
        .meta({
          description:
            "Rooms with another name, before `rooms` is looked at. Lines, prices and past sales go with them.",
        }),
      withoutLine: z.array(name).max(MAX_ACTUATORS).meta({
        description: "Of its rooms, all that have no line on purpose. Wiring a room takes it off the list.",
      }),
    }),
  }),
  errors: ["not_found", "conflict"],
  statuses: LEDGER_FAILS,
});

export const removeDevice = declare("delete", "/api/device", within(TECHNICAL), {
  summary: "Remove a device. Its lines are released; its records stay.",
  query: deviceQuery,
  errors: ["not_found"],
  statuses: LEDGER_FAILS,
});

/** For how long a room is paid. */
export const paid = z.strictObject({
  from: timeMs.describe("The moment of the sale."),
  until: timeMs,
  doubtful: z
    .boolean()
    .describe("The sale may have fallen into earlier paid time: the time between is not known."),
});

const room = z.strictObject({
  deviceId: z.string(),
  room: z.string(),
  level: z.boolean().describe("Whether the room is on."),
  line: z.string().nullable().describe("The line that it is wired to; null without one."),
  withoutLine: z.boolean().describe("It has no line on purpose."),
  sinceTime: timeMs
    .nullable()
    .describe("Since when, by the last edge of its line; null where that is not known."),
  paid: paid.nullable().describe("Null where nothing is paid of it."),
  sales: z
    .int()
    .nullable()
    .describe("On the whole local day, without void records; null for a role without money."),
  revenue: z.number().nullable().describe("The same."),
});

export const listRooms = declare("get", "/api/room", within([...PEOPLE, "display"]), {
  summary:
    "Every room of the user's devices: its level, and what it has sold today (its newest 20,000 records).",
  answer: withData(z.array(room)),
});

export const listLastSales = declare("get", "/api/room/last-sale", within(MONEY), {
  summary:
    "When each room of the user's devices sold last: the longest silence shows which rooms do not sell.",
  answer: withData(
    z.array(
      z.strictObject({
        deviceId: z.string(),
        room: z.string(),
        daysAgo: z
          .int()
          .nullable()
          .describe(`In spans of 24 hours back from now; null: not within ${LAST_SALE_DAYS} of them.`),
      }),
    ),
  ),
});
