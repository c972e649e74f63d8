import { type Device, unknownDevice } from "../domain/device.ts";
import type { LedgerReader, SyncOrAsync } from "../domain/ledger.ts";
import { beyondLimit, isWithin } from "../domain/limit.ts";
import type { SignedInMember } from "./auth/session.ts";

type Seer = Pick<SignedInMember, "userId" | "limit">;
type DeviceReads = SyncOrAsync<Pick<LedgerReader, "devices">>;
type WiringReads = DeviceReads & SyncOrAsync<Pick<LedgerReader, "wirings">>;

/** The devices that a member may see. */
export async function seenDevices(reader: DeviceReads, { userId, limit }: Seer): Promise<readonly Device[]> {
  const devices = await reader.devices(userId);
  return devices.filter(({ locationId }) => isWithin(limit, locationId));
}

/** Rejects with `not_found` for a device that a member may not see, as for one that there is not. */
export async function requireDevice(reader: DeviceReads, member: Seer, dId: string): Promise<void> {
  if (member.limit === null) return;
  if (!(await seenDevices(reader, member)).some((device) => device.dId === dId)) throw unknownDevice();
}

/** Whether a member may see what is of this device: one look at the devices answers for all of them. */
export async function deviceSight(reader: DeviceReads, member: Seer): Promise<(deviceId: string) => boolean> {
  if (member.limit === null) return () => true;
  const seen = new Set((await seenDevices(reader, member)).map(({ id }) => id));
  return (deviceId) => seen.has(deviceId);
}

/** The same for lines, by the rooms that they are wired to: a free line is no location's. */
export async function lineSight(reader: WiringReads, member: Seer): Promise<(line: string) => boolean> {
  if (member.limit === null) return () => true;
  const isSeen = await deviceSight(reader, member);
  const wirings = await reader.wirings(member.userId);
  const lines = new Set(wirings.filter(({ deviceId }) => isSeen(deviceId)).map(({ line }) => line));
  return (line) => lines.has(line);
}

/** The lines that are wired to rooms which a member may not see. */
export async function hiddenLines(reader: WiringReads, member: Seer): Promise<ReadonlySet<string>> {
  const isSeen = await lineSight(reader, member);
  const lines = (await reader.wirings(member.userId)).map(({ line }) => line);
  return new Set(lines.filter((line) => !isSeen(line)));
}

/** Rejects with `forbidden` for such a line. */
export async function requireLine(reader: WiringReads, member: Seer, line: string): Promise<void> {
  if ((await hiddenLines(reader, member)).has(line)) {
    throw beyondLimit(`The line ${line} is of another location.`);
  }
}
