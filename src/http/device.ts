import {
  addDevice,
  changeDevice,
  type Device as DeviceAnswer,
  listDevices,
  listRooms,
  removeDevice,
} from "../contract/device.ts";
import { valorFromMicros } from "../domain/amount.ts";
import type { Clock } from "../domain/clock.ts";
import type { Device } from "../domain/device.ts";
import type { LedgerReader, LedgerWriter, SyncOrAsync } from "../domain/ledger.ts";
import { seesMoney } from "../domain/member.ts";
import type { SalesReads } from "../domain/sales.ts";
import { type Endpoint, serve } from "./router.ts";

export function deviceListEndpoint(sales: Pick<SalesReads, "devices">): Endpoint {
  return serve(listDevices, async ({ userId, signedIn }) => ({
    data: (await sales.devices(userId)).map((device) => toAnswer(device, seesMoney(signedIn.role))),
  }));
}

export function deviceEndpoints(
  writer: Pick<LedgerWriter, "addDevice" | "changeDevice" | "removeDevice">,
  reader: SyncOrAsync<Pick<LedgerReader, "roomsToday">>,
  clock: Clock,
): readonly Endpoint[] {
  return [
    serve(addDevice, ({ userId, body }) => writer.addDevice(userId, body.newDevice)),
    serve(changeDevice, ({ userId, query, body, by }) =>
      writer.changeDevice(userId, query.dId, body.device, by),
    ),
    serve(removeDevice, ({ userId, query, by }) => writer.removeDevice(userId, query.dId, by)),
    serve(listRooms, async ({ userId, signedIn }) => {
      const withMoney = seesMoney(signedIn.role);
      const rooms = await reader.roomsToday(userId, clock.nowMs());
      return {
        data: rooms.map(({ active, sinceMs, totalMicros, count, ...room }) => ({
          ...room,
          level: active,
          sinceTime: sinceMs,
          sales: withMoney ? count : null,
          revenue: withMoney ? valorFromMicros(totalMicros) : null,
        })),
      };
    }),
  ];
}

/** The revision grows with each switching of a relay: without money it is left at 0. */
function toAnswer({ id, createdTimeMs, revision, ...device }: Device, withMoney: boolean): DeviceAnswer {
  return { _id: id, ...device, createdTime: createdTimeMs, __v: withMoney ? revision : 0 };
}
