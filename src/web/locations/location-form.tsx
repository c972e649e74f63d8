import { useState } from "preact/hooks";
import { addLocation, changeLocation } from "../api/locations.ts";
import type { Location } from "../api/shapes.ts";
import { TextField } from "../element/field.tsx";
import { Form, FormActions, FormFailure, useForm } from "../element/form.tsx";
import { unplacedFailure } from "../element/mistake.ts";
import { useGateway } from "../live/gateway.ts";
import { locationsTexts } from "../messages/locations.ts";
import { useTexts } from "../messages/use-language.ts";

interface LocationFormProps {
  /** Null for a new one. */
  readonly location: Location | null;
  /** The main button's text; "save" without it. */
  readonly action?: string;
  readonly onDone: (text: string) => void;
  /** Undefined where there is nothing to go back to. */
  readonly onCancel?: () => void;
}

const SHOWN_FIELDS = ["name", "description"] as const;
const NOT_FOUND = 404;

/** Makes or changes a location, in a dialog or in the guide. */
export function LocationForm({ location, action, onDone, onCancel }: LocationFormProps) {
  const texts = useTexts(locationsTexts);
  const { api } = useGateway();
  const { form, isBusy, failure, submit, mistake, requiredMistake } = useForm();
  const [name, setName] = useState(location?.name ?? "");
  const [description, setDescription] = useState(location?.description ?? "");

  const send = async () => {
    const draft = { name: name.trim(), description: description.trim() };
    const isDone = await submit(draft.name !== "", () =>
      location === null ? addLocation(api, draft) : changeLocation(api, location._id, draft),
    );
    if (!isDone) return;
    const isRenamed = location !== null && location.name !== draft.name;
    onDone([texts.savedLocation(draft.name), ...(isRenamed ? [texts.oldNames] : [])].join(" "));
  };

  return (
    <Form form={form} onSubmit={send}>
      <TextField
        label={texts.name}
        value={name}
        onValue={setName}
        isRequired
        hint={texts.locationNameHint}
        mistake={requiredMistake("name", name)}
      />
      <TextField
        label={texts.description}
        value={description}
        onValue={setDescription}
        mistake={mistake("description", { length: texts.mistakes.longDescription })}
      />
      <FormFailure
        failure={unplacedFailure(failure, SHOWN_FIELDS)}
        texts={{ [NOT_FOUND]: texts.mistakes.gone }}
      />
      <FormActions isBusy={isBusy} text={action} onCancel={onCancel} />
    </Form>
  );
}
