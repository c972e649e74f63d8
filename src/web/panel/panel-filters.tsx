import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import { loadGoneNames } from "../api/locations.ts";
import type { Device, Overview } from "../api/shapes.ts";
import { Button } from "../element/button.tsx";
import { type Choice, Segments, SelectField } from "../element/field.tsx";
import { isDay } from "../format/day.ts";
import { useFormat, useGateway } from "../live/gateway.ts";
import { useLoaded } from "../live/use-loaded.ts";
import { panelTexts } from "../messages/panel.ts";
import { useTexts } from "../messages/use-language.ts";
import { useNavigation, useQuery } from "../navigation.tsx";
import { addressOf } from "../route.ts";
import { neighbourOf } from "./period.ts";

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

interface PeriodChoiceProps {
  readonly period: Overview["period"];
  readonly onPeriod: (period: Overview["period"]) => void;
}

export function PeriodChoice({ period, onPeriod }: PeriodChoiceProps) {
  const texts = useTexts(panelTexts);
  return (
    <Segments
      label={texts.period}
      value={period}
      choices={[
        { value: "week", text: texts.week },
        { value: "month", text: texts.month },
        { value: "year", text: texts.year },
      ]}
      onValue={(value) => onPeriod(periodOf(value))}
    />
  );
}

interface PeriodStepsProps {
  /** What is shown. */
  readonly shown: Pick<Overview, "period" | "from" | "to">;
  /** Takes a day of the period before or after; undefined is today. */
  readonly onStep: (at: string | undefined) => void;
  /** Stands between the two ways. */
  readonly children?: ComponentChildren;
}

/** The ways to earlier and later days. */
export function PeriodSteps({ shown, onStep, children }: PeriodStepsProps) {
  const texts = useTexts(panelTexts);
  const { format, now } = useGateway();
  const { period, to } = shown;
  const today = format.day(now());
  const go = (step: -1 | 1) => {
    const at = neighbourOf(shown, step);
    onStep(at >= today ? undefined : at);
  };
  return (
    <>
      <Button kind="quiet" icon="back" label={texts.periodBefore[period]} onPress={() => go(-1)} />
      {children}
      <Button
        kind="quiet"
        icon="forward"
        label={texts.later[period]}
        isDisabled={to >= today}
        onPress={() => go(1)}
      />
    </>
  );
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
  const names = part.value ?? new Map<string, string>();
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
