import type { Choices, DeviceChoice } from "../api/locations.ts";
import type { Device } from "../api/shapes.ts";
import { type Choice, SelectField } from "../element/field.tsx";
import { panelTexts } from "../messages/panel.ts";
import { useTexts } from "../messages/use-language.ts";
import type { QueryValues } from "../route.ts";

/** A location by its name and a device by its id; empty where all are meant. */
export interface Place {
  readonly location: string;
  readonly device: string;
}

export function isAt({ location, device }: Place, { _id, locationName }: Device): boolean {
  return (location === "" || locationName === location) && (device === "" || _id === device);
}

/** The place that the rooms are narrowed down to, in their address. There `device` is the room's whose history is open. */
export function roomsQuery({ location, device }: Place): QueryValues {
  return { location, in: device };
}

interface PlaceFieldsProps {
  readonly place: Place;
  readonly onPlace: (place: Place) => void;
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
export function PlaceFields({ place: { location, device }, onPlace, choices }: PlaceFieldsProps) {
  const texts = useTexts(panelTexts);
  const { locations = [], devices = [] } = choices ?? {};
  const textOf = (choice: DeviceChoice) => {
    const [text, at] = [deviceText(choice, texts), choice.locationNames];
    return location === "" && at.length > 0 ? `${text} · ${at.join(", ")}` : text;
  };
  return (
    <>
      <SelectField
        label={texts.location}
        value={location}
        choices={withChosen(
          texts.every,
          locations.map((name) => ({ value: name, text: name })),
          location,
        )}
        // Another location has other devices.
        onValue={(name) => onPlace({ location: name, device: "" })}
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
        onValue={(id) => onPlace({ location, device: id })}
      />
    </>
  );
}

/** The choices behind "all of them"; what is chosen is among them, even where nothing is known of it any more. */
export function withChosen(all: string, choices: readonly Choice[], chosen: string): readonly Choice[] {
  const isKnown = chosen === "" || choices.some(({ value }) => value === chosen);
  return [{ value: "", text: all }, ...choices, ...(isKnown ? [] : [{ value: chosen, text: chosen }])];
}
