import type { Device } from "../api/device.ts";
import { loadGoneNames } from "../api/gone-device.ts";
import type { Summary, SummaryFilter } from "../api/summary.ts";
import { type Choice, SelectField } from "../element/select-field.tsx";
import { useFormat } from "../frame/visit.ts";
import { readyValue } from "../live/part.ts";
import { useLoaded } from "../live/use-loaded.ts";
import { panelTexts } from "../messages/panel.ts";
import { useTexts } from "../messages/speech.ts";

interface PanelFiltersProps {
  readonly summary: Summary;
  readonly devices: readonly Device[];
  readonly filter: SummaryFilter;
  readonly onFilter: (filter: SummaryFilter) => void;
}

/** By location and device; not there while there is nothing to choose between. */
export function PanelFilters({ summary, devices, filter, onFilter }: PanelFiltersProps) {
  const texts = useTexts(panelTexts);
  const { compare } = useFormat();
  const locations = locationNames(summary, devices, filter.location).sort(compare);
  const gone = goneIdsOf(summary, devices, filter);
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
        label={texts.place}
        value={filter.location ?? ""}
        choices={[
          { value: "", text: texts.allPlaces },
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

/** Where there are devices, and where something was sold. */
function locationNames(summary: Summary, devices: readonly Device[], chosen: string | undefined): string[] {
  const names = new Set([...summary.soldLocations, ...devices.map((device) => device.locationName)]);
  if (chosen !== undefined) names.add(chosen);
  return [...names];
}

/** The devices of the chosen location. */
function thereChoices(devices: readonly Device[], { location }: SummaryFilter): Choice[] {
  return devices
    .filter((device) => location === undefined || device.locationName === location)
    .map(({ id, name, locationName }) => ({
      value: id,
      text: location === undefined ? `${name} · ${locationName}` : name,
    }));
}

/** Those that sold something there and are gone. */
function goneIdsOf(
  summary: Summary,
  devices: readonly Device[],
  { location, device: chosen }: SummaryFilter,
): readonly string[] {
  const known = new Set(devices.map((device) => device.id));
  const sold = summary.soldDevices.filter(
    (device) => location === undefined || device.locationName === location,
  );
  const ids = [...sold.map(({ id }) => id), ...(chosen === undefined ? [] : [chosen])];
  return [...new Set(ids)].filter((id) => !known.has(id));
}
