import { createHash } from "node:crypto";
import type { Context } from "koa";
import { valorFromMicros } from "../domain/amount.ts";
import type { Clock } from "../domain/clock.ts";
import { FlancoError } from "../domain/error.ts";
import type { LedgerReader, LedgerWriter } from "../domain/ledger.ts";
import type { Idempotency, NewRecord } from "../domain/record.ts";
import type { Summary } from "../domain/summary.ts";
import { savedAnswer, summaryAnswer } from "./answer.ts";
import { type Endpoint, endpoint, LEDGER_FAILS } from "./endpoint.ts";
import { recordBody, summaryQuery, toNewRecord } from "./schema.ts";

const NOT_SAVED = "Failed to save data";
const NOT_READ = "Error al obtener los datos";
const NO_DATA = "No se encontraron datos para el periodo solicitado";
const WRONG_PERIOD = "Periodo no válido. Debe ser semanal o anual";
const MAX_KEY_CHARACTERS = 255;

export function dataEndpoints(
  reader: Pick<LedgerReader, "summary">,
  writer: Pick<LedgerWriter, "addRecord">,
  clock: Clock,
): readonly Endpoint[] {
  return [
    endpoint({
      method: "post",
      path: "/data",
      summary: "Store one record. Answered after its commit is on the disk.",
      session: true,
      body: recordBody,
      status: 201,
      answer: savedAnswer,
      errorField: "message",
      errors: ["invalid", "unprocessable", "overloaded", "unavailable", "internal"],
      texts: { internal: NOT_SAVED, overloaded: NOT_SAVED, unavailable: NOT_SAVED },
      headers: {
        "Idempotency-Key": "1 to 255 characters: posts with the same key and body store one record.",
      },
      run: async ({ userId, body, context }) => {
        const record = toNewRecord(body);
        await writer.addRecord(userId, record, idempotencyOf(context, record));
        return { status: "success", message: "Data saved successfully" };
      },
    }),
    endpoint({
      method: "get",
      path: "/data",
      summary: "What was sold in the last seven days, or in this calendar year.",
      session: true,
      query: summaryQuery,
      status: 200,
      answer: summaryAnswer,
      errorField: "message",
      errors: ["invalid", "not_found", "internal"],
      texts: { invalid: WRONG_PERIOD, not_found: NO_DATA, internal: NOT_READ },
      statuses: LEDGER_FAILS,
      run: ({ userId, query }) => {
        const summary = reader.summary(userId, query.period, clock.nowMs());
        if (summary === undefined) throw new FlancoError("not_found", NO_DATA);
        return { status: "success", data: toAnswer(summary) };
      },
    }),
  ];
}

function idempotencyOf(context: Context, record: NewRecord): Idempotency | null {
  const header = context.req.headers["idempotency-key"];
  if (header === undefined) return null;
  const key = Array.isArray(header) ? header.join(", ") : header;
  if (key.length === 0 || key.length > MAX_KEY_CHARACTERS) {
    const message = `must have 1 to ${MAX_KEY_CHARACTERS} characters`;
    throw new FlancoError("invalid", `Idempotency-Key: ${message}.`, {
      fields: { "Idempotency-Key": { kind: "length", message } },
    });
  }
  const { locationName, deviceName, deviceId, room, valorMicros, createdTimeMs } = record;
  const canonical = JSON.stringify([locationName, deviceName, deviceId, room, valorMicros, createdTimeMs]);
  return { key, bodyHash: createHash("sha256").update(canonical).digest("hex") };
}

function toAnswer(summary: Summary) {
  return {
    totalRevenue: valorFromMicros(summary.totalMicros),
    totalSales: summary.count,
    totalLocations: summary.locations,
    totalDevices: summary.devices,
    dataForChart: summary.chart.map(({ name, totalMicros }) => ({
      name,
      total: valorFromMicros(totalMicros),
    })),
    recentCount: summary.count,
  };
}
