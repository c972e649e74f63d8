import type { Device } from "../domain/device.ts";
import type { LedgerReader, LedgerWriter } from "../domain/ledger.ts";
import { devicesAnswer, success } from "./answer.ts";
import { actorOf } from "./audit.ts";
import { type Endpoint, endpoint, LEDGER_FAILS } from "./endpoint.ts";
import { deviceBody, deviceChange, deviceQuery } from "./schema.ts";

export function deviceEndpoints(
  reader: Pick<LedgerReader, "devices">,
  writer: Pick<LedgerWriter, "addDevice" | "changeDevice" | "removeDevice">,
): readonly Endpoint[] {
  return [
    endpoint({
      method: "get",
      path: "/device",
      summary: "The user's devices, with the live state of their actuators.",
      session: true,
      status: 200,
      answer: devicesAnswer,
      errors: ["internal"],
      statuses: LEDGER_FAILS,
      run: ({ userId }) => ({ status: "success", data: reader.devices(userId).map(toAnswer) }),
    }),
    endpoint({
      method: "post",
      path: "/device",
      summary: "Register a device.",
      session: true,
      body: deviceBody,
      wrapper: "newDevice",
      status: 200,
      answer: success,
      errors: ["invalid", "conflict", "overloaded", "internal"],
      statuses: LEDGER_FAILS,
      run: async ({ userId, body }) => {
        await writer.addDevice(userId, body.newDevice);
        return { status: "success" };
      },
    }),
    endpoint({
      method: "delete",
      path: "/device",
      summary: "Remove a device. Its lines are released; its records stay.",
      session: true,
      query: deviceQuery,
      status: 200,
      answer: success,
      errors: ["invalid", "not_found", "overloaded", "internal"],
      statuses: LEDGER_FAILS,
      run: async ({ userId, query, context }) => {
        await writer.removeDevice(userId, query.dId, actorOf(context, userId));
        return { status: "success" };
      },
    }),
    endpoint({
      method: "patch",
      path: "/devices",
      summary: "Rename a device, or move it to another location. Its records stay as they are.",
      session: true,
      query: deviceQuery,
      body: deviceChange,
      wrapper: "device",
      status: 200,
      answer: success,
      errors: ["invalid", "not_found", "overloaded", "unavailable", "internal"],
      run: async ({ userId, query, body }) => {
        await writer.changeDevice(userId, query.dId, body.device);
        return { status: "success" };
      },
    }),
  ];
}

function toAnswer(device: Device) {
  return {
    _id: device.id,
    userId: device.userId,
    dId: device.dId,
    name: device.name,
    selected: device.selected,
    actuators: device.actuators,
    locationId: device.locationId,
    locationName: device.locationName,
    createdTime: device.createdTimeMs,
    __v: device.revision,
  };
}
