import { useEffect, useRef, useState } from "preact/hooks";
import { RECORD_STATES } from "../../domain/record.ts";
import type { Choices } from "../api/locations.ts";
import { Button } from "../element/button.tsx";
import { Segments, SelectField, TextField, type TextFieldProps } from "../element/field.tsx";
import { useGateway } from "../live/gateway.ts";
import { LocationFields } from "../locations/location-fields.tsx";
import { recordsTexts } from "../messages/records.ts";
import { useTexts } from "../messages/use-language.ts";
import {
  EVERY_RECORD,
  isBackwards,
  isOpen,
  QUICK_RANGES,
  quickRange,
  quickRangeOf,
  type RecordFilter,
} from "./filter.ts";

export interface RecordFiltersProps {
  readonly filter: RecordFilter;
  readonly onFilter: (filter: RecordFilter) => void;
  /** Undefined until they are known: what is chosen can be seen all the same. */
  readonly choices: Choices | undefined;
}

/** What is typed is asked for once typing has paused for so long. */
const TYPING_MS = 400;

export function RecordFilters({ filter, onFilter, choices }: RecordFiltersProps) {
  const texts = useTexts(recordsTexts);
  const { format, now } = useGateway();
  const [isUnfolded, setUnfolded] = useState(!isOpen({ ...filter, from: "", to: "" }));
  const today = format.day(now());
  const range = quickRangeOf(filter, today);
  const set = (part: Partial<RecordFilter>) => onFilter({ ...filter, ...part });
  const dayText = (day: string) => (day === "" ? "" : format.dayNameBy(today, day, "short"));
  const [from, to] = [dayText(filter.from), dayText(filter.to)];
  return (
    <section class="panel column unprinted" aria-label={texts.filters}>
      <div class="record-ranges row">
        <Segments
          label={texts.date}
          value={range ?? ""}
          choices={QUICK_RANGES.map((value) => ({ value, text: texts.ranges[value] }))}
          onValue={(chosen) => set(quickRange(chosen, today))}
        />
        <span class="record-fold">
          <Button isExpanded={isUnfolded} onPress={() => setUnfolded(!isUnfolded)}>
            {texts.filters}
          </Button>
          {!isUnfolded && range === undefined && (
            <Button icon="close" onPress={() => set({ from: "", to: "" })}>
              {from === to ? from : `${from} – ${to}`}
            </Button>
          )}
        </span>
        {!isOpen(filter) && (
          <Button kind="quiet" icon="close" onPress={() => onFilter(EVERY_RECORD)}>
            {texts.clear}
          </Button>
        )}
      </div>
      <div
        class={isUnfolded ? "filters record-fields row" : "filters record-fields record-fields-folded row"}
      >
        <TextField
          label={texts.from}
          type="date"
          value={filter.from}
          max={filter.to === "" ? today : filter.to}
          mistake={isBackwards(filter) ? texts.backwards : undefined}
          onValue={(from) => set({ from })}
        />
        <TextField
          label={texts.to}
          type="date"
          value={filter.to}
          min={filter.from}
          onValue={(to) => set({ to })}
        />
        <LocationFields filter={filter} onFilter={set} choices={choices} />
        <RestingField
          label={texts.room}
          value={filter.room}
          choices={roomChoices(choices, filter)}
          onValue={(room) => set({ room })}
        />
        <SelectField
          label={texts.state}
          value={filter.state}
          choices={[
            { value: "", text: texts.everyState },
            ...RECORD_STATES.map((value) => ({ value, text: texts.states[value] })),
          ]}
          onValue={(state) => set({ state })}
        />
        <RestingField
          label={texts.number}
          inputMode="numeric"
          value={filter.number}
          onValue={(number) => set({ number: number.replace(/\D/g, "") })}
        />
      </div>
    </section>
  );
}

/** A text that is told on once the typing rests. */
function RestingField({ value, onValue, ...props }: TextFieldProps) {
  const [typed, setTyped] = useState(value);
  const latest = useRef(onValue);
  latest.current = onValue;
  // The address may change without typing: filters cleared, the way back.
  useEffect(() => setTyped(value), [value]);
  useEffect(() => {
    if (typed.trim() === value) return;
    const rest = setTimeout(() => latest.current(typed.trim()), TYPING_MS);
    return () => clearTimeout(rest);
  }, [typed, value]);
  return <TextField {...props} value={typed} onValue={setTyped} />;
}

/** The rooms of the devices that a filter lets through. */
export function roomChoices(
  choices: Choices | undefined,
  { location, device }: RecordFilter,
): readonly string[] {
  const rooms = (choices?.devices ?? [])
    .filter(({ id }) => device === "" || id === device)
    .filter(({ locationNames }) => location === "" || locationNames.includes(location))
    .flatMap((chosen) => chosen.rooms);
  return [...new Set(rooms)];
}
