import * as z from "zod";
import { BUT_SCREENS, declare, LEDGER_FAILS, type Shape, TECHNICAL, within } from "./declaration.ts";
import { id, name, someOf, text, timeMs, withData } from "./field.ts";

/** A location's description. */
export const description = text(0, 2_000);

const location = z.strictObject({
  _id: id,
  userId: id,
  name: z.string(),
  description: z.string(),
  createdTime: timeMs,
  devices: z.array(z.strictObject({ _id: id, dId: z.string(), name: z.string() })),
  __v: z.int(),
});
export type Location = Shape<typeof location>;

const locationFields = { name, description };
const locationQuery = z.object({ locationId: name });

export const listLocations = declare("get", "/api/location", within(BUT_SCREENS), {
  summary: "The user's locations, with the devices at each.",
  answer: withData(z.array(location)),
  statuses: LEDGER_FAILS,
});

export const addLocation = declare("post", "/api/location", TECHNICAL, {
  summary: "Make a location.",
  body: z.object({ location: z.object(locationFields) }),
  errors: ["conflict"],
  statuses: LEDGER_FAILS,
});

export const changeLocation = declare("patch", "/api/location", within(TECHNICAL), {
  summary: "Rename or describe a location. Its devices follow; its records stay as they are.",
  query: locationQuery,
  body: z.object({ location: someOf(locationFields) }),
  errors: ["not_found"],
  statuses: LEDGER_FAILS,
});

export const removeLocation = declare("delete", "/api/location", within(TECHNICAL), {
  summary: "Remove a location. Its devices and records stay.",
  query: locationQuery,
  errors: ["not_found"],
  statuses: LEDGER_FAILS,
});
