import { MICROS_PER_UNIT } from "../../src/domain/amount.ts";
import { DAY_MS, MINUTE_MS } from "../../src/domain/clock.ts";
import { formatDay } from "../../src/domain/day.ts";
import type { Id } from "../../src/domain/id.ts";
import { DEFAULT_REARM_MS } from "../../src/domain/wiring.ts";
import { openReader } from "../../src/ledger/engine/reader.ts";
import { type StoreWriter, storeWriter } from "../../src/ledger/engine/writer.ts";
import { LocalCalendar } from "../../src/ledger/nouns/calendar.ts";
import { systemClock } from "../../src/platform/machine.ts";
import { aSighting } from "../domain/sighting.ts";
import { newDevice, newWiring } from "../ledger/test-ledger.ts";
import { type OpenedService, suiteService, TIME_ZONE } from "./opened.ts";

/** Within the writer's bounded queue. */
const BATCH = 4_000;
const TROUBLE_AGO_MS = 29 * MINUTE_MS;
const BOOT = "11111111-2222-4333-8444-555555555555";

export interface FilledLedger {
  readonly userId: Id;
  readonly devices: readonly FilledDevice[];
  /** Of the first device, wired to the lines SIM0 and SIM1. */
  readonly wiredRooms: readonly [string, string];
  /** Of the uncertain sale and the gap, `2026-11`: the month before in this one's first half hour. */
  readonly troubleMonth: string;
}

export interface FilledDevice {
  readonly id: Id;
  readonly dId: string;
  readonly name: string;
  readonly locationName: string;
  readonly rooms: readonly string[];
}

export interface FillOptions {
  /** How many sales, evenly over the days. */
  readonly sales: number;
  readonly days: number;
  /** Of those, how many are voided. */
  readonly voided?: number;
  /** Adds a sale whose time is not certain, and a gap of two lost sales, on the first wired line. */
  readonly withTrouble?: boolean;
  /** Of each of the four devices. */
  readonly rooms?: number;
  /** What the names of locations and devices end with. */
  readonly nameEnd?: string;
}

const CLINICS = [
  { name: "Clínica Norte", description: "Avenida de la Paz, 12" },
  { name: "Clínica Sur", description: "" },
] as const;
const CORRIDORS = ["Pasillo A", "Pasillo B"] as const;
const ROOMS_PER_DEVICE = 8;
const PRICES = [3.5, 4, 5.5] as const;

/** A service for the tests of a suite whose first user has clinics with sales. */
export class FilledSuite {
  readonly opened: OpenedService;
  #filled: FilledLedger | undefined;

  constructor(filling: FillOptions) {
    this.opened = suiteService({}, async (opened) => {
      await opened.service.end("SIGTERM");
      this.#filled = await fillLedger(opened.appliance.ledgerFile, filling);
      await opened.startAgain();
    });
  }

  get filled(): FilledLedger {
    if (this.#filled === undefined) throw new Error("the ledger was not filled");
    return this.#filled;
  }
}

/** Fills a stopped service's ledger, which has a user already, through the store's own writer. */
async function fillLedger(file: string, filling: FillOptions): Promise<FilledLedger> {
  const writer = storeWriter({ file, timeZone: TIME_ZONE }, systemClock, {
    onChanges: () => {},
    onDeath: (error) => {
      throw error;
    },
  });
  await writer.open();
  try {
    const reader = openReader(file, TIME_ZONE);
    const userId = reader.members()[0]?.id;
    reader.close();
    if (userId === undefined) throw new Error("the ledger to fill has no user");
    const devices = await addDevices(writer, userId, filling);
    const [first] = devices;
    if (first === undefined) throw new Error("no device was made");
    await addSales(writer, userId, devices, filling);
    for (let recordId = 1; recordId <= (filling.voided ?? 0); recordId += 1) {
      await writer.voidRecord(recordId * 3, "Prueba del técnico");
    }
    const wiredRooms = [first.rooms[0] ?? "", first.rooms[1] ?? ""] as const;
    await wireRooms(writer, userId, first.dId, wiredRooms);
    const troubleMs = Date.now() - TROUBLE_AGO_MS;
    if (filling.withTrouble === true) await addTrouble(writer, first.id, wiredRooms[0], troubleMs);
    const troubleMonth = formatDay(new LocalCalendar(TIME_ZONE).dayOf(troubleMs)).slice(0, "2026-11".length);
    return { userId, devices, wiredRooms, troubleMonth };
  } finally {
    await writer.close();
  }
}

async function addDevices(
  writer: StoreWriter,
  userId: Id,
  { rooms: roomCount = ROOMS_PER_DEVICE, nameEnd = "" }: FillOptions,
): Promise<readonly FilledDevice[]> {
  const devices: FilledDevice[] = [];
  for (const [place, plain] of CLINICS.entries()) {
    const clinic = { ...plain, name: plain.name + nameEnd };
    const locationId = await writer.addLocation(userId, clinic);
    for (const [corridor, plainName] of CORRIDORS.entries()) {
      const name = plainName + nameEnd;
      const from = (place * CORRIDORS.length + corridor + 1) * 100 + 1;
      const rooms = Array.from({ length: roomCount }, (_, index) => String(from + index));
      const dId = String(7234 + devices.length);
      const device = newDevice({ dId, name, locationId, locationName: clinic.name }, rooms);
      const id = await writer.addDevice(userId, device);
      devices.push({ id, dId, name, locationName: clinic.name, rooms });
    }
  }
  return devices;
}

/** The last one an hour ago: what is switched while a test runs is the newest. */
async function addSales(
  writer: StoreWriter,
  userId: Id,
  devices: readonly FilledDevice[],
  { sales, days }: FillOptions,
): Promise<void> {
  const toMs = Date.now() - 60 * MINUTE_MS;
  const everyMs = (days * DAY_MS) / sales;
  for (let done = 0; done < sales; done += BATCH) {
    await Promise.all(
      Array.from({ length: Math.min(BATCH, sales - done) }, (_, index) => {
        const number = done + index;
        const device = devices[number % devices.length];
        if (device === undefined) throw new Error("no device to sell");
        const { id, name, locationName, rooms } = device;
        return writer.addRecord(
          userId,
          {
            locationName,
            deviceName: name,
            deviceId: id,
            room: rooms[Math.floor(number / devices.length) % rooms.length] ?? "",
            valorMicros: (PRICES[number % PRICES.length] ?? 0) * MICROS_PER_UNIT,
            createdTimeMs: Math.floor(toMs - (sales - 1 - number) * everyMs),
          },
          null,
        );
      }),
    );
  }
}

async function wireRooms(
  writer: StoreWriter,
  userId: Id,
  dId: string,
  rooms: readonly string[],
): Promise<void> {
  const each = { dId, valorMicros: 4 * MICROS_PER_UNIT, debounceMs: 0, rearmMs: DEFAULT_REARM_MS };
  await writer.setWiring(
    rooms.map((actuatorId, index) => ({
      userId,
      wiring: newWiring({ ...each, line: `SIM${index}`, actuatorId }),
    })),
  );
}

/** Low, then high at `highMs` by an untrusted clock, then low with four edges lost before it. */
async function addTrouble(
  writer: StoreWriter,
  deviceId: Id,
  actuatorId: string,
  highMs: number,
): Promise<void> {
  const sighting = (sequence: number, active: boolean, missed: number) =>
    aSighting(active, sequence, {
      line: "SIM0",
      deviceId,
      actuatorId,
      timeMs: highMs + (sequence - 1) * MINUTE_MS,
      source: { bootId: BOOT, request: 1, sequence },
      provisional: sequence === 1,
      missed,
    });
  await writer.takeIn([sighting(0, false, 0), sighting(1, true, 0), sighting(6, false, 4)]);
}
