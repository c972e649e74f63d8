import {
  addDevice,
  changeDevice,
  type Device as DeviceAnswer,
  listDevices,
  listLastSales,
  listRooms,
  removeDevice,
} from "../contract/device.ts";
import { valorFromMicros } from "../domain/amount.ts";
import type { Clock } from "../domain/clock.ts";
import { type Device, LAST_SALE_DAYS, type PaidStretch } from "../domain/device.ts";
import { JobSlots } from "../domain/job-slots.ts";
import type { LedgerReader, LedgerWriter, SyncOrAsync } from "../domain/ledger.ts";
import { beyondLimit, isWithin } from "../domain/limit.ts";
import { unknownLocation } from "../domain/location.ts";
import { seesMoney } from "../domain/member.ts";
import type { SalesReads } from "../domain/sales.ts";
import { requireDevice, seenDevices } from "./limit.ts";
import { type Endpoint, serve } from "./router.ts";

export function deviceListEndpoint(sales: Pick<SalesReads, "devices">): Endpoint {
  return serve(listDevices, async ({ signedIn }) => ({
    data: (await seenDevices(sales, signedIn)).map((device) => toAnswer(device, seesMoney(signedIn.role))),
  }));
}

export function deviceEndpoints(
  writer: Pick<LedgerWriter, "addDevice" | "changeDevice" | "removeDevice">,
  reader: SyncOrAsync<Pick<LedgerReader, "roomsToday" | "roomDays" | "devices">>,
  clock: Clock,
): readonly Endpoint[] {
  return [
    serve(addDevice, ({ userId, signedIn: { limit }, body: { newDevice } }) => {
      const { locationId, locationName } = newDevice;
      if (!isWithin(limit, locationId) || limit?.names.includes(locationName) === false)
        throw beyondLimit("locationId and locationName are not of a location that you are limited to.");
      return writer.addDevice(userId, newDevice);
    }),
    serve(changeDevice, async ({ userId, signedIn, query, body, by }) => {
      await requireDevice(reader, signedIn, query.dId);
      const { locationId } = body.device;
      if (locationId !== undefined && !isWithin(signedIn.limit, locationId)) throw unknownLocation();
      await writer.changeDevice(userId, query.dId, body.device, by);
    }),
    serve(removeDevice, async ({ userId, signedIn, query, by }) => {
      await requireDevice(reader, signedIn, query.dId);
      await writer.removeDevice(userId, query.dId, by);
    }),
    serve(listRooms, async ({ userId, signedIn }) => {
      const withMoney = seesMoney(signedIn.role);
      const rooms = await reader.roomsToday(userId, clock.nowMs(), signedIn.limit);
      return {
        data: rooms.map(({ active, sinceMs, paid, totalMicros, count, ...room }) => ({
          ...room,
          paid: toPaidAnswer(paid),
          level: active,
          sinceTime: sinceMs,
          sales: withMoney ? count : null,
          revenue: withMoney ? valorFromMicros(totalMicros) : null,
        })),
      };
    }),
    serve(
      listLastSales,
      async ({ userId, signedIn, within }) => {
        const sold = await reader.roomDays(userId, LAST_SALE_DAYS, clock.nowMs(), within);
        const newest = new Map(
          sold.map(({ deviceId, room, daysAgo }) => [JSON.stringify([deviceId, room]), Math.min(...daysAgo)]),
        );
        const devices = await seenDevices(reader, signedIn);
        return {
          data: devices.flatMap(({ id: deviceId, actuators }) =>
            actuators.map(({ id: room }) => {
              const daysAgo = newest.get(JSON.stringify([deviceId, room])) ?? null;
              return { deviceId, room, daysAgo };
            }),
          ),
        };
      },
      new JobSlots(LAST_SALES),
    ),
  ];
}

export function toPaidAnswer(paid: PaidStretch | null) {
  return paid && { from: paid.fromMs, until: paid.untilMs, doubtful: paid.isDoubtful };
}

/** Bounds for reads of two months of sales. */
const LAST_SALES = { what: "last sales", inAll: 2, waitingOfMember: 2 };

/** The revision grows with each switching of a relay: without money it is left at 0. */
function toAnswer({ id, createdTimeMs, revision, ...device }: Device, withMoney: boolean): DeviceAnswer {
  return { _id: id, ...device, createdTime: createdTimeMs, __v: withMoney ? revision : 0 };
}
