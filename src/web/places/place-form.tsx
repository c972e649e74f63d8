import { useState } from "preact/hooks";
import { addPlace, changePlace, type Place } from "../api/place.ts";
import { Button } from "../element/button.tsx";
import { Dialog } from "../element/dialog.tsx";
import { Form } from "../element/form.tsx";
import { FormFailure } from "../element/form-failure.tsx";
import { mistakeOf } from "../element/mistake.ts";
import { TextField } from "../element/text-field.tsx";
import { unplacedFailure } from "../element/unplaced-failure.ts";
import { useFirstMistake } from "../element/use-first-mistake.ts";
import { useVisit } from "../frame/visit.ts";
import { useSending } from "../live/use-sending.ts";
import { elementTexts } from "../messages/element.ts";
import { placesTexts } from "../messages/places.ts";
import { useTexts } from "../messages/speech.ts";

interface PlaceFormProps {
  /** Null for a new one. */
  readonly place: Place | null;
  /** Gets what to say about it. */
  readonly onDone: (text: string) => void;
  readonly onClose: () => void;
}

const SHOWN_FIELDS = ["name", "description"] as const;
const NOT_FOUND = 404;

/** Makes or changes a location. */
export function PlaceForm({ place, onDone, onClose }: PlaceFormProps) {
  const texts = useTexts(placesTexts);
  const shared = useTexts(elementTexts);
  const { api } = useVisit();
  const { isBusy, failure, send } = useSending();
  const { form, look } = useFirstMistake();
  const [name, setName] = useState(place?.name ?? "");
  const [description, setDescription] = useState(place?.description ?? "");
  const [wasSent, setSent] = useState(false);
  const isNameMissing = wasSent && name.trim() === "";

  const submit = async () => {
    setSent(true);
    if (name.trim() === "") return look();
    const draft = { name: name.trim(), description: description.trim() };
    const isDone = await send(() =>
      place === null ? addPlace(api, draft) : changePlace(api, place.id, draft),
    );
    if (!isDone) return look();
    const isRenamed = place !== null && place.name !== draft.name;
    onDone([texts.savedPlace(draft.name), ...(isRenamed ? [texts.oldNames] : [])].join(" "));
  };

  return (
    <Dialog title={place === null ? texts.placeTitle : texts.placeChangeTitle} onClose={onClose}>
      <Form form={form} onSubmit={submit}>
        <TextField
          label={texts.name}
          value={name}
          onValue={setName}
          isRequired
          hint={texts.placeNameHint}
          mistake={isNameMissing ? shared.mistakes.required : mistakeOf(failure, "name", shared.mistakes)}
        />
        <TextField
          label={texts.description}
          value={description}
          onValue={setDescription}
          mistake={mistakeOf(failure, "description", shared.mistakes, {
            length: texts.mistakes.longDescription,
          })}
        />
        <FormFailure
          failure={unplacedFailure(failure, SHOWN_FIELDS)}
          texts={{ [NOT_FOUND]: texts.mistakes.gone }}
        />
        <div class="actions">
          <Button kind="main" type="submit" isBusy={isBusy}>
            {place === null ? (isBusy ? texts.creating : texts.create) : isBusy ? texts.saving : texts.save}
          </Button>
          <Button onPress={onClose}>{shared.cancel}</Button>
        </div>
      </Form>
    </Dialog>
  );
}
