import { z } from "zod";
import { MAX_ACTUATORS } from "../domain/device.ts";
import { ROLES } from "../domain/member.ts";
import { declare, type Shape, TECHNICAL } from "./declaration.ts";
import { LEDGER_FAILS } from "./error.ts";
import { id, name, someOf, success, timeMs } from "./field.ts";

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
  __v: z.int(),
});
export type Device = Shape<typeof device>;

const deviceQuery = z.object({ dId: name });

export const listDevices = declare({
  method: "get",
  path: "/device",
  summary: "The user's devices, with the live state of their actuators.",
  roles: ROLES,
  answer: success.extend({ data: z.array(device) }),
  statuses: LEDGER_FAILS,
});

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

export const addDevice = declare({
  method: "post",
  path: "/device",
  summary: "Register a device.",
  roles: TECHNICAL,
  body: z.object({
    newDevice: z.object({
      dId: name,
      name,
      locationId: name,
      locationName: name,
      actuators: z
        .array(z.object({ id: name, value: z.boolean() }))
        .min(1)
        .max(MAX_ACTUATORS)
        .check(onceEach(({ id }) => id, ["id"])),
    }),
  }),
  wrapper: "newDevice",
  errors: ["conflict"],
  statuses: LEDGER_FAILS,
});

export const changeDevice = declare({
  method: "patch",
  path: "/device",
  summary: "Rename a device, move it to another location, or change its rooms. Its records stay as they are.",
  roles: TECHNICAL,
  query: deviceQuery,
  body: z.object({
    device: someOf({
      name,
      locationId: name,
      rooms: z
        .array(name)
        .min(1)
        .max(MAX_ACTUATORS)
        .check(onceEach((room) => room, []))
        .meta({
          description: "All of its rooms, in order. The line of a room that is left out is released.",
        }),
      renamedRooms: z
        .array(z.object({ from: name, to: name }))
        .min(1)
        .max(MAX_ACTUATORS)
        .check(onceEach(({ from }) => from, ["from"]))
        .check(onceEach(({ to }) => to, ["to"]))
        .meta({
          description:
            "Rooms with another name, before `rooms` is looked at. Lines, prices and past sales go with them.",
        }),
      withoutLine: z.array(name).max(MAX_ACTUATORS).meta({
        description: "Of its rooms, all that have no line on purpose. A room that is wired is none any more.",
      }),
    }),
  }),
  wrapper: "device",
  errors: ["not_found", "conflict"],
  statuses: LEDGER_FAILS,
});

export const removeDevice = declare({
  method: "delete",
  path: "/device",
  summary: "Remove a device. Its lines are released; its records stay.",
  roles: TECHNICAL,
  query: deviceQuery,
  errors: ["not_found"],
  statuses: LEDGER_FAILS,
});
