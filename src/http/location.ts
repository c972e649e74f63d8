import {
  addLocation,
  changeLocation,
  type Location as LocationAnswer,
  listLocations,
  removeLocation,
} from "../contract/location.ts";
import type { LedgerWriter } from "../domain/ledger.ts";
import type { Location } from "../domain/location.ts";
import type { SalesReads } from "../domain/sales.ts";
import { type Endpoint, serve } from "./router.ts";

export function locationListEndpoint(sales: Pick<SalesReads, "locations">): Endpoint {
  return serve(listLocations, async ({ userId }) => ({
    data: (await sales.locations(userId)).map(toAnswer),
  }));
}

export function locationEndpoints(
  writer: Pick<LedgerWriter, "addLocation" | "changeLocation" | "removeLocation">,
): readonly Endpoint[] {
  return [
    serve(addLocation, ({ userId, body }) => writer.addLocation(userId, body.location)),
    serve(changeLocation, ({ userId, query, body }) =>
      writer.changeLocation(userId, query.locationId, body.location),
    ),
    serve(removeLocation, ({ userId, query }) => writer.removeLocation(userId, query.locationId)),
  ];
}

function toAnswer({ id, createdTimeMs, revision, devices, ...location }: Location): LocationAnswer {
  return {
    _id: id,
    ...location,
    createdTime: createdTimeMs,
    __v: revision,
    devices: devices.map(({ id, dId, name }) => ({ _id: id, dId, name })),
  };
}
