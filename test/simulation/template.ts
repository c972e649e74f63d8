import { join } from "node:path";
import { identityOf } from "../../src/ledger/engine/identity.ts";
import { newDevice } from "../ledger/test-ledger.ts";
import { writerHere } from "../rig/writer.ts";

/** When each history begins, in microseconds: midnight comes within most. */
export const START_US = Date.UTC(2026, 10, 21, 23, 59) * 1_000;
export const ZONE = "UTC";
export const ROOMS = ["101", "102", "103"] as const;
export const D_ID = "7234";
export const DEVICE_NAME = "Pasillo A";
const US_PER_MS = 1_000;

/** The ledger that each history begins with. */
export interface Template {
  readonly file: string;
  readonly userId: string;
  readonly deviceId: string;
  readonly ledgerId: string;
}

/** Makes a ledger with one device, from which each history's is copied. Call before the first history. */
export async function makeTemplate(directory: string): Promise<Template> {
  const file = join(directory, "template.db");
  const writer = writerHere(
    { file, timeZone: ZONE },
    { nowMs: () => START_US / US_PER_MS, monotonicNs: () => 0n },
  );
  await writer.open();
  const { userId } = await writer.addUser({ name: "Ana", email: "ana@example.org", passwordHash: "hash" });
  const deviceId = await writer.addDevice(userId, newDevice({ dId: D_ID, name: DEVICE_NAME }, ROOMS));
  await writer.close();
  return { file, userId, deviceId, ledgerId: identityOf(file) ?? "" };
}
