import { useId } from "preact/hooks";
import type { Location, Member } from "../api/shapes.ts";
import { CheckField } from "../element/field.tsx";
import { peopleTexts } from "../messages/people.ts";
import { useTexts } from "../messages/use-language.ts";

interface LocationChoiceProps {
  readonly locations: readonly Location[];
  /** Null: all of them, also those to come. */
  readonly chosen: Member["locationIds"];
  readonly onChosen: (locationIds: Member["locationIds"]) => void;
  readonly mistake: string | undefined;
}

/** Which locations a member sees: all, or some by their marks. */
export function LocationChoice({ locations, chosen, onChosen, mistake }: LocationChoiceProps) {
  const texts = useTexts(peopleTexts);
  const hintId = useId();
  const check = (id: string, isChecked: boolean) =>
    onChosen([...(chosen ?? []).filter((one) => one !== id), ...(isChecked ? [id] : [])]);
  return (
    <fieldset class="stack" aria-describedby={hintId}>
      <legend class="label">{texts.locations}</legend>
      <CheckField
        label={texts.allLocations}
        isChecked={chosen === null}
        onCheck={(isChecked) => onChosen(isChecked ? null : [])}
      />
      {chosen !== null &&
        locations.map(({ _id, name }) => (
          <CheckField
            key={_id}
            label={name}
            isChecked={chosen.includes(_id)}
            onCheck={(isChecked) => check(_id, isChecked)}
            isMistaken={mistake !== undefined && chosen.includes(_id)}
          />
        ))}
      <p class="fine" id={hintId}>
        {chosen?.length === 0 ? texts.noLocation : texts.locationsHint}
      </p>
      {mistake !== undefined && <p class="field-mistake bad strong">{mistake}</p>}
    </fieldset>
  );
}
