import type { Device } from "../api/device.ts";
import type { Sale } from "../api/sale.ts";
import type { Format } from "../format/format.ts";
import { useMessages } from "../messages/speech.ts";
import { Nothing, Unread } from "./nothing.tsx";
import { RoomTile } from "./room-tile.tsx";
import { type RoomChanges, roomKey, roomTimes } from "./rooms.ts";
import type { Part } from "./state.ts";

interface RoomsPanelProps {
  readonly part: Part<readonly Device[]>;
  readonly changes: RoomChanges;
  /** Newest first: they tell since when a room is on. */
  readonly sales: readonly Sale[];
  readonly format: Format;
  readonly onRetry: () => void;
}

/** Every device with its rooms. */
export function RoomsPanel({ part, changes, sales, format, onRetry }: RoomsPanelProps) {
  const { rooms: texts } = useMessages();
  const devices = part.kind === "ready" ? part.value : [];
  const times = roomTimes(devices, changes, sales);
  return (
    <section class="panel" aria-labelledby="rooms-title">
      <h2 id="rooms-title">{texts.title}</h2>
      {part.kind === "failed" && <Unread text={texts.failed} onRetry={onRetry} />}
      {part.kind === "ready" && devices.length === 0 && (
        <Nothing title={texts.none} detail={texts.noneDetail} />
      )}
      {devices.map((device) => (
        <DeviceRooms key={device.id} device={device} times={times} format={format} />
      ))}
    </section>
  );
}

interface DeviceRoomsProps {
  readonly device: Device;
  /** Room key to since when it is as it is. */
  readonly times: ReadonlyMap<string, number>;
  readonly format: Format;
}

function DeviceRooms({ device, times, format }: DeviceRoomsProps) {
  const { rooms: texts } = useMessages();
  const on = device.rooms.filter((room) => room.on).length;
  return (
    <article class="device">
      <div class="device-head">
        <h3>{device.name}</h3>
        <span class="device-place">{device.locationName}</span>
        <span class="device-count">{texts.count(format.count(on), format.count(device.rooms.length))}</span>
      </div>
      <ul class="tiles">
        {device.rooms.map((room) => (
          <RoomTile
            key={room.id}
            room={room}
            sinceMs={times.get(roomKey(device.id, room.id))}
            format={format}
          />
        ))}
      </ul>
    </article>
  );
}
