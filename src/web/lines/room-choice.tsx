import type { Device, Wiring } from "../api/shapes.ts";
import { CheckField } from "../element/field.tsx";
import { useFormat } from "../live/gateway.ts";
import type { Board } from "./board.ts";

interface RoomChoiceProps extends Pick<Board, "devices" | "wirings"> {
  /** Names of lines. */
  readonly chosen: ReadonlySet<string>;
  readonly onChosen: (lines: ReadonlySet<string>) => void;
  readonly textOf: (wiring: Wiring) => string;
}

/** Many rooms at once: those of a device by one mark, or one by one. */
export function RoomChoice({ devices, wirings, chosen, onChosen, textOf }: RoomChoiceProps) {
  const { compare } = useFormat();
  const check = (lines: readonly Wiring[], isChecked: boolean) => {
    const next = new Set(chosen);
    for (const { line } of lines) {
      if (isChecked) next.add(line);
      else next.delete(line);
    }
    onChosen(next);
  };
  const ownOf = ({ dId }: Device) =>
    wirings
      .filter((wiring) => wiring.dId === dId)
      .sort((one, other) => compare(one.actuatorId, other.actuatorId));
  return devices.map((device) => {
    const own = ownOf(device);
    if (own.length === 0) return null;
    return (
      <fieldset key={device.dId} class="room-choice">
        <legend>
          <CheckField
            label={`${device.name} · ${device.locationName}`}
            isChecked={own.every(({ line }) => chosen.has(line))}
            onCheck={(isChecked) => check(own, isChecked)}
          />
        </legend>
        {own.map((wiring) => (
          <CheckField
            key={wiring.line}
            label={textOf(wiring)}
            isChecked={chosen.has(wiring.line)}
            onCheck={(isChecked) => check([wiring], isChecked)}
          />
        ))}
      </fieldset>
    );
  });
}
