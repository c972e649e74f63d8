import { existsSync } from "node:fs";
import type { Config } from "../contract/config/schema.ts";
import { MICROS_PER_UNIT } from "../domain/amount.ts";
import { type Clock, MINUTE_MS } from "../domain/clock.ts";
import { addDays, type Day, formatDay, monthOf, parseDay, weekdayOf } from "../domain/day.ts";
import type { Device } from "../domain/device.ts";
import type { Id } from "../domain/id.ts";
import type { LedgerReader, LedgerWriter } from "../domain/ledger.ts";
import type { ChipInfo } from "../domain/line.ts";
import type { NewMember } from "../domain/member.ts";
import type { NewRecord } from "../domain/record.ts";
import { DEFAULT_DEBOUNCE_MS, DEFAULT_REARM_MS, type NewWiring } from "../domain/wiring.ts";
import { parseTrace, readTrace, type Trace } from "../gpio/trace.ts";
import { writeDurably } from "../platform/durable-file.ts";
import type { Installation } from "../platform/installation.ts";
import clinic from "./demonstration.json" with { type: "json" };

const PEOPLE: readonly Omit<NewMember, "passwordHash">[] = [
  { role: "staff", name: "Recepción", email: "recepcion@clinica.example" },
  { role: "technician", name: "Marta Gil", email: "mantenimiento@clinica.example" },
  { role: "display", name: "Control de enfermería", email: "control@clinica.example" },
];
/** One record of so many is voided for each of these reasons. */
const VOIDED_OF = 1_350;
const VOID_REASONS = ["Prueba del técnico", "Encendida por error", "Cambio de habitación"] as const;
/** By how much the share of a day's sales, and a sale's minute, differ at most from those of the week. */
const DAY_SPREAD = 0.4;
const MINUTES_SPREAD = 29;
/** Records that are submitted at once: fewer than the writer's queue takes. */
const BATCH = 1_000;

interface DemonstrationParts {
  readonly reader: Pick<LedgerReader, "members" | "devices" | "localTime">;
  readonly writer: LedgerWriter;
  readonly clock: Clock;
  /** Aborted when the service ends: later sales are left out. */
  readonly signal: AbortSignal;
}

/** A room: what its sales say of it, its prices before the rise and after it, and its line. */
interface DemonstrationRoom {
  readonly names: Omit<NewRecord, "valorMicros" | "createdTimeMs">;
  readonly pricesMicros: readonly [number, number];
  readonly wiring: NewWiring;
}

interface DemonstrationOptions extends DemonstrationParts {
  readonly reader: DemonstrationParts["reader"] & Pick<LedgerReader, "accountCount">;
  readonly isOn: boolean;
  /** A file that stands for a demonstration which was wired. */
  readonly mark: string;
}

/** The demonstration, which the first user gets once, so that what a user deletes of it stays deleted. */
export class Demonstration {
  readonly #options: DemonstrationOptions;
  #isDue: boolean;

  constructor(options: DemonstrationOptions) {
    this.#options = options;
    this.#isDue = options.isOn && !existsSync(options.mark);
  }

  /** Wires it where there is a user by now. Call it before the lines are watched, and after each commit. */
  async wire(): Promise<void> {
    const { mark, reader } = this.#options;
    if (!this.#isDue || reader.accountCount() === 0) return;
    this.#isDue = false;
    writeDurably(mark, "The demonstration was wired here; it is not wired again.\n");
    await seedDemo(this.#options);
  }
}

/**
 * Gives the first user locations, wired rooms, people, and sales since January
 * of last year. Does nothing for a user who has devices.
 */
export async function seedDemo(parts: DemonstrationParts): Promise<void> {
  const { reader, writer } = parts;
  const userId = reader.members()[0]?.userId;
  if (userId === undefined || reader.devices(userId).length > 0) return;
  await addDevices(writer, userId);
  const rooms = roomsOf(reader.devices(userId));
  await writer.setWiring(rooms.map(({ wiring }) => ({ userId, wiring })));
  for (const member of PEOPLE) await writer.addMember(userId, { ...member, passwordHash: null });
  await post(parts, userId, salesSinceLastYear(parts, rooms));
}

async function addDevices(writer: LedgerWriter, userId: Id): Promise<void> {
  const locationIds = new Map<string, Id>();
  for (const place of clinic.places) locationIds.set(place.name, await writer.addLocation(userId, place));
  for (const { place, dId, name, rooms } of clinic.devices) {
    const names = { dId, name, locationId: locationIds.get(place) ?? "", locationName: place };
    await writer.addDevice(userId, { ...names, actuators: rooms.map((id) => ({ id, value: false })) });
  }
}

/** The rooms of the demonstration's devices. */
function roomsOf(devices: readonly Device[]): readonly DemonstrationRoom[] {
  const ids = new Map(devices.map(({ dId, id }) => [dId, id]));
  const all = clinic.devices.flatMap((device) => device.rooms.map((room) => ({ ...device, room })));
  return all.map(({ place, dId, name, room, price, risen }, number) => ({
    names: { locationName: place, deviceName: name, deviceId: ids.get(dId) ?? "", room },
    pricesMicros: [price * MICROS_PER_UNIT, risen * MICROS_PER_UNIT],
    wiring: {
      line: `SIM${number}`,
      dId,
      actuatorId: room,
      valorMicros: risen * MICROS_PER_UNIT,
      activeLow: false,
      bias: "as-is",
      debounceMs: DEFAULT_DEBOUNCE_MS,
      rearmMs: DEFAULT_REARM_MS,
      paidMinutes: 0,
    },
  }));
}

/**
 * The sales of a week, repeated with the share of them that the month has, other ones each day: the same at each
 * call. The newest first: a page that is open meanwhile shows them at once.
 */
function salesSinceLastYear(
  { reader, clock }: DemonstrationParts,
  rooms: readonly DemonstrationRoom[],
): readonly NewRecord[] {
  const nowMs = clock.nowMs();
  const today = parseDay(reader.localTime(nowMs).slice(0, "2026-11-21".length)) ?? 0;
  const thisYear = Math.floor(today / 10_000) * 10_000;
  const sales: NewRecord[] = [];
  for (let day = thisYear - 10_000 + 101; day <= today; day = addDays(day, 1)) {
    const random = randomFrom(day);
    const share = (clinic.months[(monthOf(day) % 100) - 1] ?? 0) * (1 - DAY_SPREAD * random());
    const midnight = midnightMs(day, reader);
    for (const sale of clinic.week[weekdayOf(day)]?.split(" ") ?? []) {
      const [minutes = 0, number = 0] = sale.split("/").map(Number);
      const createdTimeMs = midnight + Math.floor((minutes + MINUTES_SPREAD * random()) * MINUTE_MS);
      const sold = rooms[number];
      if (random() >= share || createdTimeMs >= nowMs || sold === undefined) continue;
      sales.push({ ...sold.names, valorMicros: sold.pricesMicros[day < thisYear ? 0 : 1], createdTimeMs });
    }
  }
  return sales.sort((one, other) => other.createdTimeMs - one.createdTimeMs);
}

/** Adds sales that no relay made here. */
async function post(
  { writer, signal }: DemonstrationParts,
  userId: Id,
  sales: readonly NewRecord[],
): Promise<void> {
  for (let done = 0; done < sales.length; done += BATCH) {
    const batch = sales.slice(done, done + BATCH);
    for (const { recordId } of await Promise.all(batch.map((one) => writer.addRecord(userId, one, null)))) {
      if (signal.aborted) return;
      const reason = VOID_REASONS[recordId % VOIDED_OF];
      if (reason !== undefined) await writer.voidRecord(recordId, reason);
    }
  }
}

/** When a local day begins; an hour off on the two days of the year on which the clocks change. */
function midnightMs(day: Day, { localTime }: Pick<LedgerReader, "localTime">): number {
  const asUtcMs = Date.parse(`${formatDay(day)}T00:00:00.000Z`);
  return asUtcMs - (Date.parse(`${localTime(asUtcMs)}Z`) - asUtcMs);
}

/** Gives random numbers from 0 to 1, the same ones for a seed (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * The trace that drives the simulated lines: the configured file's, else the demonstration's where
 * `demo` is on; undefined without either. Throws `config`, naming the file, with every mistake in it.
 */
export function configuredTrace(
  { simulated_trace: file, demo }: Pick<Config, "simulated_trace" | "demo">,
  installation: Pick<Installation, "readDemoTrace">,
  chips: readonly ChipInfo[],
): Trace | undefined {
  if (file !== "") return readTrace(file, chips);
  return demo ? parseTrace("of the demonstration", installation.readDemoTrace(), chips) : undefined;
}
