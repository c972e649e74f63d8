import type { ComponentChildren } from "preact";
import { parseDay } from "../../domain/day.ts";
import type { Choices } from "../api/locations.ts";
import type { Overview } from "../api/shapes.ts";
import { Segments } from "../element/field.tsx";
import { Steps } from "../element/steps.tsx";
import { useGateway } from "../live/gateway.ts";
import { LocationFields, type LocationFilter } from "../locations/location-fields.tsx";
import { panelTexts } from "../messages/panel.ts";
import { useTexts } from "../messages/use-language.ts";
import type { QueryValues } from "../route.ts";
import { neighbourOf } from "./period.ts";

/** What to sum up. An empty text leaves that part open. */
export interface OverviewFilter {
  readonly period: Overview["period"];
  /** A day of the period, the last one of a week; today without it. */
  readonly at: string;
  /** A location's name. */
  readonly location: string;
  /** A device's id. */
  readonly device: string;
}

/** What the panel's address has of a filter. */
export function panelQuery({ period, ...others }: OverviewFilter): QueryValues {
  return { period: period === "week" ? "" : period, ...others };
}

/** The filter that the query of the panel's address asks for: there it survives a reload, and can be passed on. */
export function panelFilterOf(query: URLSearchParams): OverviewFilter {
  const text = (name: string) => query.get(name) ?? "";
  const at = parseDay(text("at")) === undefined ? "" : text("at");
  return { period: periodOf(text("period")), at, location: text("location"), device: text("device") };
}

export function periodOf(text: string): Overview["period"] {
  return text === "year" || text === "month" ? text : "week";
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
      onValue={onPeriod}
    />
  );
}

interface PeriodStepsProps {
  /** What is shown. */
  readonly shown: Pick<Overview, "period" | "from" | "to">;
  /** Takes a day of the period before or after; empty: today. */
  readonly onStep: (at: string) => void;
  /** Stands between the two ways. */
  readonly children?: ComponentChildren;
}

/** While a year is typed, its first digits are a day of antiquity. */
const FIRST_DAY = "2000-01-01";

/** The ways to earlier and later days, and to any day. */
export function PeriodSteps({ shown, onStep, children }: PeriodStepsProps) {
  const texts = useTexts(panelTexts);
  const { format, now } = useGateway();
  const { period, to } = shown;
  const today = format.day(now());
  const go = (step: -1 | 1) => {
    const at = neighbourOf(shown, step);
    onStep(at >= today ? "" : at);
  };
  return (
    <>
      <Steps
        texts={{ before: texts.periodBefore[period], after: texts.later[period] }}
        isLast={to >= today}
        onStep={go}
      >
        {children}
      </Steps>
      <input
        class="input steps-day"
        type="date"
        aria-label={texts.goToDay}
        title={texts.goToDay}
        value={to > today ? today : to}
        min={FIRST_DAY}
        max={today}
        onInput={({ currentTarget: { value } }) => {
          if (value >= FIRST_DAY && value <= today) onStep(value === today ? "" : value);
        }}
      />
    </>
  );
}

interface PanelFiltersProps<F extends LocationFilter> {
  readonly choices: Choices;
  readonly filter: F;
  readonly onFilter: (filter: F) => void;
}

/** By location and device; not there while there is nothing to choose between. */
export function PanelFilters<F extends LocationFilter>({ choices, filter, onFilter }: PanelFiltersProps<F>) {
  const { location, device } = filter;
  if (choices.locations.length < 2 && choices.devices.length < 2 && !location && !device) return null;
  return (
    <div class="filters row">
      <LocationFields
        filter={filter}
        onFilter={(next) => onFilter({ ...filter, ...next })}
        choices={choices}
      />
    </div>
  );
}
