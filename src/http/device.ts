import {
  addDevice,
  changeDevice,
  type Device as DeviceAnswer,
  listDevices,
  removeDevice,
} from "../contract/device.ts";
import type { Device } from "../domain/device.ts";
import type { LedgerWriter } from "../domain/ledger.ts";
import type { SalesReads } from "../domain/sales.ts";
import { type Endpoint, serve } from "./router.ts";

export function deviceListEndpoint(sales: Pick<SalesReads, "devices">): Endpoint {
  return serve(listDevices, async ({ userId }) => ({
    data: (await sales.devices(userId)).map(toAnswer),
  }));
}

export function deviceEndpoints(
  writer: Pick<LedgerWriter, "addDevice" | "changeDevice" | "removeDevice">,
): readonly Endpoint[] {
  return [
    serve(addDevice, async ({ userId, body }) => {
      await writer.addDevice(userId, body.newDevice);
    }),
    serve(changeDevice, async ({ userId, query, body, by }) => {
      await writer.changeDevice(userId, query.dId, body.device, by);
    }),
    serve(removeDevice, async ({ userId, query, by }) => {
      await writer.removeDevice(userId, query.dId, by);
    }),
  ];
}

function toAnswer({ id, createdTimeMs, revision, ...device }: Device): DeviceAnswer {
  return { _id: id, ...device, createdTime: createdTimeMs, __v: revision };
}
