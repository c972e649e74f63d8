import { useState } from "preact/hooks";
import { addPlace } from "../api/place.ts";
import { Button } from "../element/button.tsx";
import { Form } from "../element/form.tsx";
import { FormFailure } from "../element/form-failure.tsx";
import { mistakeOf } from "../element/mistake.ts";
import { TextField } from "../element/text-field.tsx";
import { useFirstMistake } from "../element/use-first-mistake.ts";
import { useVisit } from "../frame/visit.ts";
import { useSending } from "../live/use-sending.ts";
import { elementTexts } from "../messages/element.ts";
import { guideTexts } from "../messages/guide.ts";
import { useTexts } from "../messages/speech.ts";
import { StepCard } from "./step-card.tsx";

/** The first location. */
export function PlaceStep({ onDone }: { readonly onDone: () => void }) {
  const texts = useTexts(guideTexts);
  const shared = useTexts(elementTexts);
  const { api } = useVisit();
  const { isBusy, failure, send } = useSending();
  const { form, look } = useFirstMistake();
  const [name, setName] = useState("");
  const [description, setDescription] = useState("");
  const [wasSent, setSent] = useState(false);
  const isMissing = wasSent && name.trim() === "";

  const submit = async () => {
    setSent(true);
    if (name.trim() === "") return look();
    const place = { name: name.trim(), description: description.trim() };
    if (await send(() => addPlace(api, place))) onDone();
    else look();
  };

  return (
    <StepCard title={texts.place.title} detail={texts.place.detail}>
      <Form form={form} onSubmit={submit}>
        <TextField
          label={texts.place.name}
          value={name}
          onValue={setName}
          isRequired
          hint={texts.place.nameHint}
          mistake={isMissing ? shared.mistakes.required : mistakeOf(failure, "name", shared.mistakes)}
        />
        <TextField
          label={texts.place.description}
          value={description}
          onValue={setDescription}
          mistake={mistakeOf(failure, "description", shared.mistakes)}
        />
        <FormFailure failure={failure} />
        <div class="actions">
          <Button kind="main" type="submit" isBusy={isBusy}>
            {isBusy ? texts.busy : texts.next}
          </Button>
        </div>
      </Form>
    </StepCard>
  );
}
