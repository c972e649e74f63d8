import * as z from "zod";
import { MAX_TIME_MS } from "../domain/clock.ts";
import { declare, LEDGER_FAILS, MONEY, within } from "./declaration.ts";
import { name, success, valor, withData } from "./field.ts";

const NOT_SAVED = "Failed to save data";

const moment = z.int().min(0).max(MAX_TIME_MS);

const recordFields = {
  locationName: name,
  deviceName: name,
  deviceId: name,
  habitacion: name,
  valor,
  createdTime: moment,
};

/** A record of another system in an import. */
export const importedRecord = z.strictObject({
  key: name.describe("Names the record for all time: it is imported once."),
  ...recordFields,
  endedTime: moment.nullable().default(null),
  provisional: z.boolean().default(false),
  voidReason: name.nullable().default(null),
  refundOf: name
    .nullable()
    .default(null)
    .describe("Of a refund, whose valor is negative: the key of its sale."),
  reason: name.nullable().default(null).describe("Why a person refunded the sale or added it by hand."),
});

export const postData = declare("post", "/api/data", within(["owner", "program"]), {
  // Settings of the gateway bound these.
  aDay: null,
  summary:
    "Store one record. Answered after its commit is on the disk. A program signs in with a key (POST /api/member/link).",
  body: z.object(recordFields),
  status: 201,
  answer: success.extend({ message: z.literal("Data saved successfully") }),
  errorField: "message",
  errors: ["unprocessable", "too_many"],
  texts: { internal: NOT_SAVED, overloaded: NOT_SAVED, unavailable: NOT_SAVED },
  headers: {
    "Idempotency-Key": "1 to 255 characters: posts with the same key and body store one record.",
  },
});

export const getSummary = declare("get", "/api/data", within(MONEY), {
  summary:
    "What was sold in the last seven days, or in this calendar year, net of what was refunded in that time.",
  query: z.object({ period: z.enum(["semanal", "anual"]) }),
  answer: withData(
    z.strictObject({
      totalRevenue: z
        .number()
        .describe("Sum of sales and refunds: below 0 where more was refunded than sold."),
      totalSales: z
        .number()
        .describe(
          "Sales, a refunded one too: 0 where the period has a refund alone. 404 where it has neither.",
        ),
      totalLocations: z.int(),
      totalDevices: z.int(),
      dataForChart: z.array(z.strictObject({ name: z.string(), total: z.number() })),
      recentCount: z.int(),
    }),
  ),
  errorField: "message",
  errors: ["not_found"],
  texts: {
    invalid: "Periodo no válido. Debe ser semanal o anual",
    not_found: "No se encontraron datos para el periodo solicitado",
    internal: "Error al obtener los datos",
  },
  statuses: LEDGER_FAILS,
});
