import type { Api } from "./api.ts";
import type { Overview, OverviewAnswer } from "./shapes.ts";

/** What to sum up. An undefined part is left open. */
export interface OverviewFilter {
  readonly period: Overview["period"];
  /** A location's name. */
  readonly location: string | undefined;
  /** A device's id. */
  readonly device: string | undefined;
}

export async function loadOverview(
  api: Pick<Api, "get">,
  { period, location, device }: OverviewFilter,
): Promise<Overview> {
  const query = new URLSearchParams({ period });
  if (location !== undefined) query.set("location", location);
  if (device !== undefined) query.set("device", device);
  return (await api.get<OverviewAnswer>(`/api/overview?${query}`)).data;
}
