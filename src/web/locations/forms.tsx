import { useState } from "preact/hooks";
import { MAX_ACTUATORS } from "../../domain/device.ts";
import { type Api, type ApiFailure, FORBIDDEN, NOT_FOUND, UNREACHABLE } from "../api/api.ts";
import { roomsOf } from "../api/locations.ts";
import type { Body, Device, Location } from "../api/shapes.ts";
import { Segments, SelectField, TextField } from "../element/field.tsx";
import { Form, useForm } from "../element/form.tsx";
import { Notice } from "../element/notice.tsx";
import { useFormat, useGateway } from "../live/gateway.ts";
import { locationsTexts } from "../messages/locations.ts";
import { useTexts } from "../messages/use-language.ts";
import { briefRooms, type RoomsDraft, renamedRooms, roomsOfDraft } from "./rooms.ts";

interface DeviceFormProps {
  /** Null for a new one. */
  readonly device: Device | null;
  /** Where a new one goes at first. */
  readonly at?: Location | undefined;
  readonly locations: readonly Location[];
  /** The main button's text; "save" without it. */
  readonly action?: string;
  /** Gets what was done in words, and the device's number. */
  readonly onDone: (text: string, dId: string) => void;
}

/** Makes or changes a device, in a dialog or in the guide. */
export function DeviceForm({ device, at, locations, action, onDone }: DeviceFormProps) {
  const texts = useTexts(locationsTexts);
  const { api } = useGateway();
  const form = useForm({
    name: device?.name ?? "",
    dId: device?.dId ?? "",
    locationId: device?.locationId ?? at?._id ?? "",
  });
  const { locationId } = form.values;
  const name = form.values.name.trim();
  const dId = form.values.dId.trim();
  const [rooms, setRooms] = useState<RoomsDraft>({
    way: device === null ? "range" : "list",
    first: "",
    count: "",
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

  const send = () => {
    const isReady =
      name !== "" && roomList.kind === "rooms" && (device !== null || (dId !== "" && location !== undefined));
    return form.submit(isReady, async () => {
      if (roomList.kind !== "rooms") return;
      if (device !== null) {
        const added = await roomsAddedSince(device, api);
        const changes = {
          ...changesOf(device, name, location, roomList.rooms, added),
          ...(renamed.length > 0 ? { renamedRooms: renamed } : {}),
        };
        await api.send("patch", "/api/device", { device: changes }, { dId: device.dId });
      } else if (location !== undefined) {
        const actuators = roomList.rooms.map((id) => ({ id, value: false }));
        const place = { locationId: location._id, locationName: location.name };
        const isSent = async () =>
          (await api.data("/api/device")).some(
            (one) => one.dId === dId && one.name === name && one.locationId === location._id,
          );
        if (!(await isMade(form.failure, isSent)))
          await api.send("post", "/api/device", { newDevice: { dId, name, ...place, actuators } });
      }
      const isRenamed = device !== null && (device.name !== name || device.locationId !== locationId);
      onDone([texts.savedDevice(name), ...(isRenamed ? [texts.oldNames] : [])].join(" "), dId);
    });
  };

  return (
    <Form form={form} onSubmit={send} failures={{ [NOT_FOUND]: texts.mistakes.gone }} action={action}>
      <TextField label={texts.deviceName} hint={texts.deviceNameHint} {...form.required("name")} />
      {device === null && (
        <TextField
          label={texts.dId}
          hint={texts.dIdHint}
          {...form.required("dId", { unique: texts.mistakes.taken(dId) })}
        />
      )}
      <SelectField
        label={texts.location}
        {...form.checked("locationId", device !== null || location !== undefined, texts.mistakes.noLocation)}
        choices={[
          ...(location === undefined ? [{ value: locationId, text: device?.locationName ?? "" }] : []),
          ...locations.map(({ _id, name: text }) => ({ value: _id, text })),
        ]}
      />
      <RoomsField draft={rooms} onDraft={setRooms} wasSent={form.wasSent} isNew={device === null} />
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
    </Form>
  );
}

/** Rooms that somebody else gave the device while the form was open: were they left out, their lines would record no more sales. */
async function roomsAddedSince(device: Device, api: Api): Promise<readonly string[]> {
  const known = roomsOf(device);
  const current = (await api.data("/api/device")).find(({ _id }) => _id === device._id);
  return current === undefined ? [] : roomsOf(current).filter((room) => !known.includes(room));
}

/** Whether it `isThere`, where the answer to the last try was lost: sent again it would be made twice, or be refused. */
async function isMade(lastFailure: ApiFailure | null, isThere: () => Promise<boolean>): Promise<boolean> {
  return lastFailure?.status === UNREACHABLE && (await isThere());
}

/** Only what differs is sent: a location that is gone is not one to move to. `added`: rooms that stay too. */
function changesOf(
  device: Device,
  name: string,
  location: Location | undefined,
  rooms: readonly string[],
  added: readonly string[],
): Body<"patch", "/api/device">["device"] {
  const isMoved = location !== undefined && location._id !== device.locationId;
  const isRearranged = roomsOf(device).join("\n") !== rooms.join("\n");
  return {
    ...(name === device.name && (isMoved || isRearranged) ? {} : { name }),
    ...(isMoved ? { locationId: location._id } : {}),
    ...(isRearranged ? { rooms: [...new Set([...rooms, ...added])] } : {}),
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
    <div class="stack">
      <p class="label" aria-hidden="true">
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
          onValue={(way) => set({ way })}
        />
      )}
      {draft.way === "range" ? (
        <div class="fields">
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
      <p class="rooms-preview soft" role="status">
        {list.kind === "rooms" && texts.preview(briefRooms(list.rooms), count(list.rooms.length))}
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
        return draft.way === "range" && list.count > MAX_ACTUATORS
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
}

/** Makes or changes a location, in a dialog or in the guide. */
export function LocationForm({ location, action, onDone }: LocationFormProps) {
  const texts = useTexts(locationsTexts);
  const { api } = useGateway();
  const form = useForm({ name: location?.name ?? "", description: location?.description ?? "" });

  const send = () => {
    const draft = { name: form.values.name.trim(), description: form.values.description.trim() };
    return form.submit(draft.name !== "", async () => {
      const isSent = async () =>
        (await api.data("/api/location")).some(
          ({ name, description }) => name === draft.name && description === draft.description,
        );
      if (location !== null)
        await api.send("patch", "/api/location", { location: draft }, { locationId: location._id });
      else if (!(await isMade(form.failure, isSent)))
        await api.send("post", "/api/location", { location: draft });
      const isRenamed = location !== null && location.name !== draft.name;
      onDone([texts.savedLocation(draft.name), ...(isRenamed ? [texts.oldNames] : [])].join(" "));
    });
  };

  return (
    <Form
      form={form}
      onSubmit={send}
      failures={{ [NOT_FOUND]: texts.mistakes.gone, [FORBIDDEN]: texts.mistakes.notRenamed }}
      action={action}
    >
      <TextField label={texts.name} hint={texts.locationNameHint} {...form.required("name")} />
      <TextField
        label={texts.description}
        {...form.field("description", { length: texts.mistakes.longDescription })}
      />
    </Form>
  );
}
