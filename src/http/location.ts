import {
  addLocation,
  changeLocation,
  type Location as LocationAnswer,
  listLocations,
  removeLocation,
} from "../contract/location.ts";
import type { LedgerWriter } from "../domain/ledger.ts";
import { beyondLimit, isWithin } from "../domain/limit.ts";
import { type Location, unknownLocation } from "../domain/location.ts";
import type { SalesReads } from "../domain/sales.ts";
import { type Endpoint, serve } from "./router.ts";

export function locationListEndpoint(sales: Pick<SalesReads, "locations">): Endpoint {
  return serve(listLocations, async ({ userId, signedIn: { limit } }) => ({
    data: (await sales.locations(userId)).filter(({ id }) => isWithin(limit, id)).map(toAnswer),
  }));
}

export function locationEndpoints(
  writer: Pick<LedgerWriter, "addLocation" | "changeLocation" | "removeLocation">,
): readonly Endpoint[] {
  return [
    serve(addLocation, ({ userId, body }) => writer.addLocation(userId, body.location)),
    serve(changeLocation, ({ userId, signedIn: { limit }, query: { locationId }, body }) => {
      if (!isWithin(limit, locationId)) throw unknownLocation();
      // Records are of a location by its name: a new one may have those of a location that was removed.
      if (body.location.name !== undefined && limit?.names.includes(body.location.name) === false) {
        throw beyondLimit("A new name may have records of another location.");
      }
      return writer.changeLocation(userId, locationId, body.location);
    }),
    serve(removeLocation, ({ userId, signedIn: { limit }, query: { locationId } }) => {
      if (!isWithin(limit, locationId)) throw unknownLocation();
      return writer.removeLocation(userId, locationId);
    }),
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
