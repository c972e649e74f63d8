import {
  addLocation,
  changeLocation,
  type Location as LocationAnswer,
  listLocations,
  removeLocation,
} from "../contract/location.ts";
import type { LedgerReader, LedgerWriter } from "../domain/ledger.ts";
import type { Location } from "../domain/location.ts";
import { type Endpoint, serve } from "./router.ts";

export function locationEndpoints(
  reader: Pick<LedgerReader, "locations">,
  writer: Pick<LedgerWriter, "addLocation" | "changeLocation" | "removeLocation">,
): readonly Endpoint[] {
  return [
    serve(listLocations, ({ userId }) => ({
      data: reader.locations(userId).map(toAnswer),
    })),
    serve(addLocation, async ({ userId, body }) => {
      await writer.addLocation(userId, body.location);
    }),
    serve(changeLocation, async ({ userId, query, body }) => {
      await writer.changeLocation(userId, query.locationId, body.location);
    }),
    serve(removeLocation, async ({ userId, query }) => {
      await writer.removeLocation(userId, query.locationId);
    }),
  ];
}

function toAnswer(location: Location): LocationAnswer {
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
