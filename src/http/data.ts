import { hash } from "node:crypto";
import type { Context } from "koa";
import { getSummary, postData } from "../contract/data.ts";
import type { BodyOf } from "../contract/declaration.ts";
import { microsFromValor, valorFromMicros } from "../domain/amount.ts";
import { type Clock, DAY_MS, PeriodCounts, SECOND_MS } from "../domain/clock.ts";
import { FlancoError, invalidField } from "../domain/error.ts";
import type { Id } from "../domain/id.ts";
import { isPlausibleTime } from "../domain/imported.ts";
import type { Asker } from "../domain/job-slots.ts";
import type { LedgerReader, LedgerWriter } from "../domain/ledger.ts";
import { beyondLimit, isWithin } from "../domain/limit.ts";
import type { Log } from "../domain/log.ts";
import type { Summary } from "../domain/overview.ts";
import type { Idempotency, NewRecord } from "../domain/record.ts";
import type { SalesReads } from "../domain/sales.ts";
import type { SignedInMember } from "./auth/session.ts";
import { type Endpoint, serve } from "./router.ts";

const MAX_KEY_CHARACTERS = 255;

export function summaryEndpoint(sales: Pick<SalesReads, "summary">, clock: Clock): Endpoint {
  return serve(getSummary, async ({ userId, within, query }) => {
    const summary = await sales.summary(userId, query.period, clock.nowMs(), within);
    if (summary === undefined) throw new FlancoError("not_found", "No record in this period.");
    return { data: toAnswer(summary) };
  });
}

export function postEndpoint(
  reader: Pick<LedgerReader, "isPosted" | "devices">,
  writer: Pick<LedgerWriter, "addRecord">,
  bound: DailyBound,
  log: Log,
): Endpoint {
  const told = new Set<Id>();
  /** A box that sends seconds sells in January 1970, outside of every view. Said once of an account by each process. */
  const tellOfSeconds = (userId: Id, { createdTimeMs, deviceName }: NewRecord) => {
    if (isPlausibleTime(createdTimeMs) || told.has(userId)) return;
    told.add(userId);
    const fields = { userId, deviceName, createdTime: createdTimeMs };
    log.warn(
      fields,
      "a record was posted with a time before 2000, and counts there: createdTime is in milliseconds",
    );
  };
  return serve(postData, async ({ userId, signedIn, body, context }) => {
    const record = toNewRecord(body);
    requirePlace(reader, signedIn, record);
    const idempotency = idempotencyOf(context, Object.values(record));
    const isStored = () => idempotency !== null && reader.isPosted(userId, idempotency.key);
    const count = bound(signedIn, record, isStored);
    if (!(await writer.addRecord(userId, record, idempotency)).repeated) count();
    tellOfSeconds(userId, record);
    return { message: "Data saved successfully" } as const;
  });
}

/** Throws `forbidden` where a limited member posts for a location or a device beyond its limit. */
function requirePlace(
  reader: Pick<LedgerReader, "devices">,
  { userId, limit }: SignedInMember,
  { locationName, deviceId }: NewRecord,
): void {
  if (limit === null) return;
  // Devices that nobody has registered are the client's own.
  const device = reader.devices(userId).find(({ id, dId }) => id === deviceId || dId === deviceId);
  const isOwn = device === undefined || isWithin(limit, device.locationId);
  if (!isOwn || !limit.names.includes(locationName)) {
    throw beyondLimit("locationName or deviceId is not of a location that you are limited to.");
  }
}

function toNewRecord({ habitacion, valor, createdTime, ...names }: BodyOf<typeof postData>): NewRecord {
  return { ...names, room: habitacion, valorMicros: microsFromValor(valor), createdTimeMs: createdTime };
}

/** `values` are every field in the order of the declaration, because the body was parsed by it. */
export function idempotencyOf(context: Context, values: readonly unknown[]): Idempotency | null {
  const header = context.req.headers["idempotency-key"];
  if (header === undefined) return null;
  const key = Array.isArray(header) ? header.join(", ") : header;
  if (key.length === 0 || key.length > MAX_KEY_CHARACTERS) {
    throw invalidField("Idempotency-Key", "length", `must have 1 to ${MAX_KEY_CHARACTERS} characters`);
  }
  return { key, bodyHash: hash("sha256", JSON.stringify(values)) };
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

/** What an account may post in a day. */
export interface DailyLimits {
  readonly records: number;
  readonly bytes: number;
}

/** A record's row, indexes and hash, without its texts. */
const BYTES_BESIDE_TEXTS = 150;

/**
 * Gives the function to call once the post is stored, which counts it. Throws `too_many`, with the time
 * to wait, where the account has posted too much, unless `isStored` says that the record is in the
 * ledger already: a device that has lost the answer would otherwise post it again for a day.
 */
export type DailyBound = (
  by: Pick<Asker, "userId" | "memberId" | "role">,
  record: NewRecord,
  isStored: () => boolean,
) => () => void;

/** So much of its account's bound may be one program's: one that runs wild does not shut out the others. */
const SHARE_OF_PROGRAM = 0.5;

/**
 * Bounds what an account posts in a day, so that one device that runs wild does not
 * fill the disk for all. Records of edges are never refused, and do not count.
 */
export function dailyBound(limits: DailyLimits, clock: Clock): DailyBound {
  const records = new PeriodCounts(clock, DAY_MS);
  const bytes = new PeriodCounts(clock, DAY_MS);
  return ({ userId, memberId, role }, record, isStored) => {
    const size = bytesOf(record);
    const posters = [{ key: userId, what: "account", share: 1 }];
    if (role === "program") posters.push({ key: memberId, what: "program", share: SHARE_OF_PROGRAM });
    for (const { key, what, share } of posters) {
      const isFull =
        records.of(key) + 1 > limits.records * share || bytes.of(key) + size > limits.bytes * share;
      if (!isFull) continue;
      if (isStored()) return () => {};
      throw new FlancoError("too_many", `This ${what} has posted as much as it may in a day.`, {
        hint: "daily_records and daily_bytes in the configuration are the bounds.",
        retryAfterSeconds: Math.ceil(records.leftMs(key) / SECOND_MS),
      });
    }
    return () => {
      for (const { key } of posters) {
        records.add(key);
        bytes.add(key, size);
      }
    };
  };
}

/** About how many bytes a record takes in the ledger's file. */
function bytesOf(record: NewRecord): number {
  const texts = Object.values(record).filter((value) => typeof value === "string");
  return texts.reduce((bytes, text) => bytes + Buffer.byteLength(text), BYTES_BESIDE_TEXTS);
}
