import { useState } from "preact/hooks";
import { addLocation, changeLocation, removeDevice, removeLocation, roomsOf } from "../api/locations.ts";
import type { Device, Location } from "../api/shapes.ts";
import { Confirm, Dialog } from "../element/dialog.tsx";
import { TextField } from "../element/field.tsx";
import { Form, FormActions, FormFailure, useForm, useSending } from "../element/form.tsx";
import { unplacedFailure } from "../element/mistake.ts";
import { useFormat, useGateway } from "../live/gateway.ts";
import { locationsTexts } from "../messages/locations.ts";
import { useTexts } from "../messages/use-language.ts";
import { briefRooms } from "./rooms.ts";

interface LocationFormProps {
  /** Null for a new one. */
  readonly location: Location | null;
  readonly onDone: (text: string) => void;
  readonly onClose: () => void;
}

const SHOWN_FIELDS = ["name", "description"] as const;
const NOT_FOUND = 404;

export function LocationForm({ location, onDone, onClose }: LocationFormProps) {
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
    <Dialog title={location === null ? texts.locationTitle : texts.locationChangeTitle} onClose={onClose}>
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
        <FormActions
          isBusy={isBusy}
          text={location === null ? texts.create : texts.save}
          busyText={location === null ? texts.creating : texts.saving}
          onCancel={onClose}
        />
      </Form>
    </Dialog>
  );
}

interface RemoveLocationProps {
  readonly location: Location;
  readonly devices: number;
  readonly onDone: (text: string) => void;
  readonly onClose: () => void;
}

export function RemoveLocation({ location, devices, onDone, onClose }: RemoveLocationProps) {
  const texts = useTexts(locationsTexts);
  const { api } = useGateway();
  const { count } = useFormat();
  const { isBusy, failure, send } = useSending();
  const remove = async () => {
    if (await send(() => removeLocation(api, location._id))) onDone(texts.removed(location.name));
  };
  return (
    <Confirm
      title={texts.removeLocationTitle(location.name)}
      action={isBusy ? texts.removing : texts.removeOf(location.name)}
      isBusy={isBusy}
      failure={failure}
      onConfirm={() => void remove()}
      onClose={onClose}
    >
      <ul>
        <li>{texts.removeLocationKept}</li>
        {devices > 0 && <li>{texts.removeLocationDevices(count(devices), devices === 1)}</li>}
        <li>{texts.removeForGood}</li>
      </ul>
    </Confirm>
  );
}

interface RemoveDeviceProps {
  readonly device: Device;
  readonly onDone: (text: string) => void;
  readonly onClose: () => void;
}

export function RemoveDevice({ device, onDone, onClose }: RemoveDeviceProps) {
  const texts = useTexts(locationsTexts);
  const { api } = useGateway();
  const { isBusy, failure, send } = useSending();
  const remove = async () => {
    if (await send(() => removeDevice(api, device.dId))) onDone(texts.removed(device.name));
  };
  return (
    <Confirm
      title={texts.removeDeviceTitle(device.name)}
      action={isBusy ? texts.removing : texts.removeOf(device.name)}
      isBusy={isBusy}
      failure={failure}
      onConfirm={() => void remove()}
      onClose={onClose}
    >
      <ul>
        <li>{texts.removeDeviceKept}</li>
        <li>{texts.removeDeviceStops}</li>
        <li>{texts.removeDeviceRooms(briefRooms(roomsOf(device)))}</li>
        <li>{texts.removeForGood}</li>
      </ul>
    </Confirm>
  );
}
