import { useState } from "preact/hooks";
import { addBox } from "../api/place.ts";
import { Button } from "../element/button.tsx";
import { Form } from "../element/form.tsx";
import { FormFailure } from "../element/form-failure.tsx";
import { mistakeOf } from "../element/mistake.ts";
import { SelectField } from "../element/select-field.tsx";
import { TextField } from "../element/text-field.tsx";
import { useFirstMistake } from "../element/use-first-mistake.ts";
import { useVisit } from "../frame/visit.ts";
import { useSending } from "../live/use-sending.ts";
import { elementTexts } from "../messages/element.ts";
import { guideTexts } from "../messages/guide.ts";
import { useTexts } from "../messages/speech.ts";
import { type RoomsDraft, roomsOf } from "../places/rooms.ts";
import { RoomsField } from "../places/rooms-field.tsx";
import type { Present } from "./guide-view.tsx";
import { StepCard } from "./step-card.tsx";

interface BoxStepProps {
  readonly present: Present;
  /** Gets the number of the device that was made. */
  readonly onDone: (dId: string) => void;
}

/** A device with its rooms. */
export function BoxStep({ present, onDone }: BoxStepProps) {
  const { box: texts, ...guide } = useTexts(guideTexts);
  const shared = useTexts(elementTexts);
  const { api } = useVisit();
  const { isBusy, failure, send } = useSending();
  const { form, look } = useFirstMistake();
  const [placeId, setPlaceId] = useState<string | null>(null);
  const [name, setName] = useState("");
  const [dId, setDId] = useState("");
  const [rooms, setRooms] = useState<RoomsDraft>({ way: "range", first: "", count: "", list: "" });
  const [wasSent, setSent] = useState(false);
  const { places } = present;
  const place = places.find((candidate) => candidate.id === placeId) ?? places[places.length - 1];
  const roomList = roomsOf(rooms);

  const submit = async () => {
    setSent(true);
    if (name.trim() === "" || dId.trim() === "" || place === undefined || roomList.kind !== "rooms") {
      return look();
    }
    const box = { dId: dId.trim(), name: name.trim(), place, rooms: roomList.rooms };
    if (await send(() => addBox(api, box))) onDone(box.dId);
    else look();
  };

  const missing = (value: string) => (wasSent && value.trim() === "" ? shared.mistakes.required : undefined);
  return (
    <StepCard title={present.boxes.length === 0 ? texts.title : texts.another} detail={texts.detail}>
      <Form form={form} onSubmit={submit}>
        {places.length > 1 && (
          <SelectField
            label={texts.place}
            value={place?.id ?? ""}
            choices={places.map(({ id, name: text }) => ({ value: id, text }))}
            onValue={setPlaceId}
          />
        )}
        <div class="fields">
          <TextField
            label={texts.name}
            value={name}
            onValue={setName}
            isRequired
            hint={texts.nameHint}
            mistake={missing(name) ?? mistakeOf(failure, "name", shared.mistakes)}
          />
          <TextField
            label={texts.dId}
            value={dId}
            onValue={setDId}
            isRequired
            hint={texts.dIdHint}
            mistake={missing(dId) ?? mistakeOf(failure, "dId", shared.mistakes, { unique: texts.taken })}
          />
        </div>
        <RoomsField draft={rooms} onDraft={setRooms} wasSent={wasSent} />
        <FormFailure failure={failure} />
        <div class="actions">
          <Button kind="main" type="submit" isBusy={isBusy}>
            {isBusy ? guide.busy : guide.next}
          </Button>
        </div>
      </Form>
    </StepCard>
  );
}
