import { useState } from "preact/hooks";
import { addBox, type Box, changeBox, type Place } from "../api/place.ts";
import { Button } from "../element/button.tsx";
import { Dialog } from "../element/dialog.tsx";
import { Form } from "../element/form.tsx";
import { FormFailure } from "../element/form-failure.tsx";
import { mistakeOf } from "../element/mistake.ts";
import { SelectField } from "../element/select-field.tsx";
import { TextField } from "../element/text-field.tsx";
import { unplacedFailure } from "../element/unplaced-failure.ts";
import { useFirstMistake } from "../element/use-first-mistake.ts";
import { useFormat, useVisit } from "../frame/visit.ts";
import { useSending } from "../live/use-sending.ts";
import { elementTexts } from "../messages/element.ts";
import { placesTexts } from "../messages/places.ts";
import { useTexts } from "../messages/speech.ts";
import { briefRooms, type RoomsDraft, roomsOf } from "./rooms.ts";
import { RoomsField } from "./rooms-field.tsx";

interface BoxFormProps {
  /** Null for a new one. */
  readonly box: Box | null;
  /** Where a new one goes at first. */
  readonly at: Place | null;
  readonly places: readonly Place[];
  /** Gets what to say about it. */
  readonly onDone: (text: string) => void;
  readonly onClose: () => void;
}

const SHOWN_FIELDS = ["name", "dId", "locationId"] as const;
const NOT_FOUND = 404;

/** Makes or changes a device. */
export function BoxForm({ box, at, places, onDone, onClose }: BoxFormProps) {
  const texts = useTexts(placesTexts);
  const shared = useTexts(elementTexts);
  const { api } = useVisit();
  const { count } = useFormat();
  const { isBusy, failure, send } = useSending();
  const { form, look } = useFirstMistake();
  const [name, setName] = useState(box?.name ?? "");
  const [dId, setDId] = useState(box?.dId ?? "");
  const [placeId, setPlaceId] = useState(box?.locationId ?? at?.id ?? "");
  const [rooms, setRooms] = useState<RoomsDraft>({ way: "range", first: "", count: "", list: "" });
  const [wasSent, setSent] = useState(false);
  const place = places.find(({ id }) => id === placeId);
  const roomList = roomsOf(rooms);

  const submit = async () => {
    setSent(true);
    const isReady =
      name.trim() !== "" &&
      (box !== null || (dId.trim() !== "" && place !== undefined && roomList.kind === "rooms"));
    if (!isReady) return look();
    const isDone = await send(async () => {
      if (box !== null) return changeBox(api, box.dId, changesOf(box, name.trim(), place));
      if (place === undefined || roomList.kind !== "rooms") return;
      await addBox(api, { dId: dId.trim(), name: name.trim(), place, rooms: roomList.rooms });
    });
    if (!isDone) return look();
    const isRenamed = box !== null && (box.name !== name.trim() || box.locationId !== placeId);
    onDone([texts.savedBox(name.trim()), ...(isRenamed ? [texts.oldNames] : [])].join(" "));
  };

  const missing = (value: string) => (wasSent && value.trim() === "" ? shared.mistakes.required : undefined);
  return (
    <Dialog title={box === null ? texts.boxTitle : texts.boxChangeTitle} onClose={onClose}>
      <Form form={form} onSubmit={submit}>
        <TextField
          label={texts.boxName}
          value={name}
          onValue={setName}
          isRequired
          hint={texts.boxNameHint}
          mistake={missing(name) ?? mistakeOf(failure, "name", shared.mistakes)}
        />
        {box === null && (
          <TextField
            label={texts.dId}
            value={dId}
            onValue={setDId}
            isRequired
            hint={texts.dIdHint}
            mistake={
              missing(dId) ??
              mistakeOf(failure, "dId", shared.mistakes, { unique: texts.mistakes.taken(dId.trim()) })
            }
          />
        )}
        <SelectField
          label={texts.place}
          value={placeId}
          choices={[
            ...(place === undefined ? [{ value: placeId, text: box?.locationName ?? "" }] : []),
            ...places.map(({ id, name: text }) => ({ value: id, text })),
          ]}
          onValue={setPlaceId}
          mistake={
            wasSent && box === null && place === undefined
              ? texts.mistakes.noPlace
              : mistakeOf(failure, "locationId", shared.mistakes)
          }
        />
        {box === null ? (
          <RoomsField draft={rooms} onDraft={setRooms} wasSent={wasSent} />
        ) : (
          <p class="box-fixed">
            <span>
              {texts.rooms(count(box.rooms.length), box.rooms.length === 1)}: {briefRooms(box.rooms)}
            </span>
            <span class="soft">{texts.roomsFixed}</span>
          </p>
        )}
        <FormFailure
          failure={unplacedFailure(failure, SHOWN_FIELDS)}
          texts={{ [NOT_FOUND]: texts.mistakes.gone }}
        />
        <div class="actions">
          <Button kind="main" type="submit" isBusy={isBusy}>
            {box === null ? (isBusy ? texts.creating : texts.create) : isBusy ? texts.saving : texts.save}
          </Button>
          <Button onPress={onClose}>{shared.cancel}</Button>
        </div>
      </Form>
    </Dialog>
  );
}

/** Only what differs is sent: a location that is gone is not one to move to. */
function changesOf(box: Box, name: string, place: Place | undefined) {
  return {
    ...(name === box.name && place !== undefined && place.id !== box.locationId ? {} : { name }),
    ...(place === undefined || place.id === box.locationId ? {} : { locationId: place.id }),
  };
}
