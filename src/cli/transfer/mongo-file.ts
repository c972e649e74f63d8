import { hash } from "node:crypto";
import * as z from "zod";
import { importedRecord } from "../../contract/data.ts";
import { name } from "../../contract/field.ts";
import { importedDevice, importedLocation } from "../../contract/import.ts";
import { parseMoment } from "../../domain/day.ts";
import { BEFORE_2000, isPlausibleTime, TIME_FORM } from "../../domain/imported.ts";
import { MAX_TEXT } from "../../domain/text.ts";

/** A document's `_id`: an ObjectId, or any text of the old system. */
const key = z.union([z.string(), z.object({ $oid: z.string() }).transform(({ $oid }) => $oid)]);

/** Says which forms a value has that has none of them. */
const forms = (text: string) => ({
  error: ({ input }: { input?: unknown }) => (input === undefined ? "is required" : text),
});

/** A number in any of the forms of MongoDB's extended JSON, version 2. */
const number = z.union(
  [
    z.number(),
    z.object({ $numberInt: z.string() }).transform(({ $numberInt }) => Number($numberInt)),
    z.object({ $numberLong: z.string() }).transform(({ $numberLong }) => Number($numberLong)),
    z.object({ $numberDouble: z.string() }).transform(({ $numberDouble }) => Number($numberDouble)),
    z.object({ $numberDecimal: z.string() }).transform(({ $numberDecimal }) => Number($numberDecimal)),
  ],
  forms('must be a number, such as 4.5 or {"$numberDecimal": "4.50"}, and no text'),
);

const dateText = z
  .string()
  .refine((date) => parseMoment(date) !== undefined)
  .transform(Date.parse);

const moment = z
  .union(
    [number, z.object({ $date: z.union([number, dateText]) }).transform(({ $date }) => $date)],
    forms(`${TIME_FORM}, or {"$date": "2026-03-11T12:00:00Z"}`),
  )
  .refine(isPlausibleTime, BEFORE_2000);

/** The shape of the documents in each collection of the old system. Other fields are left out. */
export const MONGO_SHAPES = {
  users: z.object({ _id: key, name, email: z.email().max(MAX_TEXT), password: z.string().optional() }),
  locations: z.object({ _id: key, userId: key, ...importedLocation.shape }),
  devices: z.object({
    _id: key,
    userId: key,
    dId: name,
    name,
    locationName: name,
    actuators: z
      .array(z.object({ id: name }))
      .transform((actuators) => actuators.map(({ id }) => id))
      .pipe(importedDevice.shape.rooms),
  }),
  data: z.object({
    _id: key,
    userId: key,
    locationName: name,
    deviceName: name,
    deviceId: name,
    habitacion: name,
    valor: number.pipe(importedRecord.shape.valor),
    createdTime: moment.pipe(importedRecord.shape.createdTime),
  }),
};

const ID = /^[0-9a-f]{24}$/;

/** An id for an old document: its own, if that is an ObjectId. */
export function idOfKey(oldKey: string): string {
  return ID.test(oldKey) ? oldKey : hash("sha256", oldKey).slice(0, 24);
}
