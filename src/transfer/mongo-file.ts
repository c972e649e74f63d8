import { hash } from "node:crypto";
import * as z from "zod";
import { importedRecord } from "../contract/data.ts";
import { name } from "../contract/field.ts";
import { importedDevice, importedLocation } from "../contract/operator.ts";
import { parseMoment } from "../domain/day.ts";
import { MAX_TEXT } from "../domain/text.ts";

/** A document's `_id`: an ObjectId, or any text of the old system. */
const key = z.union([z.string(), z.object({ $oid: z.string() }).transform(({ $oid }) => $oid)]);

/** A number in any of the forms of MongoDB's extended JSON, version 2. */
const number = z.union([
  z.number(),
  z.object({ $numberInt: z.string() }).transform(({ $numberInt }) => Number($numberInt)),
  z.object({ $numberLong: z.string() }).transform(({ $numberLong }) => Number($numberLong)),
  z.object({ $numberDouble: z.string() }).transform(({ $numberDouble }) => Number($numberDouble)),
  z.object({ $numberDecimal: z.string() }).transform(({ $numberDecimal }) => Number($numberDecimal)),
]);

const moment = z.union([
  number,
  z
    .object({ $date: z.union([number, z.string().transform((date) => parseMoment(date) ?? Number.NaN)]) })
    .transform(({ $date }) => $date),
]);

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
