import { useEffect, useState } from "preact/hooks";
import { type Role, seesMoney } from "../../domain/member.ts";
import { choicesOf } from "../api/locations.ts";
import type { Device } from "../api/shapes.ts";
import { Segments, TextField } from "../element/field.tsx";
import { CloseProvider } from "../element/form.tsx";
import { NothingPanel, NotReadyPanel, Panel } from "../element/notice.tsx";
import { ViewFrame } from "../frame/view.tsx";
import { useFormat, useGateway, useLiveEvents } from "../live/gateway.ts";
import { useDevices, useLoaded, useTests, useToday } from "../live/use-loaded.ts";
import { isAt, type LocationFilter, roomsQuery } from "../locations/location-fields.tsx";
import { elementTexts } from "../messages/element.ts";
import { linesTexts } from "../messages/lines.ts";
import { locationsTexts } from "../messages/locations.ts";
import { panelTexts } from "../messages/panel.ts";
import { roomsTexts } from "../messages/rooms.ts";
import { useTexts } from "../messages/use-language.ts";
import { Link, useNavigation, useQuery } from "../navigation.tsx";
import { PanelFilters } from "../panel/panel-filters.tsx";
import { maySee } from "../route.ts";
import { PaidBar } from "./paid-bar.tsx";
import { RoomHistory } from "./room-history.tsx";
import { loadTallies, type RoomChanges, roomKey, roomTimes, type Tally } from "./rooms.ts";

type Room = Device["actuators"][number];
/** The roles that may wire a line. */
const WIRES: readonly Role[] = ["owner", "technician"];

const SHOWN_ROOMS = ["all", "onFirst", "on", "unwired"] as const;

/** From here on tiles are small, and rooms are searched for. */
const MANY_ROOMS = 24;
/** Beyond these a slow tablet has no time to draw since when each is on or off. */
const MOST_TIMES = 150;
const NOTHING_SOLD = { locations: [], devices: [], gone: [] };

export function RoomsView() {
  const texts = useTexts(roomsTexts);
  const { rooms: countText } = useTexts(locationsTexts);
  const { noneFiltered } = useTexts(panelTexts);
  const { format, status, self, reloadStatus, live } = useGateway();
  const withSales = seesMoney(self.role);
  const { leave, replace } = useNavigation();
  const query = useQuery();
  const [deviceId, roomId] = [query.get("device"), query.get("room")];
  const filter: LocationFilter = { location: query.get("location") ?? "", device: query.get("in") ?? "" };
  const setFilter = useKeptPlace(filter, (next) => replace("rooms", roomsQuery(next)));
  const known = useDevices();
  const changes = useRoomChanges();
  const [shownRooms, setShownRooms] = useState<(typeof SHOWN_ROOMS)[number]>("all");
  const [search, setSearch] = useState("");
  // The status has the edges from before this view was opened.
  useEffect(reloadStatus, [reloadStatus]);
  const all = known.value;
  const devices = all?.filter((device) => isAt(filter, device));
  const choices = choicesOf(
    NOTHING_SOLD,
    { locations: all?.map(({ locationName }) => locationName) ?? [], devices: all ?? [] },
    format.compare,
  );
  const today = useLoaded(loadTallies, useToday(), ["record", "void", "time", "paid", "locations"]);
  const edges = status.value?.lastEdges ?? [];
  const times = roomTimes(devices ?? [], changes, edges);
  // Tiles appear with their sales: nothing in them moves afterwards.
  const isComplete = today.kind !== "waiting";
  const tallies = today.value;
  const tested = new Set(useTests().map((test) => roomKey(test.deviceId, test.room)));
  const isUnwired = (device: Device, room: Room) => {
    const tally = tallies?.get(roomKey(device._id, room.id));
    return tally?.line === null && !tally.withoutLine;
  };
  const count = (isIt: (device: Device, room: Room) => boolean) =>
    (devices ?? []).flatMap((device) => device.actuators.filter((room) => isIt(device, room))).length;
  const unwired = count(isUnwired);
  const roomCount = count(() => true);
  const isMany = roomCount > MANY_ROOMS;
  // The last room without a line may have got one.
  const which = shownRooms === "unwired" && unwired === 0 ? "all" : shownRooms;
  const offered = SHOWN_ROOMS.filter((one) =>
    one === "onFirst" ? isMany : one !== "unwired" || unwired > 0,
  );
  const names = { ...texts.names, unwired: texts.unwired(format.count(unwired)) };
  const isShown = (device: Device, room: Room) =>
    (which === "on" ? room.value : which !== "unwired" || isUnwired(device, room)) &&
    room.id.toLowerCase().includes(search.trim().toLowerCase());
  const found = count(isShown);
  const onFirst = <T,>(all: readonly T[], isOn: (one: T) => boolean) =>
    which === "onFirst" ? [...all.filter(isOn), ...all.filter((one) => !isOn(one))] : all;
  const shown = onFirst(
    inOrder((isComplete && devices) || [], format.compare)
      .map((device) => ({
        device,
        rooms: onFirst(
          device.actuators.filter((room) => isShown(device, room)),
          ({ value }) => value,
        ),
      }))
      .filter(({ rooms }) => rooms.length > 0),
    ({ rooms }) => rooms.some(({ value }) => value),
  );

  return (
    <ViewFrame
      title={texts.title}
      actions={
        <Segments
          label={texts.show}
          value={which}
          choices={offered.map((value) => ({ value, text: names[value] }))}
          onValue={setShownRooms}
        />
      }
    >
      <div class="rooms-search row">
        <PanelFilters choices={choices} filter={filter} onFilter={setFilter} />
        {isMany && (
          <>
            <TextField label={texts.search} value={search} onValue={setSearch} />
            <p class="aloud" role="status">
              {isComplete && search.trim() !== "" && countText(format.count(found))}
            </p>
            {which === "unwired" && WIRES.includes(self.role) && (
              <Link to="lines" class="button">
                {texts.connectShort}
              </Link>
            )}
          </>
        )}
      </div>
      <NotReadyPanel of={known.kind === "ready" && !isComplete ? today : known} />
      {all?.length === 0 && (
        <NothingPanel title={texts.none} detail={texts.noneDetail}>
          {maySee(self, "guide") && (
            <Link to="guide" class="button button-main">
              {texts.add}
            </Link>
          )}
        </NothingPanel>
      )}
      {isComplete && devices?.length === 0 && all?.length !== 0 && (
        <NothingPanel title={texts.noneHere} detail={noneFiltered} />
      )}
      {isComplete && devices !== undefined && devices.length > 0 && shown.length === 0 && (
        <NothingPanel
          title={search.trim() === "" ? texts.noneOn : texts.noMatch}
          detail={search.trim() === "" ? texts.noneOnDetail : texts.noMatchDetail}
        />
      )}
      <div class={isMany ? "rooms-many fields" : "rooms-few column"}>
        {shown.map(({ device, rooms }) => (
          <DeviceRooms
            key={device._id}
            device={device}
            rooms={rooms}
            known={{ times, tallies, tested, isMany, hasTimes: roomCount <= MOST_TIMES, filter }}
            isOld={live === "lost"}
          />
        ))}
      </div>
      {devices !== undefined && withSales && deviceId !== null && roomId !== null && (
        <CloseProvider value={() => leave("rooms", roomsQuery(filter))}>
          <RoomHistory
            key={`${deviceId}/${roomId}`}
            deviceId={deviceId}
            roomId={roomId}
            devices={all ?? []}
            times={times}
            tallies={tallies}
          />
        </CloseProvider>
      )}
    </ViewFrame>
  );
}

/** By location, then by name, numbers by their value. */
function inOrder(devices: readonly Device[], compare: (a: string, b: string) => number): readonly Device[] {
  return [...devices].sort((a, b) => compare(a.locationName, b.locationName) || compare(a.name, b.name));
}

/** What is known of rooms, by their keys, and how they are shown. */
interface KnownRooms {
  /** Since when each is on or off; one of which that is unknown is absent. */
  readonly times: ReadonlyMap<string, number>;
  /** What each sold today; undefined while that is not known. */
  readonly tallies: ReadonlyMap<string, Tally> | undefined;
  /** Those under test, which count no sales. */
  readonly tested: ReadonlySet<string>;
  /** There are many rooms in all: their tiles are small, without the sales, which are in the room's history. */
  readonly isMany: boolean;
  readonly hasTimes: boolean;
  readonly filter: LocationFilter;
}

interface DeviceRoomsProps {
  readonly device: Device;
  readonly known: KnownRooms;
  /** Those of its rooms that are shown. */
  readonly rooms: readonly Room[];
  /** The connection is lost. */
  readonly isOld: boolean;
}

/** One device: a corridor, say, and the rooms along it. */
function DeviceRooms({ device, known, rooms, isOld }: DeviceRoomsProps) {
  const texts = useTexts(roomsTexts);
  const { count } = useFormat();
  const on = device.actuators.filter((room) => room.value).length;
  return (
    <Panel
      class="device"
      title={
        <>
          {device.name} <span class="soft fine">{device.locationName}</span>
        </>
      }
      beside={
        <p class={on > 0 ? "tag is-warn" : "tag"}>{texts.count(count(on), count(device.actuators.length))}</p>
      }
    >
      <ul class={`tiles fields${known.isMany ? " tiles-many" : ""}${isOld ? " tiles-stale" : ""}`}>
        {rooms.map((room) => (
          <RoomTile key={room.id} deviceId={device._id} room={room} known={known} />
        ))}
      </ul>
    </Panel>
  );
}

interface RoomTileProps extends Pick<DeviceRoomsProps, "known"> {
  readonly deviceId: string;
  readonly room: Room;
}

/** One room: lit while it is on, dashed where it has no line. It leads to the room's history where the role may see it. */
function RoomTile({ deviceId, room, known }: RoomTileProps) {
  const { times, tallies, tested, isMany, hasTimes, filter } = known;
  const texts = useTexts(roomsTexts);
  const { on, off } = useTexts(elementTexts);
  const { underTest } = useTexts(linesTexts);
  const { self, format, now } = useGateway();
  const key = roomKey(deviceId, room.id);
  const tally = tallies?.get(key);
  const sinceMs = times.get(key);
  const sales = tally?.sales ?? null;
  const isUnwired = tally?.line === null;
  const isOn = room.value && !isUnwired;
  const stateText = isUnwired ? texts.noLine : isOn ? on : off;
  const content = (
    <>
      <span class="tile-room" title={room.id}>
        <span class="aloud">{texts.name("")}</span>
        {room.id}
      </span>
      <span class="tile-state beside">
        <span class="dot" aria-hidden="true" />
        {tested.has(key) ? (
          <>
            <span class="aloud">{isOn ? on : off}, </span>
            {underTest}
          </>
        ) : (
          stateText
        )}
      </span>
      {hasTimes && (
        <span class={isMany ? "tile-since clip" : "tile-since"}>
          {isUnwired && !isMany && (tally.withoutLine ? texts.onPurpose : texts.noLineDetail)}
          {!isUnwired && sinceMs !== undefined && (
            <time dateTime={format.iso(sinceMs)}>{texts.since(format.moment(sinceMs, now()))}</time>
          )}
        </span>
      )}
      {tally?.paid != null && <PaidBar key={`${tally.paid.from} ${tally.paid.until}`} paid={tally.paid} />}
      {!isMany && (
        <span class="tile-today words spread">
          {sales !== null && (!isUnwired || sales > 0) && (
            <>
              <span>{texts.today(format.count(sales))}</span>{" "}
              {sales > 0 && <b>{format.money(tally?.revenue ?? 0)}</b>}
            </>
          )}
        </span>
      )}
    </>
  );
  return (
    <li class={`tile${isOn ? " tile-on" : ""}${isUnwired ? " tile-unwired" : ""}`}>
      {seesMoney(self.role) ? (
        <Link to="rooms" query={{ ...roomsQuery(filter), device: deviceId, room: room.id }} class="tile-link">
          {content}
        </Link>
      ) : (
        <div class="tile-link">{content}</div>
      )}
      {isUnwired && !isMany && !tally.withoutLine && WIRES.includes(self.role) && (
        <Link to="lines" class="button button-quiet" label={texts.connect(room.id)}>
          {texts.connectShort}
        </Link>
      )}
    </li>
  );
}

const PLACE_KEY = "flanco.rooms";

/**
 * A screen on a wall shows the place that was chosen on it last, also after it was switched off. Gives the
 * function that sets the filter. The browsers of people begin with all rooms.
 */
function useKeptPlace(filter: LocationFilter, onFilter: (filter: LocationFilter) => void) {
  const isScreen = useGateway().self.role === "display";
  const set = (next: LocationFilter) => {
    if (isScreen) keepPlace(next);
    onFilter(next);
  };
  useEffect(() => {
    if (!isScreen) return;
    // An address with a place is somebody's choice: it is kept too.
    if (filter.location !== "" || filter.device !== "") keepPlace(filter);
    else onFilter(keptPlace());
  }, [isScreen]);
  return set;
}

function keepPlace(place: LocationFilter): void {
  try {
    localStorage.setItem(PLACE_KEY, JSON.stringify(place));
  } catch {
    // A browser that keeps nothing for this site: the address still has it.
  }
}

function keptPlace(): LocationFilter {
  try {
    const kept = JSON.parse(localStorage.getItem(PLACE_KEY) ?? "{}") as Partial<LocationFilter>;
    return { location: String(kept.location ?? ""), device: String(kept.device ?? "") };
  } catch {
    return { location: "", device: "" };
  }
}

/** The rooms that were switched since the component came. */
function useRoomChanges(): RoomChanges {
  const [changes, setChanges] = useState<RoomChanges>(new Map());
  useLiveEvents((event) => {
    if (event.kind !== "actuator") return;
    const { deviceId, actuatorId } = event.data;
    setChanges((before) => new Map(before).set(roomKey(deviceId, actuatorId), event.data));
  });
  return changes;
}
