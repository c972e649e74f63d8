import { join } from "node:path";
import { ScriptFailure } from "../scripts/command.ts";
import type { Id } from "../src/domain/id.ts";
import { openReader } from "../src/ledger/engine/reader.ts";
import { type StoreWriter, storeWriter } from "../src/ledger/engine/writer.ts";
import { LocalCalendar } from "../src/ledger/nouns/calendar.ts";
import { systemClock } from "../src/platform/machine.ts";
import { ledgerIn, prepareFlanco, startFlanco, TIME_ZONE, verifyFlanco } from "./flanco-process.ts";
import type { Plan } from "./plan.ts";
import type { Server } from "./server.ts";

/** Within the writer's bounded queue. */
const BATCH = 4_000;
const LOCATIONS = 4;
const DEVICES_PER_LOCATION = 8;
const ROOMS_PER_DEVICE = 32;
const MICROS_PER_UNIT = 1_000_000;

/** Starts flanco in a folder of this run with a ledger of so many records. Throws ScriptFailure when it does not hold them. */
export async function startFilled(plan: Plan, name: string, records: number): Promise<Server> {
  const setting = { directory: join(plan.directory, name) };
  const password = prepareFlanco(setting);
  await fillLedger(setting.directory, records);
  const verified = verifyFlanco(setting);
  if (verified.records !== records) {
    throw new ScriptFailure(`filled with ${records} records, the ledger holds ${verified.records}`);
  }
  return startFlanco(setting, password);
}

/**
 * Fills a stopped flanco's ledger through the store's own writer, so that its rollups are what they
 * would be: sales of 32 devices spread evenly over this calendar year.
 */
export async function fillLedger(directory: string, count: number): Promise<void> {
  await withWriter(ledgerIn(directory), (writer, userId) => addRecords(writer, userId, count));
}

/** Opens a stopped flanco's ledger for writing, for the time of `use`, which is told its user. */
export async function withWriter(
  file: string,
  use: (writer: StoreWriter, userId: Id) => Promise<void>,
): Promise<void> {
  const writer = storeWriter({ file, timeZone: TIME_ZONE }, systemClock, {
    onChanges: () => {},
    onDeath: (error) => {
      throw error;
    },
  });
  await writer.open();
  const reader = openReader(file, TIME_ZONE);
  const userId = reader.members()[0]?.id;
  reader.close();
  if (userId === undefined) throw new ScriptFailure("the ledger to fill has no user");
  await use(writer, userId);
  await writer.close();
}

/** Wires that many lines of the simulated driver, SIM0 and on, to the rooms of one device. */
export async function wireLines(writer: StoreWriter, userId: Id, count: number): Promise<void> {
  const rooms = Array.from({ length: count }, (_, index) => ({ id: String(index), value: false }));
  const device = { dId: "7234", name: "Pasillo", locationId: "l", locationName: "Clínica", actuators: rooms };
  await writer.addDevice(userId, device);
  await writer.setWiring(
    rooms.map(({ id }) => ({
      userId,
      wiring: {
        line: `SIM${id}`,
        dId: device.dId,
        actuatorId: id,
        valorMicros: 1_000_000,
        paidMinutes: 0,
        activeLow: false,
        bias: "as-is",
        debounceMs: 0,
        rearmMs: 0,
      },
    })),
  );
}

async function addRecords(writer: StoreWriter, userId: Id, count: number): Promise<void> {
  // Of the zone whose yearly summary is asked for: in its first hours that is not yet the year of Greenwich.
  const year = Math.floor(new LocalCalendar(TIME_ZONE).dayOf(systemClock.nowMs()) / 10_000);
  const fromMs = Date.UTC(year, 0, 2);
  const everyMs = (Date.UTC(year, 11, 30) - fromMs) / count;
  for (let done = 0; done < count; done += BATCH) {
    const size = Math.min(BATCH, count - done);
    await Promise.all(
      Array.from({ length: size }, (_, index) =>
        writer.addRecord(userId, recordAt(done + index, fromMs, everyMs), null),
      ),
    );
  }
}

function recordAt(number: number, fromMs: number, everyMs: number) {
  const location = number % LOCATIONS;
  const device = Math.floor(number / LOCATIONS) % DEVICES_PER_LOCATION;
  const room = Math.floor(number / (LOCATIONS * DEVICES_PER_LOCATION)) % ROOMS_PER_DEVICE;
  return {
    locationName: `Clínica ${location}`,
    deviceName: `Pasillo ${device}`,
    deviceId: `6741a2b3c4d5e6f7${String(location * DEVICES_PER_LOCATION + device).padStart(8, "0")}`,
    room: String(100 + room),
    valorMicros: ((number % 8) + 1) * (MICROS_PER_UNIT / 4),
    createdTimeMs: Math.floor(fromMs + number * everyMs),
  };
}
