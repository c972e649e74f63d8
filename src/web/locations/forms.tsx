import { useState } from "preact/hooks";
import { NOT_FOUND } from "../api/api.ts";
import { addDevice, addLocation, changeDevice, changeLocation, roomsOf } from "../api/locations.ts";
import type { Device, Location } from "../api/shapes.ts";
import { Segments, SelectField, TextField } from "../element/field.tsx";
import { Form, FormActions, FormFailure, useForm } from "../element/form.tsx";
import { unplacedFailure } from "../element/mistake.ts";
import { Notice } from "../element/notice.tsx";
import { useFormat, useGateway } from "../live/gateway.ts";
import { locationsTexts } from "../messages/locations.ts";
import { useTexts } from "../messages/use-language.ts";
import { briefRooms, MAX_ROOMS, type RoomsDraft, renamedRooms, roomsOfDraft } from "./rooms.ts";

interface DeviceFormProps {
  /** Null for a new one. */
  readonly device: Device | null;
  /** Where a new one goes at first. */
  readonly at: Location | undefined;
  readonly locations: readonly Location[];
  /** The main button's text; "save" without it. */
  readonly action?: string;
  /** Gets what was done in words, and the device's number. */
  readonly onDone: (text: string, dId: string) => void;
  /** Undefined where there is nothing to go back to. */
  readonly onCancel?: () => void;
}

const DEVICE_FIELDS = ["name", "dId", "locationId"] as const;

/** Makes or changes a device, in a dialog or in the guide. */
export function DeviceForm({ device, at, locations, action, onDone, onCancel }: DeviceFormProps) {
  const texts = useTexts(locationsTexts);
  const { api } = useGateway();
  const { form, isBusy, failure, wasSent, submit, mistake, requiredMistake } = useForm();
  const [name, setName] = useState(device?.name ?? "");
  const [dId, setDId] = useState(device?.dId ?? "");
  const [locationId, setLocationId] = useState(device?.locationId ?? at?._id ?? "");
  const [rooms, setRooms] = useState<RoomsDraft>({
    ...{ way: device === null ? "range" : "list", first: "", count: "" },
    list: device === null ? "" : roomsOf(device).join(", "),
  });
  const location = locations.find(({ _id }) => _id === locationId);
  const roomList = roomsOfDraft(rooms);
  const [isSame, setIsSame] = useState(true);
  const [before, after] =
    device === null || roomList.kind !== "rooms" ? [[], []] : [roomsOf(device), roomList.rooms];
  const others = renamedRooms(before, after);
  const renamed = isSame ? others : [];
  const removed = before.filter(
    (room) => !after.includes(room) && !renamed.some(({ from }) => from === room),
  );

  const send = async () => {
    const isReady =
      name.trim() !== "" &&
      roomList.kind === "rooms" &&
      (device !== null || (dId.trim() !== "" && location !== undefined));
    const isDone = await submit(isReady, async () => {
      if (roomList.kind !== "rooms") return undefined;
      if (device !== null) {
        return changeDevice(api, device.dId, {
          ...changesOf(device, name.trim(), location, roomList.rooms),
          ...(renamed.length > 0 ? { renamedRooms: renamed } : {}),
        });
      }
      if (location === undefined) return undefined;
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
      <RoomsField draft={rooms} onDraft={setRooms} wasSent={wasSent} isNew={device === null} />
      {others.length > 0 && (
        <Notice
          kind="info"
          title={texts.otherNames(others.map(({ from, to }) => `${from} → ${to}`).join(", "))}
        >
          <Segments
            label={texts.areSame}
            value={isSame ? "same" : "other"}
            choices={[
              { value: "same", text: texts.sameRooms },
              { value: "other", text: texts.otherRooms },
            ]}
            onValue={(value) => setIsSame(value === "same")}
          />
          {isSame && <p>{texts.sameRoomsDetail}</p>}
        </Notice>
      )}
      {removed.length > 0 && (
        <Notice kind="warn" title={texts.roomsRemoved(removed.join(", "))}>
          <p>{texts.roomsRemovedDetail}</p>
        </Notice>
      )}
      <FormFailure
        failure={unplacedFailure(failure, DEVICE_FIELDS)}
        texts={{ [NOT_FOUND]: texts.mistakes.gone }}
      />
      <FormActions isBusy={isBusy} text={action} onCancel={onCancel} />
    </Form>
  );
}

/** Only what differs is sent: a location that is gone is not one to move to. */
function changesOf(
  device: Device,
  name: string,
  location: Location | undefined,
  rooms: readonly string[],
): Parameters<typeof changeDevice>[2] {
  const isMoved = location !== undefined && location._id !== device.locationId;
  const isRearranged = roomsOf(device).join("\n") !== rooms.join("\n");
  return {
    ...(name === device.name && (isMoved || isRearranged) ? {} : { name }),
    ...(isMoved ? { locationId: location._id } : {}),
    ...(isRearranged ? { rooms } : {}),
  };
}

interface RoomsFieldProps {
  readonly draft: RoomsDraft;
  readonly onDraft: (draft: RoomsDraft) => void;
  /** Sending was tried: what is missing is said. */
  readonly wasSent: boolean;
  /** Of a new device; those of a known one are a list. */
  readonly isNew: boolean;
}

/** The rooms of a new device: the first and how many, as they are numbered along a corridor, or a list. */
function RoomsField({ draft, onDraft, wasSent, isNew }: RoomsFieldProps) {
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
      {isNew && (
        <Segments
          label={texts.roomsLegend}
          value={draft.way}
          choices={[
            { value: "range", text: texts.byRange },
            { value: "list", text: texts.byList },
          ]}
          onValue={(way) => set({ way: way === "list" ? "list" : "range" })}
        />
      )}
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
          hint={isNew ? texts.listHint : texts.listChangeHint}
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

interface LocationFormProps {
  /** Null for a new one. */
  readonly location: Location | null;
  /** The main button's text; "save" without it. */
  readonly action?: string;
  readonly onDone: (text: string) => void;
  /** Undefined where there is nothing to go back to. */
  readonly onCancel?: () => void;
}

const LOCATION_FIELDS = ["name", "description"] as const;

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
        failure={unplacedFailure(failure, LOCATION_FIELDS)}
        texts={{ [NOT_FOUND]: texts.mistakes.gone }}
      />
      <FormActions isBusy={isBusy} text={action} onCancel={onCancel} />
    </Form>
  );
}
