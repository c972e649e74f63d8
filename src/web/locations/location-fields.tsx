import type { Choices, DeviceChoice } from "../api/locations.ts";
import type { Device } from "../api/shapes.ts";
import { type Choice, SelectField } from "../element/field.tsx";
import { panelTexts } from "../messages/panel.ts";
import { useTexts } from "../messages/use-language.ts";
import type { QueryValues } from "../route.ts";

/** A location by its name and a device by its id; empty where all are meant. */
export interface LocationFilter {
  readonly location: string;
  readonly device: string;
}

export function isAt({ location, device }: LocationFilter, { _id, locationName }: Device): boolean {
  return (location === "" || locationName === location) && (device === "" || _id === device);
}

/** The filter of the rooms in their address. There `device` is the room's whose history is open. */
export function roomsQuery({ location, device }: LocationFilter): QueryValues {
  return { location, in: device };
}

interface LocationFieldsProps {
  readonly filter: LocationFilter;
  readonly onFilter: (filter: LocationFilter) => void;
  /** Undefined until they are known: what is chosen can be seen all the same. */
  readonly choices: Choices | undefined;
}

/** The name of a device; of one that is gone it says so. */
export function deviceText(
  { id, name, isGone }: DeviceChoice,
  texts: Pick<typeof panelTexts.es, "goneDevice">,
): string {
  return isGone || name === null ? texts.goneDevice(name, id) : name;
}

/** A location and one of its devices to choose, among them what is gone and has sold. */
export function LocationFields({ filter: { location, device }, onFilter, choices }: LocationFieldsProps) {
  const texts = useTexts(panelTexts);
  const { locations = [], devices = [] } = choices ?? {};
  const textOf = (choice: DeviceChoice) => {
    const [text, at] = [deviceText(choice, texts), choice.locationNames];
    return location === "" && at.length > 0 ? `${text} · ${at.join(", ")}` : text;
  };
  return (
    <>
      <LocationField
        all={texts.every}
        names={locations}
        value={location}
        // Another location has other devices.
        onValue={(name) => onFilter({ location: name, device: "" })}
      />
      <SelectField
        label={texts.device}
        value={device}
        choices={withChosen(
          texts.every,
          devices
            .filter(
              ({ id, locationNames }) => location === "" || locationNames.includes(location) || id === device,
            )
            .map((choice) => ({ value: choice.id, text: textOf(choice) })),
          device,
        )}
        onValue={(id) => onFilter({ location, device: id })}
      />
    </>
  );
}

interface LocationFieldProps {
  /** What stands for all of them; undefined where there is no such choice. */
  readonly all: string | undefined;
  readonly names: readonly string[];
  /** Empty for all. */
  readonly value: string;
  readonly onValue: (name: string) => void;
}

/** A location to choose by its name. */
export function LocationField({ all, names, value, onValue }: LocationFieldProps) {
  const { location } = useTexts(panelTexts);
  const choices = withChosen(
    all,
    names.map((name) => ({ value: name, text: name })),
    value,
  );
  return <SelectField label={location} value={value} choices={choices} onValue={onValue} />;
}

/** The choices behind "all of them", where that is one; what is chosen is among them, even where nothing is known of it any more. */
function withChosen(all: string | undefined, choices: readonly Choice[], chosen: string): readonly Choice[] {
  const isKnown = chosen === "" || choices.some(({ value }) => value === chosen);
  const every = all === undefined ? [] : [{ value: "", text: all }];
  return [...every, ...choices, ...(isKnown ? [] : [{ value: chosen, text: chosen }])];
}
