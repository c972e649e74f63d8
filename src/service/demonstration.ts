import { existsSync } from "node:fs";
import type { Config } from "../contract/config/schema.ts";
import { MICROS_PER_UNIT } from "../domain/amount.ts";
import {
  type Clock,
  DAY_MS,
  HOUR_MS,
  MINUTE_MS,
  monotonicMs,
  NANOSECONDS_PER_MILLISECOND,
} from "../domain/clock.ts";
import { addDays, type Day, formatDay, monthOf, parseDay, weekdayOf } from "../domain/day.ts";
import type { Device } from "../domain/device.ts";
import type { Id } from "../domain/id.ts";
import type { LedgerReader, LedgerWriter } from "../domain/ledger.ts";
import type { ChipInfo } from "../domain/line.ts";
import type { NewMember } from "../domain/member.ts";
import type { NewRecord } from "../domain/record.ts";
import type { Sighting } from "../domain/sale.ts";
import { DEFAULT_DEBOUNCE_MS, DEFAULT_REARM_MS, type NewWiring } from "../domain/wiring.ts";
import { parseTrace, readTrace, type Trace } from "../gpio/trace.ts";
import { writeDurably } from "../platform/durable-file.ts";
import type { Installation } from "../platform/installation.ts";

const PLACES = [
  { name: "Clínica Norte", description: "Avenida de la Paz, 12" },
  { name: "Clínica Sur", description: "Calle del Molino, 3" },
  { name: "Residencia El Pinar", description: "Camino del Pinar, s/n" },
] as const;
/** Prices in units: before the rise, and after it. */
const DEVICES = [
  { place: 0, dId: "7234", name: "Pasillo A", rooms: ["101", "102", "103", "104"], prices: [3.5, 4] },
  { place: 0, dId: "7235", name: "Pasillo B", rooms: ["201", "202", "203", "204"], prices: [5, 5.5] },
  {
    place: 1,
    dId: "7236",
    name: "Planta 1",
    rooms: ["110", "111", "112", "113", "114", "115", "116"],
    prices: [4, 4.5],
  },
  { place: 2, dId: "7237", name: "Ala este", rooms: ["1", "2", "3", "4", "5"], prices: [3, 3.5] },
] as const;
const PEOPLE: readonly Omit<NewMember, "passwordHash">[] = [
  { role: "staff", name: "Recepción", email: "recepcion@clinica.example" },
  { role: "technician", name: "Marta Gil", email: "mantenimiento@clinica.example" },
  { role: "display", name: "Control de enfermería", email: "control@clinica.example" },
];
/** One record of so many is voided. */
const VOIDED_OF = 450;
const VOID_REASONS = ["Prueba del técnico", "Encendida por error", "Cambio de habitación"] as const;
const OUTAGE_AGO_MS = 9 * DAY_MS;
const OUTAGE_MS = 40 * MINUTE_MS;
const LOST_AGO_MS = 20 * DAY_MS;
/** A relay of a past sale is on for so long. */
const ON_MS = 25 * MINUTE_MS;
/** Behind those of the incidents. */
const FIRST_SEQUENCE = 10;
const SEED = 17;
/** Records that are submitted at once: fewer than the writer's queue takes. */
const BATCH = 1_000;

interface DemonstrationParts {
  readonly reader: Pick<LedgerReader, "members" | "devices" | "localTime" | "lastAlive">;
  readonly writer: LedgerWriter;
  readonly clock: Clock;
  readonly bootId: string;
  /** Aborted when the service ends: later sales are left out. */
  readonly signal: AbortSignal;
}

/** A room with the lines and names that its sales have. */
interface DemonstrationRoom extends Omit<NewRecord, "valorMicros" | "createdTimeMs"> {
  readonly pricesMicros: readonly [number, number];
  readonly wiring: NewWiring;
}

interface DemonstrationOptions extends DemonstrationParts {
  readonly reader: DemonstrationParts["reader"] & Pick<LedgerReader, "userCount">;
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
    if (!this.#isDue || reader.userCount() === 0) return;
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
  const sales = salesSinceLastYear(parts, rooms);
  // Without a sign of life of the running boot the sightings would be its first: then every sale is posted.
  const isAlive = reader.lastAlive()?.bootId === parts.bootId;
  const seenSinceMs = isAlive ? parts.clock.nowMs() - OUTAGE_AGO_MS : Number.POSITIVE_INFINITY;
  const seen = sales.filter(({ timeMs }) => timeMs > seenSinceMs);
  const wired = writer.setWiring(rooms.map(({ wiring }) => ({ userId, wiring })));
  // In one commit with the wiring, before the recorder watches the lines.
  await Promise.all([wired, writer.takeIn(isAlive ? imagineSightings(parts, rooms, seen) : [])]);
  for (const member of PEOPLE) await writer.addMember(userId, { ...member, passwordHash: null });
  await post(parts, userId, sales.slice(seen.length));
}

async function addDevices(writer: LedgerWriter, userId: Id): Promise<void> {
  const locationIds: Id[] = [];
  for (const place of PLACES) locationIds.push(await writer.addLocation(userId, place));
  for (const { place, dId, name, rooms } of DEVICES) {
    const names = { dId, name, locationId: locationIds[place] ?? "", locationName: PLACES[place].name };
    await writer.addDevice(userId, { ...names, actuators: rooms.map((id) => ({ id, value: false })) });
  }
}

/** The rooms of the demonstration's devices. */
function roomsOf(devices: readonly Device[]): readonly DemonstrationRoom[] {
  const ids = new Map(devices.map(({ dId, id }) => [dId, id]));
  const all = DEVICES.flatMap(({ place, dId, name: deviceName, rooms, prices: [before, after] }) =>
    rooms.map((room) => ({
      locationName: PLACES[place].name,
      deviceName,
      deviceId: ids.get(dId) ?? "",
      room,
      dId,
      pricesMicros: [before * MICROS_PER_UNIT, after * MICROS_PER_UNIT] as const,
    })),
  );
  return all.map(({ dId, ...room }, number) => ({
    ...room,
    wiring: {
      line: `SIM${number}`,
      dId,
      actuatorId: room.room,
      valorMicros: room.pricesMicros[1],
      activeLow: false,
      bias: "as-is",
      debounceMs: DEFAULT_DEBOUNCE_MS,
      rearmMs: DEFAULT_REARM_MS,
    },
  }));
}

/**
 * Forty minutes of last week in which the first location was not watched, a sale of last month that
 * was not seen, and the sales since then, newest first: each relay is on for a while, and off again.
 */
function imagineSightings(
  { clock, bootId }: DemonstrationParts,
  rooms: readonly DemonstrationRoom[],
  sales: readonly PastSale[],
): readonly Sighting[] {
  const nowMs = clock.nowMs();
  const seen = (room: DemonstrationRoom, sequence: number, agoMs: number, active = false): Sighting => ({
    line: room.wiring.line,
    deviceId: room.deviceId,
    actuatorId: room.room,
    activeLow: false,
    active,
    provisional: false,
    missed: 0,
    timeMs: nowMs - agoMs,
    monotonicNs: clock.monotonicNs() - BigInt(agoMs) * NANOSECONDS_PER_MILLISECOND,
    source: { bootId, request: 0, sequence },
  });
  const unwatchedSince = { bootId, monotonicMs: monotonicMs(clock) - OUTAGE_AGO_MS - OUTAGE_MS };
  const last = rooms.at(-1);
  const incidents = rooms.flatMap((room) => {
    const first = seen(room, 0, LOST_AGO_MS + DAY_MS);
    if (room.locationName === PLACES[0].name) {
      return [first, { ...seen(room, 1, OUTAGE_AGO_MS), unwatchedSince }];
    }
    if (room !== last) return [first];
    return [first, seen(room, 1, LOST_AGO_MS + HOUR_MS, true), { ...seen(room, 4, LOST_AGO_MS), missed: 2 }];
  });
  const switchings = sales.toReversed().flatMap(({ sold, timeMs }, number) => {
    const agoMs = nowMs - timeMs;
    const sequence = FIRST_SEQUENCE + 2 * number;
    return [seen(sold, sequence, agoMs, true), seen(sold, sequence + 1, Math.max(0, agoMs - ON_MS))];
  });
  return [...incidents, ...switchings];
}

/** A sale before the demonstration began. */
interface PastSale {
  readonly sold: DemonstrationRoom;
  readonly valorMicros: number;
  readonly timeMs: number;
}

/** The newest first: a page that is open meanwhile shows them at once. */
function salesSinceLastYear(
  { reader, clock }: DemonstrationParts,
  rooms: readonly DemonstrationRoom[],
): readonly PastSale[] {
  const nowMs = clock.nowMs();
  const today = parseDay(reader.localTime(nowMs).slice(0, "2026-11-21".length)) ?? 0;
  const thisYear = Math.floor(today / 10_000);
  const firstDay = (thisYear - 1) * 10_000 + 101;
  const risen = thisYear * 10_000 + 101;
  const midnights = new Map<Day, number>();
  const midnightOf = (day: Day): number => {
    const known = midnights.get(day) ?? midnightMs(day, reader);
    midnights.set(day, known);
    return known;
  };
  return imagineSales(rooms.length, firstDay, today, SEED)
    .flatMap(({ room, day, sinceMidnightMs }) => {
      const sold = rooms[room];
      if (sold === undefined) return [];
      const valorMicros = sold.pricesMicros[day < risen ? 0 : 1];
      return [{ sold, valorMicros, timeMs: midnightOf(day) + sinceMidnightMs }];
    })
    .filter(({ timeMs }) => timeMs < nowMs)
    .toSorted((one, other) => other.timeMs - one.timeMs);
}

/** Adds sales that no relay made here. */
async function post(
  { writer, signal }: DemonstrationParts,
  userId: Id,
  sales: readonly PastSale[],
): Promise<void> {
  const random = randomFrom(SEED);
  for (let done = 0; done < sales.length; done += BATCH) {
    const adding = sales.slice(done, done + BATCH).map(({ sold, valorMicros, timeMs }) => {
      const { pricesMicros, wiring, ...names } = sold;
      return writer.addRecord(userId, { ...names, valorMicros, createdTimeMs: timeMs }, null);
    });
    for (const { recordId } of await Promise.all(adding)) {
      if (signal.aborted) return;
      if (random() * VOIDED_OF >= 1) continue;
      const reason = VOID_REASONS[recordId % VOID_REASONS.length] ?? VOID_REASONS[0];
      await writer.voidRecord(recordId, reason);
    }
  }
}

/** When a local day begins; an hour off on the two days of the year on which the clocks change. */
function midnightMs(day: Day, { localTime }: Pick<LedgerReader, "localTime">): number {
  const asUtcMs = Date.parse(`${formatDay(day)}T00:00:00.000Z`);
  return asUtcMs - (Date.parse(`${localTime(asUtcMs)}Z`) - asUtcMs);
}

/** A sale that the demonstration imagines. */
export interface ImaginedSale {
  /** The room's index. */
  readonly room: number;
  readonly day: Day;
  /** Milliseconds since that day's midnight. */
  readonly sinceMidnightMs: number;
}

/** A room's mean number of sales a day, the least and the most: some rooms are always full. */
const [LEAST_A_DAY, MOST_A_DAY] = [0.6, 2];
/** Sunday first: visitors come at the end of the week, patients leave before it. */
const WEEKDAYS = [1.2, 0.95, 0.95, 1, 1, 1.1, 0.9];
/** January first: winters are full, Augusts are empty. */
const MONTHS = [1.3, 1.25, 1.15, 1, 0.95, 0.85, 0.75, 0.6, 0.9, 1, 1.1, 1.2];
/** Midnight first: after the visit of the morning, after lunch, and before the night. */
const HOURS = [1, 0, 0, 0, 0, 0, 1, 3, 6, 8, 9, 8, 7, 8, 10, 12, 14, 15, 14, 13, 14, 12, 7, 3];
/** By how much a whole day differs at most from what its weekday and month let expect. */
const DAY_SPREAD = 0.3;
const YEARLY_GROWTH = 0.06;

/**
 * Imagines the sales of some rooms from one day to another, in the order of their
 * times. A seed always gives the same sales, with other ones for each year.
 */
function imagineSales(rooms: number, from: Day, to: Day, seed: number): readonly ImaginedSale[] {
  const demandOf = randomFrom(seed);
  const demands = Array.from({ length: rooms }, () => LEAST_A_DAY + (MOST_A_DAY - LEAST_A_DAY) * demandOf());
  const firstYear = Math.floor(from / 10_000);
  const sales: ImaginedSale[] = [];
  for (let day = from; day <= to; day = addDays(day, 1)) {
    const random = randomFrom(seed + day);
    const years = Math.floor(day / 10_000) - firstYear;
    const dayRate =
      (WEEKDAYS[weekdayOf(day)] ?? 1) *
      (MONTHS[(monthOf(day) % 100) - 1] ?? 1) *
      (1 + DAY_SPREAD * (2 * random() - 1)) *
      (1 + YEARLY_GROWTH * years);
    const ofDay = demands.flatMap((demand, room) =>
      Array.from({ length: countAround(demand * dayRate, random) }, () => ({
        room,
        day,
        sinceMidnightMs: timeOfDay(random),
      })),
    );
    sales.push(...ofDay.sort((one, other) => one.sinceMidnightMs - other.sinceMidnightMs));
  }
  return sales;
}

/** A number of independent events whose mean is that (Poisson, by Knuth). */
function countAround(mean: number, random: () => number): number {
  const limit = Math.exp(-mean);
  let count = 0;
  for (let product = random(); product > limit; product *= random()) count += 1;
  return count;
}

function timeOfDay(random: () => number): number {
  let rest = random() * HOURS.reduce((sum, weight) => sum + weight, 0);
  const hour = HOURS.findIndex((weight) => {
    rest -= weight;
    return rest < 0;
  });
  return hour * HOUR_MS + Math.floor(random() * 60 * MINUTE_MS);
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
