import { useEffect, useId, useState } from "preact/hooks";
import { seesMoney } from "../../domain/member.ts";
import type { Device } from "../api/shapes.ts";
import { Segments } from "../element/field.tsx";
import { FailedPanel, Nothing } from "../element/notice.tsx";
import { ViewFrame } from "../frame/view.tsx";
import { useFormat, useGateway, useLiveEvents } from "../live/gateway.ts";
import { readyValue } from "../live/loading.ts";
import { useLoaded, useMinute } from "../live/use-loaded.ts";
import { elementTexts } from "../messages/element.ts";
import { roomsTexts } from "../messages/rooms.ts";
import { useTexts } from "../messages/use-language.ts";
import { Link, useNavigation, useQuery } from "../navigation.tsx";
import { addressOf } from "../route.ts";
import { RoomHistory } from "./room-history.tsx";
import { loadTallies, type RoomChanges, roomKey, roomTimes, type Tally } from "./rooms.ts";
import { useDevices } from "./use-devices.ts";

export function RoomsView() {
  const texts = useTexts(roomsTexts);
  const { format, now, status, user, reloadStatus } = useGateway();
  const withSales = seesMoney(user.role);
  const { part, reload } = useDevices();
  const changes = useRoomChanges();
  const [isOnlyOn, setOnlyOn] = useState(false);
  useMinute();
  // The status has the edges from before this view was opened.
  useEffect(reloadStatus, [reloadStatus]);
  const devices = readyValue(part);
  const day = format.day(now());
  const today = useLoaded((api) => loadTallies(api), day, ["record", "void", "time"]).part;
  const edges = readyValue(status)?.lastEdges ?? [];
  const times = roomTimes(devices ?? [], changes, edges);
  // Tiles appear with their sales: nothing in them moves afterwards.
  const isComplete = today.kind !== "waiting";
  const shown = inOrder((isComplete && devices) || [], format.compare).filter(
    (device) => !isOnlyOn || device.actuators.some((room) => room.value),
  );

  return (
    <ViewFrame
      title={texts.title}
      actions={
        <Segments
          label={texts.show}
          value={isOnlyOn ? "on" : "all"}
          choices={[
            { value: "all", text: texts.all },
            { value: "on", text: texts.onlyOn },
          ]}
          onValue={(value) => setOnlyOn(value === "on")}
        />
      }
    >
      <FailedPanel part={part} text={texts.failed} onRetry={reload} />
      {devices?.length === 0 && (
        <section class="panel">
          <Nothing title={texts.none} detail={texts.noneDetail}>
            <Link to={addressOf("guide")} class="button button-main">
              {texts.add}
            </Link>
          </Nothing>
        </section>
      )}
      {isComplete && devices !== undefined && devices.length > 0 && shown.length === 0 && (
        <section class="panel">
          <Nothing title={texts.noneOn} detail={texts.noneOnDetail} />
        </section>
      )}
      {shown.map((device) => (
        <DeviceRooms
          key={device._id}
          device={device}
          times={times}
          tallies={withSales ? readyValue(today) : undefined}
          isOnlyOn={isOnlyOn}
        />
      ))}
      {devices !== undefined && withSales && <ShownHistory devices={devices} times={times} />}
    </ViewFrame>
  );
}

interface ShownHistoryProps {
  readonly devices: readonly Device[];
  readonly times: ReadonlyMap<string, number>;
}

function ShownHistory({ devices, times }: ShownHistoryProps) {
  const query = useQuery();
  const { replace } = useNavigation();
  const deviceId = query.get("device");
  const room = query.get("room");
  if (deviceId === null || room === null) return null;
  return (
    <RoomHistory
      key={`${deviceId}/${room}`}
      deviceId={deviceId}
      roomId={room}
      device={devices.find((device) => device._id === deviceId)}
      times={times}
      onClose={() => replace(addressOf("rooms"))}
    />
  );
}

/** By location, then by name, numbers by their value. */
function inOrder(devices: readonly Device[], compare: (a: string, b: string) => number): readonly Device[] {
  return [...devices].sort((a, b) => compare(a.locationName, b.locationName) || compare(a.name, b.name));
}

interface DeviceRoomsProps {
  readonly device: Device;
  /** Room key to since when it is as it is. */
  readonly times: ReadonlyMap<string, number>;
  /** Room key to what it sold today; undefined while that is not known. */
  readonly tallies: ReadonlyMap<string, Tally> | undefined;
  readonly isOnlyOn: boolean;
}

const NOTHING: Tally = { sales: 0, revenue: 0 };

/** One device: a corridor, say, and the rooms along it. */
function DeviceRooms({ device, times, tallies, isOnlyOn }: DeviceRoomsProps) {
  const texts = useTexts(roomsTexts);
  const { count } = useFormat();
  const titleId = useId();
  const on = device.actuators.filter((room) => room.value).length;
  const rooms = isOnlyOn ? device.actuators.filter((room) => room.value) : device.actuators;
  return (
    <section class="panel device" aria-labelledby={titleId}>
      <header class="panel-head device-head">
        <h2 id={titleId}>
          {device.name} <span class="device-location fine">{device.locationName}</span>
        </h2>
        <p class={on > 0 ? "tag tag-warn" : "tag"}>
          {texts.count(count(on), count(device.actuators.length))}
        </p>
      </header>
      <ul class="tiles">
        {rooms.map((room) => {
          const key = roomKey(device._id, room.id);
          return (
            <RoomTile
              key={room.id}
              deviceId={device._id}
              room={room}
              sinceMs={times.get(key)}
              tally={tallies === undefined ? undefined : (tallies.get(key) ?? NOTHING)}
            />
          );
        })}
      </ul>
    </section>
  );
}

interface RoomTileProps {
  readonly deviceId: string;
  readonly room: Device["actuators"][number];
  /** When it was last switched; undefined while that is unknown. */
  readonly sinceMs: number | undefined;
  /** What it sold today; undefined while that is not known. */
  readonly tally: Tally | undefined;
}

/** One room: lit while it is on. It leads to the room's history where the role may see it. */
function RoomTile({ deviceId, room, sinceMs, tally }: RoomTileProps) {
  const texts = useTexts(roomsTexts);
  const { on, off } = useTexts(elementTexts);
  const { format, now, user } = useGateway();
  const content = (
    <>
      <span class="tile-room">
        <span class="aloud">{texts.name("")}</span>
        {room.id}
      </span>
      <span class="tile-state">
        <span class="tile-lamp" aria-hidden="true" />
        {room.value ? on : off}
      </span>
      <span class="tile-since">
        {sinceMs !== undefined && (
          <time dateTime={format.iso(sinceMs)}>{texts.since(format.moment(sinceMs, now()))}</time>
        )}
      </span>
      <span class="tile-today">
        {tally !== undefined && (
          <>
            <span>{texts.today(tally.sales, format.count(tally.sales))}</span>{" "}
            {tally.sales > 0 && <b>{format.money(tally.revenue)}</b>}
          </>
        )}
      </span>
    </>
  );
  return (
    <li class={room.value ? "tile tile-on" : "tile"}>
      {seesMoney(user.role) ? (
        <Link to={addressOf("rooms", { device: deviceId, room: room.id })} class="tile-link">
          {content}
        </Link>
      ) : (
        <div class="tile-link">{content}</div>
      )}
    </li>
  );
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
