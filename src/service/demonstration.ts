import { MICROS_PER_UNIT } from "../domain/amount.ts";
import type { LedgerReader, LedgerWriter } from "../domain/ledger.ts";
import { DEFAULT_DEBOUNCE_MS, DEFAULT_REARM_MS, type OwnedWiring } from "../domain/wiring.ts";

const LOCATION = { name: "Clínica Demostración", description: "Ocho habitaciones simuladas." };
const DEVICES = [
  { dId: "7234", name: "Pasillo A", rooms: ["101", "102", "103", "104"], valor: 4 },
  { dId: "7235", name: "Pasillo B", rooms: ["201", "202", "203", "204"], valor: 5.5 },
];

/** Gives the first user two devices with eight wired rooms; does nothing for a user who has devices. */
export async function seedDemo(reader: LedgerReader, writer: LedgerWriter): Promise<void> {
  const userId = reader.members()[0]?.userId;
  if (userId === undefined || reader.devices(userId).length > 0) return;
  const locationId = await writer.addLocation(userId, LOCATION);
  const wirings: OwnedWiring[] = [];
  let line = 0;
  for (const { dId, name, rooms, valor } of DEVICES) {
    const actuators = rooms.map((id) => ({ id, value: false }));
    await writer.addDevice(userId, { dId, name, locationId, locationName: LOCATION.name, actuators });
    for (const actuatorId of rooms) {
      wirings.push({
        userId,
        wiring: {
          line: `SIM${line}`,
          dId,
          actuatorId,
          valorMicros: valor * MICROS_PER_UNIT,
          activeLow: false,
          bias: "as-is",
          debounceMs: DEFAULT_DEBOUNCE_MS,
          rearmMs: DEFAULT_REARM_MS,
        },
      });
      line += 1;
    }
  }
  await writer.setWiring(wirings);
}
