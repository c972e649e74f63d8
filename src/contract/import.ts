import * as z from "zod";
import { MAX_ACTUATORS } from "../domain/device.ts";
import type { ComparedField } from "../domain/imported.ts";
import { importedRecord } from "./data.ts";
import { declare, MAX_IMPORT_BYTES, OPERATOR } from "./declaration.ts";
import { id, name, withData } from "./field.ts";
import { description } from "./location.ts";

/** The most records of one step of an import, for which other writes wait. */
export const MAX_IMPORTED = 250;

export const importedLocation = z.strictObject({ name, description: description.default("") });
export const importedDevice = z.strictObject({
  id,
  dId: name,
  name,
  locationName: name,
  rooms: z
    .array(name)
    .min(1)
    .max(MAX_ACTUATORS)
    .refine((rooms) => new Set(rooms).size === rooms.length, "names a room twice"),
});
/** What a field of a record is called in what is imported. */
export const COMPARED_COLUMNS = {
  locationName: "locationName",
  deviceName: "deviceName",
  room: "habitacion",
  valorMicros: "valor",
  createdTimeMs: "createdTime",
  voidReason: "voidReason",
  refundOf: "refundOf",
} as const satisfies Record<ComparedField, string>;
const dryRun = z.boolean().describe("Only counts.");

export const importPlaces = declare("post", "/api/import/places", OPERATOR, {
  summary: "Add locations and devices that the account lacks, and say what each device is here.",
  body: z.object({
    dryRun,
    source: name,
    locations: z.array(importedLocation),
    devices: z.array(importedDevice),
  }),
  maxBodyBytes: MAX_IMPORT_BYTES,
  answer: withData(
    z.strictObject({
      locations: z.int(),
      devices: z.int(),
      placed: z
        .array(z.strictObject({ from: id, id, dId: name }))
        .describe("By each device's id there, `from`."),
    }),
  ),
});

export const importRecords = declare("post", "/api/import/records", OPERATOR, {
  summary: "Add records of another system that the account lacks.",
  body: z.object({ dryRun, records: z.array(importedRecord).max(MAX_IMPORTED) }),
  maxBodyBytes: MAX_IMPORT_BYTES,
  answer: withData(
    z.strictObject({
      added: z.int(),
      differing: z
        .array(z.strictObject({ place: z.int(), columns: z.array(z.enum(COMPARED_COLUMNS)) }))
        .describe(
          "Those that are here with another content, and refunds of which the sale is not here: places in the list, and what differs.",
        ),
    }),
  ),
});
