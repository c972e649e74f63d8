import { loadRecords } from "../api/records.ts";
import type { Device, StoredRecord } from "../api/shapes.ts";
import { Dialog } from "../element/dialog.tsx";
import { Moment } from "../element/moment.tsx";
import { Nothing, NotReady, OnTag } from "../element/notice.tsx";
import { useGateway } from "../live/gateway.ts";
import { useLoaded } from "../live/use-loaded.ts";
import { roomsTexts } from "../messages/rooms.ts";
import { useTexts } from "../messages/use-language.ts";
import { Link } from "../navigation.tsx";
import { roomKey } from "./rooms.ts";

interface RoomHistoryProps {
  readonly deviceId: string;
  readonly roomId: string;
  /** Undefined when it is gone. */
  readonly device: Device | undefined;
  readonly times: ReadonlyMap<string, number>;
}

/** So many sales are shown; the rest is in the records. */
const SHOWN = 30;
/** The server looks at a bounded number of rows per request: a room that sells seldom lies behind many. */
const MAX_REQUESTS = 40;

export function RoomHistory({ deviceId, roomId, device, times }: RoomHistoryProps) {
  const texts = useTexts(roomsTexts);
  const { format, now } = useGateway();
  const loaded = useLoaded(
    (api) => loadRecords(api, { device: deviceId, room: roomId }, SHOWN, MAX_REQUESTS),
    roomKey(deviceId, roomId),
    ["record", "void", "time", "actuator"],
  );
  const room = device?.actuators.find((candidate) => candidate.id === roomId);
  const sinceMs = times.get(roomKey(deviceId, roomId));
  const sales = loaded.value?.records ?? [];
  const ongoing = room?.value
    ? sales.find((sale) => ["edge", "found_at_start"].includes(sale.origin) && sale.endedTime === null)
    : undefined;
  return (
    <Dialog title={texts.name(roomId)} isSheet>
      {device === undefined || room === undefined ? (
        <p class="soft">{texts.history.gone}</p>
      ) : (
        <p class="row">
          <OnTag isOn={room.value} />
          {sinceMs !== undefined && <span>{texts.since(format.moment(sinceMs, now()))}</span>}
          <span class="soft">
            {device.name} · {device.locationName}
          </span>
        </p>
      )}
      <NotReady of={loaded} />
      {loaded.kind === "ready" && sales.length === 0 && <Nothing title={texts.history.none} />}
      <ol class="ruled">
        {sales.map((sale) => (
          <li
            key={sale.number}
            class={sale.voided === null ? "history-sale row" : "history-sale row is-void"}
          >
            <Moment timeMs={sale.createdTime} isProvisional={sale.provisional} />
            <span class="fine">
              <SaleNotes sale={sale} isOngoing={sale === ongoing} />
            </span>
            <b>{format.money(sale.valor)}</b>
          </li>
        ))}
      </ol>
      <div class="actions row">
        <Link to="records" query={{ device: deviceId, room: roomId }} class="button">
          {texts.history.all}
        </Link>
      </div>
    </Dialog>
  );
}

function SaleNotes({ sale, isOngoing }: { readonly sale: StoredRecord; readonly isOngoing: boolean }) {
  const { history } = useTexts(roomsTexts);
  const { duration } = useGateway().format;
  const notes = [
    sale.endedTime !== null && history.lasted(duration(sale.endedTime - sale.createdTime)),
    sale.origin === "posted" && history.posted,
    sale.origin === "imported" && history.imported,
    sale.origin === "found_at_start" && history.foundAtStart,
    sale.voided !== null && history.voided(sale.voided.reason),
  ].filter((note) => note !== false);
  return (
    <>
      {isOngoing && <span class="tag tag-on">{history.ongoing}</span>} {notes.join(" · ")}
    </>
  );
}
