import { createHash } from "node:crypto";
import type { Context } from "koa";
import { getSummary, postData } from "../contract/data.ts";
import type { BodyOf } from "../contract/declaration.ts";
import { microsFromValor, valorFromMicros } from "../domain/amount.ts";
import type { Clock } from "../domain/clock.ts";
import { FlancoError } from "../domain/error.ts";
import type { LedgerWriter } from "../domain/ledger.ts";
import type { Idempotency, NewRecord } from "../domain/record.ts";
import type { SalesReads } from "../domain/sales.ts";
import type { Summary } from "../domain/summary.ts";
import type { DailyBound } from "./daily-bound.ts";
import { type Endpoint, serve } from "./router.ts";

const MAX_KEY_CHARACTERS = 255;

export function summaryEndpoint(sales: Pick<SalesReads, "summary">, clock: Clock): Endpoint {
  return serve(getSummary, async ({ userId, query }) => {
    const summary = await sales.summary(userId, query.period, clock.nowMs());
    if (summary === undefined) throw new FlancoError("not_found", "No record in this period.");
    return { data: toAnswer(summary) };
  });
}

export function postEndpoint(writer: Pick<LedgerWriter, "addRecord">, bound: DailyBound): Endpoint {
  return serve(postData, async ({ userId, body, context }) => {
    const record = toNewRecord(body);
    bound.take(userId, record);
    await writer.addRecord(userId, record, idempotencyOf(context, record));
    return { message: "Data saved successfully" } as const;
  });
}

function toNewRecord({ habitacion, valor, createdTime, ...names }: BodyOf<typeof postData>): NewRecord {
  return { ...names, room: habitacion, valorMicros: microsFromValor(valor), createdTimeMs: createdTime };
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
  // Every field, in the order of the declaration, in which the body was parsed.
  const canonical = JSON.stringify(Object.values(record));
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
