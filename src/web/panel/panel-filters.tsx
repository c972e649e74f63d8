import type { Device } from "../api/device.ts";
import type { Summary, SummaryFilter } from "../api/summary.ts";
import { type Choice, SelectField } from "../element/select-field.tsx";
import { useFormat } from "../frame/visit.ts";
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
  const choices = deviceChoices(summary, devices, filter, texts.gone).sort((a, b) => compare(a.text, b.text));
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

/** The devices of the chosen location: those that are there, and those that sold something and are gone. */
function deviceChoices(
  summary: Summary,
  devices: readonly Device[],
  { location, device: chosen }: SummaryFilter,
  gone: string,
): Choice[] {
  const isHere = (device: { readonly locationName: string }) =>
    location === undefined || device.locationName === location;
  const there = devices.filter(isHere);
  const known = new Set(devices.map((device) => device.id));
  const past = new Set(
    summary.soldDevices.filter((sold) => isHere(sold) && !known.has(sold.id)).map(({ id }) => id),
  );
  if (chosen !== undefined && !known.has(chosen)) past.add(chosen);
  return [
    ...there.map(({ id, name, locationName }) => ({
      value: id,
      text: location === undefined ? `${name} · ${locationName}` : name,
    })),
    ...[...past].map((id) => ({ value: id, text: `${id} (${gone})` })),
  ];
}
