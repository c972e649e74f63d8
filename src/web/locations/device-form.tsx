import { useState } from "preact/hooks";
import { addDevice, changeDevice, roomsOf } from "../api/locations.ts";
import type { Device, Location } from "../api/shapes.ts";
import { Segments, SelectField, TextField } from "../element/field.tsx";
import { Form, FormActions, FormFailure, useForm } from "../element/form.tsx";
import { unplacedFailure } from "../element/mistake.ts";
import { useFormat, useGateway } from "../live/gateway.ts";
import { locationsTexts } from "../messages/locations.ts";
import { useTexts } from "../messages/use-language.ts";
import { briefRooms, MAX_ROOMS, type RoomsDraft, roomsOfDraft } from "./rooms.ts";

interface DeviceFormProps {
  /** Null for a new one. */
  readonly device: Device | null;
  /** Where a new one goes at first. */
  readonly at: Location | undefined;
  readonly locations: readonly Location[];
  /** The main button's text. */
  readonly action: string;
  /** Gets what was done in words, and the device's number. */
  readonly onDone: (text: string, dId: string) => void;
  /** Undefined where there is nothing to go back to. */
  readonly onCancel?: () => void;
}

const SHOWN_FIELDS = ["name", "dId", "locationId"] as const;
const NOT_FOUND = 404;

/** Makes or changes a device, in a dialog or in the guide. */
export function DeviceForm({ device, at, locations, action, onDone, onCancel }: DeviceFormProps) {
  const texts = useTexts(locationsTexts);
  const { api } = useGateway();
  const { count } = useFormat();
  const { form, isBusy, failure, wasSent, submit, mistake, requiredMistake } = useForm();
  const [name, setName] = useState(device?.name ?? "");
  const [dId, setDId] = useState(device?.dId ?? "");
  const [locationId, setLocationId] = useState(device?.locationId ?? at?._id ?? "");
  const [rooms, setRooms] = useState<RoomsDraft>({ way: "range", first: "", count: "", list: "" });
  const location = locations.find(({ _id }) => _id === locationId);
  const roomList = roomsOfDraft(rooms);

  const send = async () => {
    const isReady =
      name.trim() !== "" &&
      (device !== null || (dId.trim() !== "" && location !== undefined && roomList.kind === "rooms"));
    const isDone = await submit(isReady, async () => {
      if (device !== null) return changeDevice(api, device.dId, changesOf(device, name.trim(), location));
      if (location === undefined || roomList.kind !== "rooms") return undefined;
      return addDevice(api, { dId: dId.trim(), name: name.trim(), location, rooms: roomList.rooms });
    });
    if (!isDone) return;
    const isRenamed = device !== null && (device.name !== name.trim() || device.locationId !== locationId);
    const text = [texts.savedDevice(name.trim()), ...(isRenamed ? [texts.oldNames] : [])].join(" ");
    onDone(text, dId.trim());
  };

  return (
    <Form form={form} onSubmit={send}>
      <TextField
        label={texts.deviceName}
        value={name}
        onValue={setName}
        isRequired
        hint={texts.deviceNameHint}
        mistake={requiredMistake("name", name)}
      />
      {device === null && (
        <TextField
          label={texts.dId}
          value={dId}
          onValue={setDId}
          isRequired
          hint={texts.dIdHint}
          mistake={requiredMistake("dId", dId, { unique: texts.mistakes.taken(dId.trim()) })}
        />
      )}
      <SelectField
        label={texts.location}
        value={locationId}
        choices={[
          ...(location === undefined ? [{ value: locationId, text: device?.locationName ?? "" }] : []),
          ...locations.map(({ _id, name: text }) => ({ value: _id, text })),
        ]}
        onValue={setLocationId}
        mistake={
          wasSent && device === null && location === undefined
            ? texts.mistakes.noLocation
            : mistake("locationId")
        }
      />
      {device === null ? (
        <RoomsField draft={rooms} onDraft={setRooms} wasSent={wasSent} />
      ) : (
        <p class="device-fixed">
          <span>
            {texts.rooms(count(device.actuators.length), device.actuators.length === 1)}:{" "}
            {briefRooms(roomsOf(device))}
          </span>
          <span class="soft">{texts.roomsFixed}</span>
        </p>
      )}
      <FormFailure
        failure={unplacedFailure(failure, SHOWN_FIELDS)}
        texts={{ [NOT_FOUND]: texts.mistakes.gone }}
      />
      <FormActions isBusy={isBusy} text={action} onCancel={onCancel} />
    </Form>
  );
}

/** Only what differs is sent: a location that is gone is not one to move to. */
function changesOf(device: Device, name: string, location: Location | undefined) {
  return {
    ...(name === device.name && location !== undefined && location._id !== device.locationId ? {} : { name }),
    ...(location === undefined || location._id === device.locationId ? {} : { locationId: location._id }),
  };
}

interface RoomsFieldProps {
  readonly draft: RoomsDraft;
  readonly onDraft: (draft: RoomsDraft) => void;
  /** Sending was tried: what is missing is said. */
  readonly wasSent: boolean;
}

/** The rooms of a new device: the first and how many, as they are numbered along a corridor, or a list. */
export function RoomsField({ draft, onDraft, wasSent }: RoomsFieldProps) {
  const texts = useTexts(locationsTexts);
  const { count } = useFormat();
  const set = (part: Partial<RoomsDraft>) => onDraft({ ...draft, ...part });
  const list = roomsOfDraft(draft);
  const mistake = mistakeText();
  const isCountWrong = list.kind === "too_many" || (list.kind === "none" && draft.first.trim() !== "");
  return (
    <div class="rooms-field">
      <p class="rooms-legend" aria-hidden="true">
        {texts.roomsLegend}
      </p>
      <Segments
        label={texts.roomsLegend}
        value={draft.way}
        choices={[
          { value: "range", text: texts.byRange },
          { value: "list", text: texts.byList },
        ]}
        onValue={(way) => set({ way: way === "list" ? "list" : "range" })}
      />
      {draft.way === "range" ? (
        <div class="rooms-range">
          <TextField
            label={texts.first}
            value={draft.first}
            onValue={(first) => set({ first })}
            isRequired
            mistake={isCountWrong ? undefined : mistake}
          />
          <TextField
            label={texts.count}
            value={draft.count}
            inputMode="numeric"
            onValue={(next) => set({ count: next })}
            isRequired
            mistake={isCountWrong ? mistake : undefined}
          />
        </div>
      ) : (
        <TextField
          label={texts.list}
          value={draft.list}
          onValue={(next) => set({ list: next })}
          isRequired
          hint={texts.listHint}
          mistake={mistake}
        />
      )}
      <p class="rooms-preview" role="status">
        {list.kind === "rooms" &&
          texts.preview(briefRooms(list.rooms), count(list.rooms.length), list.rooms.length === 1)}
      </p>
    </div>
  );

  /** Too many, twice: at once, for it does not mend itself by typing on. Missing: once it was sent. */
  function mistakeText(): string | undefined {
    const { mistakes } = texts;
    switch (list.kind) {
      case "rooms":
        return undefined;
      case "too_many":
        return draft.way === "range" && list.count > MAX_ROOMS
          ? mistakes.noCount
          : mistakes.manyRooms(count(list.count));
      case "twice":
        return mistakes.twice(list.room);
      case "no_number":
        return mistakes.noNumber;
      case "none":
        if (!wasSent) return undefined;
        return draft.way === "range" && draft.first.trim() !== "" ? mistakes.noCount : mistakes.noRooms;
    }
  }
}
