import { useId } from "preact/hooks";
import type { Device } from "../api/device.ts";
import { useFormat } from "../frame/visit.ts";
import { roomsTexts } from "../messages/rooms.ts";
import { useTexts } from "../messages/speech.ts";
import { RoomTile } from "./room-tile.tsx";
import { roomKey, type Tally } from "./rooms.ts";

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
export function DeviceRooms({ device, times, tallies, isOnlyOn }: DeviceRoomsProps) {
  const texts = useTexts(roomsTexts);
  const { count } = useFormat();
  const titleId = useId();
  const on = device.rooms.filter((room) => room.on).length;
  const rooms = isOnlyOn ? device.rooms.filter((room) => room.on) : device.rooms;
  return (
    <section class="panel device" aria-labelledby={titleId}>
      <header class="device-head">
        <h2 id={titleId}>
          {device.name} <span class="device-place">{device.locationName}</span>
        </h2>
        <p class={on > 0 ? "tag device-count device-lit" : "tag device-count"}>
          {texts.count(count(on), count(device.rooms.length))}
        </p>
      </header>
      <ul class="tiles">
        {rooms.map((room) => {
          const key = roomKey(device.id, room.id);
          return (
            <RoomTile
              key={room.id}
              deviceId={device.id}
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
