import { useId } from "preact/hooks";
import { type Locations, loadLocations, roomsOf } from "../api/locations.ts";
import type { Device, Location } from "../api/shapes.ts";
import { Button } from "../element/button.tsx";
import { Confirm, Dialog, useWork } from "../element/dialog.tsx";
import { DoneNote, FailedPanel, NothingPanel } from "../element/notice.tsx";
import { ViewFrame } from "../frame/view.tsx";
import { useFormat, useGateway } from "../live/gateway.ts";
import { useLoaded } from "../live/use-loaded.ts";
import { locationsTexts } from "../messages/locations.ts";
import { useTexts } from "../messages/use-language.ts";
import { DeviceForm, LocationForm } from "./forms.tsx";
import { briefRooms, locationsInOrder } from "./rooms.ts";

type LocationWork =
  /** Null for a new one. */
  | { readonly kind: "location"; readonly location: Location | null }
  | { readonly kind: "remove_location"; readonly location: Location; readonly devices: number }
  /** Null for a new one, which goes to a location at first. */
  | { readonly kind: "device"; readonly device: Device | null; readonly at?: Location }
  | { readonly kind: "remove_device"; readonly device: Device };

/** Locations with their devices: made, named and taken away here. */
export function LocationsView() {
  const texts = useTexts(locationsTexts);
  const { user } = useGateway();
  const loaded = useLoaded(loadLocations, "", ["locations"]);
  const { work, done, begin, finish } = useWork<LocationWork>(loaded.reload);
  const known = loaded.value;
  return (
    <ViewFrame
      title={texts.title}
      intro={user.serves === "company" ? texts.companyIntro : texts.intro}
      actions={
        user.serves === "gateway" && (
          <Button kind="main" icon="plus" onPress={() => begin({ kind: "location", location: null })}>
            {texts.addLocation}
          </Button>
        )
      }
    >
      <DoneNote text={done} />
      <FailedPanel of={loaded} />
      {known !== undefined && <LocationList locations={known} onWork={begin} />}
      {work !== null && known !== undefined && (
        <Work work={work} locations={known} onDone={finish} onClose={() => begin(null)} />
      )}
    </ViewFrame>
  );
}

interface LocationListProps {
  readonly locations: Locations;
  readonly onWork: (work: LocationWork) => void;
}

function LocationList({ locations, onWork }: LocationListProps) {
  const texts = useTexts(locationsTexts);
  const { user, format } = useGateway();
  const { groups, elsewhere } = locationsInOrder(locations, format.compare);
  if (groups.length === 0 && elsewhere.length === 0) {
    return (
      <NothingPanel title={texts.none} detail={user.serves === "company" ? "" : texts.noneDetail}>
        {user.serves === "gateway" && (
          <Button kind="main" icon="plus" onPress={() => onWork({ kind: "location", location: null })}>
            {texts.addLocation}
          </Button>
        )}
      </NothingPanel>
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
  switch (work.kind) {
    case "location": {
      const { location } = work;
      const [title, action] =
        location === null ? [texts.locationTitle, texts.create] : [texts.locationChangeTitle];
      return (
        <Dialog title={title} onClose={onClose}>
          <LocationForm location={location} action={action} onDone={onDone} />
        </Dialog>
      );
    }
    case "device": {
      const { device, at } = work;
      const [title, action] = device === null ? [texts.deviceTitle, texts.create] : [texts.deviceChangeTitle];
      return (
        <Dialog title={title} onClose={onClose}>
          <DeviceForm device={device} at={at} locations={locations} action={action} onDone={onDone} />
        </Dialog>
      );
    }
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
          onConfirm={() => api.remove("/api/location", { locationId: location._id })}
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
          onConfirm={() => api.remove("/api/device", { dId: device.dId })}
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
          <h2 id={id} class="large">
            {location?.name ?? texts.elsewhere}
          </h2>
          {location?.description !== "" && (
            <p class="soft">{location?.description ?? texts.elsewhereDetail}</p>
          )}
        </div>
        {location !== null && (
          <ChangeButtons
            name={location.name}
            onChange={() => onWork({ kind: "location", location })}
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
          onPress={() => onWork({ kind: "device", device: null, at: location })}
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
        onChange={() => onWork({ kind: "device", device })}
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
