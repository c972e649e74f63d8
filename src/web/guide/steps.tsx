import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { addDevice, addLocation } from "../api/locations.ts";
import { Button } from "../element/button.tsx";
import { SelectField, TextField } from "../element/field.tsx";
import { Form, FormActions, FormFailure, useForm } from "../element/form.tsx";
import { Icon } from "../element/icon.tsx";
import { useGateway } from "../live/gateway.ts";
import { readyValue } from "../live/loading.ts";
import { RoomsField } from "../locations/device-form.tsx";
import { type RoomsDraft, roomsOfDraft } from "../locations/rooms.ts";
import { guideTexts } from "../messages/guide.ts";
import { useTexts } from "../messages/use-language.ts";
import { Link } from "../navigation.tsx";
import { addressOf } from "../route.ts";
import type { Present } from "./guide-view.tsx";

export function LocationStep({ onDone }: { readonly onDone: () => void }) {
  const texts = useTexts(guideTexts);
  const { api } = useGateway();
  const { form, isBusy, failure, submit, mistake, requiredMistake } = useForm();
  const [name, setName] = useState("");
  const [description, setDescription] = useState("");

  const send = async () => {
    const location = { name: name.trim(), description: description.trim() };
    if (await submit(location.name !== "", () => addLocation(api, location))) onDone();
  };

  return (
    <StepCard title={texts.location.title} detail={texts.location.detail}>
      <Form form={form} onSubmit={send}>
        <TextField
          label={texts.location.name}
          value={name}
          onValue={setName}
          isRequired
          hint={texts.location.nameHint}
          mistake={requiredMistake("name", name)}
        />
        <TextField
          label={texts.location.description}
          value={description}
          onValue={setDescription}
          mistake={mistake("description")}
        />
        <FormFailure failure={failure} />
        <FormActions isBusy={isBusy} text={texts.next} busyText={texts.busy} />
      </Form>
    </StepCard>
  );
}

interface DeviceStepProps {
  readonly present: Present;
  /** Gets the number of the device that was made. */
  readonly onDone: (dId: string) => void;
}

export function DeviceStep({ present, onDone }: DeviceStepProps) {
  const { device: texts, ...guide } = useTexts(guideTexts);
  const { api } = useGateway();
  const { form, isBusy, failure, wasSent, submit, requiredMistake } = useForm();
  const [locationId, setLocationId] = useState<string | null>(null);
  const [name, setName] = useState("");
  const [dId, setDId] = useState("");
  const [rooms, setRooms] = useState<RoomsDraft>({ way: "range", first: "", count: "", list: "" });
  const { locations } = present;
  const location = locations.find((candidate) => candidate._id === locationId) ?? locations.at(-1);
  const roomList = roomsOfDraft(rooms);

  const send = async () => {
    const texts = { dId: dId.trim(), name: name.trim() };
    const isReady =
      texts.name !== "" && texts.dId !== "" && location !== undefined && roomList.kind === "rooms";
    const isDone = await submit(isReady, async () => {
      if (isReady) await addDevice(api, { ...texts, location, rooms: roomList.rooms });
    });
    if (isDone) onDone(texts.dId);
  };

  return (
    <StepCard title={present.devices.length === 0 ? texts.title : texts.another} detail={texts.detail}>
      <Form form={form} onSubmit={send}>
        {locations.length > 1 && (
          <SelectField
            label={texts.location}
            value={location?._id ?? ""}
            choices={locations.map(({ _id, name: text }) => ({ value: _id, text }))}
            onValue={setLocationId}
          />
        )}
        <div class="fields">
          <TextField
            label={texts.name}
            value={name}
            onValue={setName}
            isRequired
            hint={texts.nameHint}
            mistake={requiredMistake("name", name)}
          />
          <TextField
            label={texts.dId}
            value={dId}
            onValue={setDId}
            isRequired
            hint={texts.dIdHint}
            mistake={requiredMistake("dId", dId, { unique: texts.taken })}
          />
        </div>
        <RoomsField draft={rooms} onDraft={setRooms} wasSent={wasSent} />
        <FormFailure failure={failure} />
        <FormActions isBusy={isBusy} text={guide.next} busyText={guide.busy} />
      </Form>
    </StepCard>
  );
}

interface DoneStepProps {
  readonly present: Present;
  readonly onMore: () => void;
}

export function DoneStep({ present, onMore }: DoneStepProps) {
  const { done: texts } = useTexts(guideTexts);
  const { status, format } = useGateway();
  const rooms = present.devices.reduce((sum, device) => sum + device.actuators.length, 0);
  const wired = present.wirings.length;
  const unwired = Math.max(0, rooms - wired);
  return (
    <StepCard title={texts.title}>
      <ul class="done-list">
        <li>
          <Icon name="done" />
          {texts.rooms(rooms, format.count(rooms))}
        </li>
        {wired > 0 && (
          <li>
            <Icon name="done" />
            {texts.wired(wired, format.count(wired))}
          </li>
        )}
        {unwired > 0 && (
          <li>
            <Icon name="info" />
            {texts.unwired(unwired, format.count(unwired))}
          </li>
        )}
      </ul>
      {readyValue(status)?.simulated && <p>{texts.simulated}</p>}
      <div class="actions">
        <Link to={addressOf("rooms")} class="button button-main">
          {texts.toRooms}
        </Link>
        <Link to={addressOf("panel")} class="button">
          {texts.toPanel}
        </Link>
        {unwired > 0 && (
          <Link to={addressOf("lines")} class="button">
            {texts.toLines}
          </Link>
        )}
        <Button kind="quiet" icon="plus" onPress={onMore}>
          {texts.more}
        </Button>
      </div>
    </StepCard>
  );
}

interface StepCardProps {
  readonly title: string;
  readonly detail?: string;
  readonly children: ComponentChildren;
}

/** One step. It takes the keyboard's focus when it comes, so that its title is read aloud. */
export function StepCard({ title, detail, children }: StepCardProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => heading.current?.focus({ preventScroll: true }), []);
  return (
    <section class="panel step-card" aria-labelledby="step-title">
      <h2 id="step-title" tabIndex={-1} ref={heading}>
        {title}
      </h2>
      {detail !== undefined && <p class="soft">{detail}</p>}
      {children}
    </section>
  );
}
