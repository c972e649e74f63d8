import type { LedgerReader, LedgerWriter } from "../domain/ledger.ts";
import type { Location } from "../domain/location.ts";
import { locationsAnswer, success } from "./answer.ts";
import { type Endpoint, endpoint, LEDGER_FAILS } from "./endpoint.ts";
import { locationBody, locationChange, locationQuery } from "./schema.ts";

export function locationEndpoints(
  reader: Pick<LedgerReader, "locations">,
  writer: Pick<LedgerWriter, "addLocation" | "changeLocation" | "removeLocation">,
): readonly Endpoint[] {
  return [
    endpoint({
      method: "get",
      path: "/location",
      summary: "The user's locations, with the devices at each.",
      session: true,
      status: 200,
      answer: locationsAnswer,
      errors: ["internal"],
      statuses: LEDGER_FAILS,
      run: ({ userId }) => ({ status: "success", data: reader.locations(userId).map(toAnswer) }),
    }),
    endpoint({
      method: "post",
      path: "/location",
      summary: "Make a location.",
      session: true,
      body: locationBody,
      wrapper: "location",
      status: 200,
      answer: success,
      errors: ["invalid", "conflict", "overloaded", "internal"],
      statuses: LEDGER_FAILS,
      run: async ({ userId, body }) => {
        await writer.addLocation(userId, body.location);
        return { status: "success" };
      },
    }),
    endpoint({
      method: "delete",
      path: "/location",
      summary: "Remove a location. Its devices and records stay.",
      session: true,
      query: locationQuery,
      status: 200,
      answer: success,
      errors: ["invalid", "not_found", "overloaded", "internal"],
      statuses: LEDGER_FAILS,
      run: async ({ userId, query }) => {
        await writer.removeLocation(userId, query.locationId);
        return { status: "success" };
      },
    }),
    endpoint({
      method: "patch",
      path: "/locations",
      summary: "Rename or describe a location. Its devices follow; its records stay as they are.",
      session: true,
      query: locationQuery,
      body: locationChange,
      wrapper: "location",
      status: 200,
      answer: success,
      errors: ["invalid", "not_found", "overloaded", "unavailable", "internal"],
      run: async ({ userId, query, body }) => {
        await writer.changeLocation(userId, query.locationId, body.location);
        return { status: "success" };
      },
    }),
  ];
}

function toAnswer(location: Location) {
  return {
    _id: location.id,
    userId: location.userId,
    name: location.name,
    description: location.description,
    createdTime: location.createdTimeMs,
    devices: location.devices.map(({ id, dId, name }) => ({ _id: id, dId, name })),
    __v: location.revision,
  };
}
