import { useMemo } from "preact/hooks";
import { loadGoneNames } from "../api/choices.ts";
import type { OverviewFilter } from "../api/records.ts";
import type { Device, Overview } from "../api/shapes.ts";
import { type Choice, SelectField } from "../element/field.tsx";
import { isDay } from "../format/day.ts";
import { useFormat } from "../live/gateway.ts";
import { readyValue } from "../live/loading.ts";
import { useLoaded } from "../live/use-loaded.ts";
import { panelTexts } from "../messages/panel.ts";
import { useTexts } from "../messages/use-language.ts";
import { useNavigation, useQuery } from "../navigation.tsx";
import { addressOf } from "../route.ts";

interface PanelFilterControl {
  readonly filter: OverviewFilter;
  readonly setFilter: (filter: OverviewFilter) => void;
}

/** The filter lives in the address, so that it survives a reload and can be passed on. */
export function usePanelFilter(): PanelFilterControl {
  const query = useQuery();
  const { replace } = useNavigation();
  return useMemo(
    () => ({
      filter: panelFilterOf(query),
      setFilter: (filter) => replace(panelAddress(filter)),
    }),
    [query, replace],
  );
}

export function panelAddress({ period, ...others }: OverviewFilter): string {
  return addressOf("panel", { period: period === "week" ? undefined : period, ...others });
}

/** The filter that the query of the panel's address asks for. */
function panelFilterOf(query: URLSearchParams): OverviewFilter {
  return {
    period: periodOf(query.get("period")),
    at: dayOf(query.get("at")),
    location: query.get("location") ?? undefined,
    device: query.get("device") ?? undefined,
  };
}

export function periodOf(text: string | null): Overview["period"] {
  return text === "year" || text === "month" ? text : "week";
}

function dayOf(text: string | null): string | undefined {
  return text !== null && isDay(text) ? text : undefined;
}

interface PanelFiltersProps {
  readonly overview: Overview;
  readonly devices: readonly Device[];
  readonly filter: OverviewFilter;
  readonly onFilter: (filter: OverviewFilter) => void;
}

/** By location and device; not there while there is nothing to choose between. */
export function PanelFilters({ overview, devices, filter, onFilter }: PanelFiltersProps) {
  const texts = useTexts(panelTexts);
  const { compare } = useFormat();
  const locations = locationNames(overview, devices, filter.location).sort(compare);
  const gone = goneIdsOf(overview, devices, filter);
  const { part } = useLoaded((api) => loadGoneNames(api, gone), JSON.stringify(gone));
  const names = readyValue(part) ?? new Map<string, string>();
  const choices = [
    ...thereChoices(devices, filter),
    ...gone.map((id) => ({ value: id, text: `${names.get(id) ?? id} (${texts.gone})` })),
  ].sort((a, b) => compare(a.text, b.text));
  if (locations.length < 2 && choices.length < 2 && !filter.location && !filter.device) return null;
  return (
    <div class="filters">
      <SelectField
        label={texts.location}
        value={filter.location ?? ""}
        choices={[
          { value: "", text: texts.allLocations },
          ...locations.map((name) => ({ value: name, text: name })),
        ]}
        // Another location has other devices.
        onValue={(name) => onFilter({ ...filter, location: name || undefined, device: undefined })}
      />
      <SelectField
        label={texts.device}
        value={filter.device ?? ""}
        choices={[{ value: "", text: texts.allDevices }, ...choices]}
        onValue={(id) => onFilter({ ...filter, device: id || undefined })}
      />
    </div>
  );
}

function locationNames(overview: Overview, devices: readonly Device[], chosen: string | undefined): string[] {
  const names = new Set([...overview.choices.locations, ...devices.map((device) => device.locationName)]);
  if (chosen !== undefined) names.add(chosen);
  return [...names];
}

function thereChoices(devices: readonly Device[], { location }: OverviewFilter): Choice[] {
  return devices
    .filter((device) => location === undefined || device.locationName === location)
    .map(({ _id, name, locationName }) => ({
      value: _id,
      text: location === undefined ? `${name} · ${locationName}` : name,
    }));
}

function goneIdsOf(
  overview: Overview,
  devices: readonly Device[],
  { location, device: chosen }: OverviewFilter,
): readonly string[] {
  const known = new Set(devices.map((device) => device._id));
  const sold = overview.choices.devices.filter(
    (device) => location === undefined || device.locationName === location,
  );
  const ids = [...sold.map(({ deviceId }) => deviceId), ...(chosen === undefined ? [] : [chosen])];
  return [...new Set(ids)].filter((id) => !known.has(id));
}
