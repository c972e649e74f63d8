import { CheckField } from "../element/field.tsx";

/** The wired rooms of a device. */
export interface RoomGroup {
  readonly name: string;
  /** `line` is its name. */
  readonly rooms: readonly { readonly line: string; readonly text: string }[];
}

interface RoomChoiceProps {
  readonly groups: readonly RoomGroup[];
  /** Names of lines. */
  readonly chosen: ReadonlySet<string>;
  readonly onChosen: (lines: ReadonlySet<string>) => void;
}

/** Many rooms at once: those of a device by one mark, or one by one. */
export function RoomChoice({ groups, chosen, onChosen }: RoomChoiceProps) {
  const check = (rooms: RoomGroup["rooms"], isChecked: boolean) => {
    const next = new Set(chosen);
    for (const { line } of rooms) {
      if (isChecked) next.add(line);
      else next.delete(line);
    }
    onChosen(next);
  };
  return groups
    .filter(({ rooms }) => rooms.length > 0)
    .map(({ name, rooms }) => (
      <fieldset key={name} class="room-choice fields">
        <legend class="strong">
          <CheckField
            label={name}
            isChecked={rooms.every(({ line }) => chosen.has(line))}
            onCheck={(isChecked) => check(rooms, isChecked)}
          />
        </legend>
        {rooms.map((room) => (
          <CheckField
            key={room.line}
            label={room.text}
            isChecked={chosen.has(room.line)}
            onCheck={(isChecked) => check([room], isChecked)}
          />
        ))}
      </fieldset>
    ));
}
