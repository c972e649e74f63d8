import { useEffect, useState } from "preact/hooks";
import type { Device } from "../api/device.ts";
import { Link } from "../element/link.tsx";
import { Nothing, Unread } from "../element/nothing.tsx";
import { Segments } from "../element/segments.tsx";
import { ViewFrame } from "../frame/view.tsx";
import { useVisit } from "../frame/visit.ts";
import { readyValue } from "../live/part.ts";
import { useMinute } from "../live/use-minute.ts";
import { roomsTexts } from "../messages/rooms.ts";
import { useTexts } from "../messages/speech.ts";
import { useNavigation, useQuery } from "../navigation.ts";
import { addressOf } from "../route.ts";
import { DeviceRooms } from "./device-rooms.tsx";
import { RoomHistory } from "./room-history.tsx";
import { roomTimes, talliesOf } from "./rooms.ts";
import { useRooms } from "./use-rooms.ts";

/** Every device with its rooms, live. */
export function RoomsView() {
  const texts = useTexts(roomsTexts);
  const { format, now, status, reloadStatus } = useVisit();
  const { state, reload } = useRooms();
  const [isOnlyOn, setOnlyOn] = useState(false);
  useMinute();
  // The last edges of before this view are the status's to tell.
  useEffect(reloadStatus, [reloadStatus]);
  const devices = readyValue(state.devices);
  const today = readyValue(state.today);
  const edges = readyValue(status)?.lastEdges ?? [];
  const times = roomTimes(devices ?? [], state.changes, edges);
  const tallies = today && talliesOf(today.values(), format.day(now()), format.day);
  // Tiles appear with all that they say: nothing in them moves after.
  const isComplete = state.today.kind !== "waiting";
  const shown = inOrder((isComplete && devices) || [], format.compare).filter(
    (device) => !isOnlyOn || device.rooms.some((room) => room.on),
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
      {state.devices.kind === "failed" && (
        <section class="panel">
          <Unread text={texts.failed} onRetry={reload} />
        </section>
      )}
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
        <DeviceRooms key={device.id} device={device} times={times} tallies={tallies} isOnlyOn={isOnlyOn} />
      ))}
      {devices !== undefined && <ShownHistory devices={devices} times={times} />}
    </ViewFrame>
  );
}

interface ShownHistoryProps {
  readonly devices: readonly Device[];
  readonly times: ReadonlyMap<string, number>;
}

/** The history of the room that the address names. */
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
      device={devices.find((device) => device.id === deviceId)}
      times={times}
      onClose={() => replace(addressOf("rooms"))}
    />
  );
}

/** By location, then by name, numbers by their value. */
function inOrder(devices: readonly Device[], compare: (a: string, b: string) => number): readonly Device[] {
  return [...devices].sort((a, b) => compare(a.locationName, b.locationName) || compare(a.name, b.name));
}
