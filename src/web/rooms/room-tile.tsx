import type { Room } from "../api/device.ts";
import { Link } from "../element/link.tsx";
import { useVisit } from "../frame/visit.ts";
import { roomsTexts } from "../messages/rooms.ts";
import { useTexts } from "../messages/speech.ts";
import { addressOf } from "../route.ts";
import type { Tally } from "./rooms.ts";

interface RoomTileProps {
  readonly deviceId: string;
  readonly room: Room;
  /** Since when it is as it is; undefined when nobody knows. */
  readonly sinceMs: number | undefined;
  /** What it sold today; undefined while that is not known. */
  readonly tally: Tally | undefined;
}

/** One room: lit while it is on. It leads to the room's history. */
export function RoomTile({ deviceId, room, sinceMs, tally }: RoomTileProps) {
  const texts = useTexts(roomsTexts);
  const { format, now } = useVisit();
  return (
    <li class={room.on ? "tile tile-on" : "tile"}>
      <Link to={addressOf("rooms", { device: deviceId, room: room.id })} class="tile-link">
        <span class="tile-room">
          <span class="aloud">{texts.name("")}</span>
          {room.id}
        </span>
        <span class="tile-state">
          <span class="tile-lamp" aria-hidden="true" />
          {room.on ? texts.on : texts.off}
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
      </Link>
    </li>
  );
}
