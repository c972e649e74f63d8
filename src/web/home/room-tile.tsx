import type { Room } from "../api/device.ts";
import type { Format } from "../format/format.ts";
import { useMessages } from "../messages/speech.ts";

interface RoomTileProps {
  readonly room: Room;
  /** Since when it is as it is; undefined when nobody knows. */
  readonly sinceMs: number | undefined;
  readonly format: Format;
}

/** One room: lit while it is on. */
export function RoomTile({ room, sinceMs, format }: RoomTileProps) {
  const { rooms: texts } = useMessages();
  return (
    <li class={room.on ? "tile tile-on" : "tile"}>
      <span class="tile-room">{room.id}</span>
      <span class="tile-state">
        <span class="tile-lamp" aria-hidden="true" />
        {room.on ? texts.on : texts.off}
      </span>
      <span class="tile-since">
        {sinceMs !== undefined && (
          <time dateTime={format.iso(sinceMs)}>{texts.since(format.moment(sinceMs, Date.now()))}</time>
        )}
      </span>
    </li>
  );
}
