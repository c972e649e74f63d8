import type { Box, Place, Places } from "../api/place.ts";

export interface PlaceGroup {
  readonly place: Place;
  readonly boxes: readonly Box[];
}

/** Locations by name, each with its devices by name; and the devices of no location that there is. */
export function placesInOrder(
  { places, boxes }: Places,
  compare: (one: string, other: string) => number,
): { readonly groups: readonly PlaceGroup[]; readonly elsewhere: readonly Box[] } {
  const inOrder = [...boxes].sort(
    (one, other) => compare(one.name, other.name) || compare(one.dId, other.dId),
  );
  const known = new Set(places.map(({ id }) => id));
  return {
    groups: [...places]
      .sort((one, other) => compare(one.name, other.name))
      .map((place) => ({ place, boxes: inOrder.filter(({ locationId }) => locationId === place.id) })),
    elsewhere: inOrder.filter(({ locationId }) => !known.has(locationId)),
  };
}
