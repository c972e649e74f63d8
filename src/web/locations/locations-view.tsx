import type { ComponentChildren } from "preact";
import { type Locations, loadLocations, roomsOf } from "../api/locations.ts";
import type { Device, Location } from "../api/shapes.ts";
import { DataTable } from "../element/data-table.tsx";
import { Confirm, Dialog, DialogButton, useDialogs } from "../element/dialog.tsx";
import { NothingPanel, NotReadyPanel, Panel } from "../element/notice.tsx";
import { ViewFrame } from "../frame/view.tsx";
import { useGateway } from "../live/gateway.ts";
import { useLoaded } from "../live/use-loaded.ts";
import { locationsTexts } from "../messages/locations.ts";
import { useTexts } from "../messages/use-language.ts";
import { TermsButton } from "../settlement/terms-form.tsx";
import { DeviceForm, LocationForm } from "./forms.tsx";
import { briefRooms, locationsInOrder } from "./rooms.ts";

/** Locations with their devices: made, named and taken away here. */
export function LocationsView() {
  const texts = useTexts(locationsTexts);
  const { self } = useGateway();
  const isOfGateway = self.serves === "gateway";
  const loaded = useLoaded(loadLocations, "", ["locations"]);
  const known = loaded.value;
  return (
    <ViewFrame
      title={texts.title}
      intro={isOfGateway ? texts.intro : texts.companyIntro}
      actions={isOfGateway && self.locationIds === null && <AddLocation />}
    >
      <NotReadyPanel of={loaded} />
      {known !== undefined && <LocationList known={known} />}
    </ViewFrame>
  );
}

function AddLocation() {
  const texts = useTexts(locationsTexts);
  const { finish } = useDialogs();
  const add = (
    <Dialog title={texts.locationTitle}>
      <LocationForm location={null} action={texts.create} onDone={finish} />
    </Dialog>
  );
  return (
    <DialogButton kind="main" icon="plus" dialog={add}>
      {texts.addLocation}
    </DialogButton>
  );
}

function LocationList({ known }: { readonly known: Locations }) {
  const texts = useTexts(locationsTexts);
  const { self, format } = useGateway();
  const { locations } = known;
  const { groups, elsewhere } = locationsInOrder(known, format.compare);
  if (groups.length === 0 && elsewhere.length === 0) {
    return (
      <NothingPanel title={texts.none} detail={self.serves === "company" ? "" : texts.noneDetail}>
        {self.serves === "gateway" && self.locationIds === null && <AddLocation />}
      </NothingPanel>
    );
  }
  return (
    <>
      {groups.map(({ location, devices }) => (
        <LocationCard key={location._id} location={location} devices={devices} locations={locations} />
      ))}
      {elsewhere.length > 0 && <LocationCard location={null} devices={elsewhere} locations={locations} />}
    </>
  );
}

interface LocationCardProps {
  /** Null for the devices of no known location. */
  readonly location: Location | null;
  readonly devices: readonly Device[];
  /** All that there are: a device may move. */
  readonly locations: readonly Location[];
}

function LocationCard({ location, devices, locations }: LocationCardProps) {
  const texts = useTexts(locationsTexts);
  const { self, format } = useGateway();
  const isOfGateway = self.serves === "gateway";
  const { finish } = useDialogs();
  const name = location?.name ?? texts.elsewhere;
  const detail = location?.description ?? texts.elsewhereDetail;
  return (
    <Panel
      class="location column"
      title={name}
      beside={
        location !== null &&
        isOfGateway && (
          <span class="row-do">
            <LocationButtons location={location} devices={devices.length} />
          </span>
        )
      }
    >
      {detail !== "" && <p class="soft">{detail}</p>}
      {devices.length === 0 ? (
        <p class="soft">{texts.noDevices}</p>
      ) : (
        <DataTable
          caption={name}
          rows={devices}
          keyOf={({ _id }) => _id}
          columns={[
            { title: texts.device, isName: true, cell: (device) => device.name },
            { title: texts.shortNumber, class: "short", cell: ({ dId }) => dId },
            {
              title: texts.roomsLegend,
              cell: (device) => (
                <span class="words">
                  <span class="soft">{texts.rooms(format.count(device.actuators.length))}</span>
                  <span>{briefRooms(roomsOf(device))}</span>
                </span>
              ),
            },
          ]}
          actions={
            isOfGateway ? (device) => <DeviceButtons device={device} locations={locations} /> : undefined
          }
        />
      )}
      {location !== null && isOfGateway && self.role === "owner" && <TermsButton location={location} />}
      {location !== null && isOfGateway && (
        <DialogButton
          icon="plus"
          label={texts.addDeviceAt(location.name)}
          dialog={
            <Dialog title={texts.deviceTitle}>
              <DeviceForm
                device={null}
                at={location}
                locations={locations}
                action={texts.create}
                onDone={finish}
              />
            </Dialog>
          }
        >
          {texts.addDevice}
        </DialogButton>
      )}
    </Panel>
  );
}

interface LocationButtonsProps {
  readonly location: Location;
  /** How many it has. */
  readonly devices: number;
}

function LocationButtons({ location, devices }: LocationButtonsProps) {
  const texts = useTexts(locationsTexts);
  const { api, format } = useGateway();
  const { finish } = useDialogs();
  const { name, _id: locationId } = location;
  return (
    <ChangeButtons
      name={name}
      title={texts.locationChangeTitle}
      form={<LocationForm location={location} onDone={finish} />}
      removeTitle={texts.removeLocationTitle(name)}
      meaning={[
        texts.removeLocationKept,
        ...(devices > 0 ? [texts.removeLocationDevices(format.count(devices))] : []),
      ]}
      onRemove={() => api.remove("/api/location", { locationId })}
    />
  );
}

interface DeviceButtonsProps extends Pick<LocationCardProps, "locations"> {
  readonly device: Device;
}

function DeviceButtons({ device, locations }: DeviceButtonsProps) {
  const texts = useTexts(locationsTexts);
  const { api } = useGateway();
  const { finish } = useDialogs();
  const { name, dId } = device;
  return (
    <ChangeButtons
      name={name}
      title={texts.deviceChangeTitle}
      form={<DeviceForm device={device} locations={locations} onDone={finish} />}
      removeTitle={texts.removeDeviceTitle(name)}
      meaning={[
        texts.removeDeviceKept,
        texts.removeDeviceStops,
        texts.removeDeviceRooms(briefRooms(roomsOf(device))),
      ]}
      onRemove={() => api.remove("/api/device", { dId })}
    />
  );
}

interface ChangeButtonsProps {
  readonly name: string;
  /** Of the dialog with the form. */
  readonly title: string;
  readonly form: ComponentChildren;
  readonly removeTitle: string;
  /** What the removal means, besides that it is for good. */
  readonly meaning: readonly string[];
  readonly onRemove: () => Promise<void>;
}

/** The ways to change one of them, and to take it away. */
function ChangeButtons({ name, title, form, removeTitle, meaning, onRemove }: ChangeButtonsProps) {
  const texts = useTexts(locationsTexts);
  const { finish } = useDialogs();
  const change = <Dialog title={title}>{form}</Dialog>;
  const remove = (
    <Confirm
      title={removeTitle}
      action={texts.removeOf(name)}
      meaning={[...meaning, texts.removeForGood]}
      onConfirm={onRemove}
      onDone={() => finish(texts.removed(name))}
    />
  );
  return (
    <>
      <DialogButton kind="quiet" icon="edit" label={texts.changeOf(name)} dialog={change} />
      <DialogButton kind="quiet" icon="remove" label={texts.removeOf(name)} dialog={remove} />
    </>
  );
}
