import type { Api } from "./api.ts";
import type { Overview, OverviewAnswer } from "./shapes.ts";

/** What to sum up. An undefined part is left open. */
export interface OverviewFilter {
  readonly period: Overview["period"];
  /** A day of the period, the last one of a week; undefined is today. */
  readonly at: string | undefined;
  /** A location's name. */
  readonly location: string | undefined;
  /** A device's id. */
  readonly device: string | undefined;
}

export async function loadOverview(
  api: Pick<Api, "get">,
  { period, at, location, device }: OverviewFilter,
): Promise<Overview> {
  const query = new URLSearchParams({ period });
  if (at !== undefined) query.set("at", at);
  if (location !== undefined) query.set("location", location);
  if (device !== undefined) query.set("device", device);
  return (await api.get<OverviewAnswer>(`/api/overview?${query}`)).data;
}
