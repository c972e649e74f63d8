import { useId, useState } from "preact/hooks";
import { type Locations, loadLocations, removeDevice, removeLocation, roomsOf } from "../api/locations.ts";
import type { Device, Location } from "../api/shapes.ts";
import { Button } from "../element/button.tsx";
import { Confirm, Dialog } from "../element/dialog.tsx";
import { FailedPanel, Nothing } from "../element/notice.tsx";
import { ViewFrame } from "../frame/view.tsx";
import { useFormat, useGateway } from "../live/gateway.ts";
import { readyValue } from "../live/loading.ts";
import { useLoaded } from "../live/use-loaded.ts";
import { locationsTexts } from "../messages/locations.ts";
import { useTexts } from "../messages/use-language.ts";
import { DeviceForm, LocationForm } from "./forms.tsx";
import { briefRooms, locationsInOrder } from "./rooms.ts";

/** What is being done: one dialog at a time. */
type LocationWork =
  | { readonly kind: "add_location" }
  | { readonly kind: "change_location"; readonly location: Location }
  | { readonly kind: "remove_location"; readonly location: Location; readonly devices: number }
  | { readonly kind: "add_device"; readonly location: Location }
  | { readonly kind: "change_device"; readonly device: Device }
  | { readonly kind: "remove_device"; readonly device: Device };

/** Locations with their devices: made, named and taken away here. */
export function LocationsView() {
  const texts = useTexts(locationsTexts);
  const { compare } = useFormat();
  const { user } = useGateway();
  const { part, reload } = useLoaded(loadLocations, "", ["locations"]);
  const [work, setWork] = useState<LocationWork | null>(null);
  const [done, setDone] = useState("");
  const known = readyValue(part);
  const finish = (text: string) => {
    setWork(null);
    setDone(text);
    reload();
  };
  const begin = (next: LocationWork) => {
    setDone("");
    setWork(next);
  };
  return (
    <ViewFrame
      title={texts.title}
      intro={user.serves === "company" ? texts.companyIntro : texts.intro}
      actions={
        user.serves === "gateway" && (
          <Button kind="main" icon="plus" onPress={() => begin({ kind: "add_location" })}>
            {texts.addLocation}
          </Button>
        )
      }
    >
      <p class={done === "" ? "aloud" : "done-note"} role="status">
        {done}
      </p>
      <FailedPanel part={part} onRetry={reload} />
      {known !== undefined && <LocationList locations={known} compare={compare} onWork={begin} />}
      {work !== null && known !== undefined && (
        <Work work={work} locations={known} onDone={finish} onClose={() => setWork(null)} />
      )}
    </ViewFrame>
  );
}

interface LocationListProps {
  readonly locations: Locations;
  readonly compare: (one: string, other: string) => number;
  readonly onWork: (work: LocationWork) => void;
}

function LocationList({ locations, compare, onWork }: LocationListProps) {
  const texts = useTexts(locationsTexts);
  const { user } = useGateway();
  const { groups, elsewhere } = locationsInOrder(locations, compare);
  if (groups.length === 0 && elsewhere.length === 0) {
    return (
      <section class="panel">
        <Nothing title={texts.none} detail={user.serves === "company" ? "" : texts.noneDetail}>
          {user.serves === "gateway" && (
            <Button kind="main" icon="plus" onPress={() => onWork({ kind: "add_location" })}>
              {texts.addLocation}
            </Button>
          )}
        </Nothing>
      </section>
    );
  }
  return (
    <>
      {groups.map(({ location, devices }) => (
        <LocationCard key={location._id} location={location} devices={devices} onWork={onWork} />
      ))}
      {elsewhere.length > 0 && <LocationCard location={null} devices={elsewhere} onWork={onWork} />}
    </>
  );
}

interface WorkProps {
  readonly work: LocationWork;
  readonly locations: Locations;
  readonly onDone: (text: string) => void;
  readonly onClose: () => void;
}

function Work({ work, locations: { locations }, onDone, onClose }: WorkProps) {
  const texts = useTexts(locationsTexts);
  const { api } = useGateway();
  const { count } = useFormat();
  const shared = { locations, onDone, onCancel: onClose };
  switch (work.kind) {
    case "add_location":
      return (
        <Dialog title={texts.locationTitle} onClose={onClose}>
          <LocationForm location={null} action={texts.create} {...shared} />
        </Dialog>
      );
    case "change_location":
      return (
        <Dialog title={texts.locationChangeTitle} onClose={onClose}>
          <LocationForm location={work.location} {...shared} />
        </Dialog>
      );
    case "add_device":
      return (
        <Dialog title={texts.deviceTitle} onClose={onClose}>
          <DeviceForm device={null} at={work.location} action={texts.create} {...shared} />
        </Dialog>
      );
    case "change_device":
      return (
        <Dialog title={texts.deviceChangeTitle} onClose={onClose}>
          <DeviceForm device={work.device} at={undefined} {...shared} />
        </Dialog>
      );
    case "remove_location": {
      const { location, devices } = work;
      return (
        <Confirm
          title={texts.removeLocationTitle(location.name)}
          action={texts.removeOf(location.name)}
          busyText={texts.removing}
          meaning={[
            texts.removeLocationKept,
            ...(devices > 0 ? [texts.removeLocationDevices(count(devices), devices === 1)] : []),
            texts.removeForGood,
          ]}
          onConfirm={() => removeLocation(api, location._id)}
          onDone={() => onDone(texts.removed(location.name))}
          onClose={onClose}
        />
      );
    }
    case "remove_device": {
      const { device } = work;
      return (
        <Confirm
          title={texts.removeDeviceTitle(device.name)}
          action={texts.removeOf(device.name)}
          busyText={texts.removing}
          meaning={[
            texts.removeDeviceKept,
            texts.removeDeviceStops,
            texts.removeDeviceRooms(briefRooms(roomsOf(device))),
            texts.removeForGood,
          ]}
          onConfirm={() => removeDevice(api, device.dId)}
          onDone={() => onDone(texts.removed(device.name))}
          onClose={onClose}
        />
      );
    }
  }
}

interface LocationCardProps {
  /** Null for the devices of no known location. */
  readonly location: Location | null;
  readonly devices: readonly Device[];
  readonly onWork: (work: LocationWork) => void;
}

function LocationCard({ location, devices, onWork }: LocationCardProps) {
  const texts = useTexts(locationsTexts);
  const { user } = useGateway();
  const id = useId();
  return (
    <section class="panel location" aria-labelledby={id}>
      <header class="location-head">
        <div class="location-name">
          <h2 id={id}>{location?.name ?? texts.elsewhere}</h2>
          {location?.description !== "" && (
            <p class="soft">{location?.description ?? texts.elsewhereDetail}</p>
          )}
        </div>
        {location !== null && (
          <ChangeButtons
            name={location.name}
            onChange={() => onWork({ kind: "change_location", location })}
            onRemove={() => onWork({ kind: "remove_location", location, devices: devices.length })}
          />
        )}
      </header>
      {devices.length === 0 ? (
        <p class="soft">{texts.noDevices}</p>
      ) : (
        <ul class="device-list">
          {devices.map((device) => (
            <DeviceRow key={device._id} device={device} onWork={onWork} />
          ))}
        </ul>
      )}
      {location !== null && user.serves === "gateway" && (
        <Button
          icon="plus"
          label={texts.addDeviceAt(location.name)}
          onPress={() => onWork({ kind: "add_device", location })}
        >
          {texts.addDevice}
        </Button>
      )}
    </section>
  );
}

interface DeviceRowProps {
  readonly device: Device;
  readonly onWork: (work: LocationWork) => void;
}

function DeviceRow({ device, onWork }: DeviceRowProps) {
  const texts = useTexts(locationsTexts);
  const { count } = useFormat();
  return (
    <li class="device-row">
      <div class="device-name words">
        <h3>{device.name}</h3>
        <span class="soft">{texts.number(device.dId)}</span>
      </div>
      {device.actuators.length > 0 && (
        <p class="device-rooms words">
          <span class="soft">
            {texts.rooms(count(device.actuators.length), device.actuators.length === 1)}
          </span>
          <span>{briefRooms(roomsOf(device))}</span>
        </p>
      )}
      <ChangeButtons
        name={device.name}
        onChange={() => onWork({ kind: "change_device", device })}
        onRemove={() => onWork({ kind: "remove_device", device })}
      />
    </li>
  );
}

interface ChangeButtonsProps {
  readonly name: string;
  readonly onChange: () => void;
  readonly onRemove: () => void;
}

function ChangeButtons({ name, onChange, onRemove }: ChangeButtonsProps) {
  const texts = useTexts(locationsTexts);
  const { user } = useGateway();
  if (user.serves === "company") return null;
  return (
    <div class="location-actions">
      <Button kind="quiet" icon="edit" label={texts.changeOf(name)} onPress={onChange} />
      <Button kind="quiet" icon="remove" label={texts.removeOf(name)} onPress={onRemove} />
    </div>
  );
}
