import type { Api } from "../api/api.ts";
import type { Device } from "../api/device.ts";
import { loadRecords } from "../api/record-page.ts";
import type { Sale } from "../api/sale.ts";
import { Dialog } from "../element/dialog.tsx";
import { Link } from "../element/link.tsx";
import { Nothing, Unread } from "../element/nothing.tsx";
import { useVisit } from "../frame/visit.ts";
import { useLoaded } from "../live/use-loaded.ts";
import { roomsTexts } from "../messages/rooms.ts";
import { useTexts } from "../messages/speech.ts";
import { addressOf } from "../route.ts";
import { roomKey } from "./rooms.ts";
import { type SalesDay, salesByDay } from "./sales-day.ts";

interface RoomHistoryProps {
  readonly deviceId: string;
  readonly roomId: string;
  /** Undefined when it is gone. */
  readonly device: Device | undefined;
  readonly times: ReadonlyMap<string, number>;
  readonly onClose: () => void;
}

/** So many sales are shown; the rest is in the records. */
const SHOWN = 30;
/** The server looks at a bounded number of rows per page: a room that sells seldom lies behind many. */
const MAX_PAGES = 40;

/** What one room has sold, newest first, beside the rooms. */
export function RoomHistory({ deviceId, roomId, device, times, onClose }: RoomHistoryProps) {
  const texts = useTexts(roomsTexts);
  const { format, now } = useVisit();
  const { part, reload } = useLoaded((api) => loadHistory(api, deviceId, roomId), roomKey(deviceId, roomId), [
    "record",
    "void",
    "time",
    "actuator",
  ]);
  const room = device?.rooms.find((candidate) => candidate.id === roomId);
  const sinceMs = times.get(roomKey(deviceId, roomId));
  const sales = part.kind === "ready" ? part.value : [];
  const ongoing = room?.on
    ? sales.find((sale) => sale.origin !== "posted" && sale.endedTimeMs === null)
    : undefined;
  return (
    <Dialog title={texts.name(roomId)} onClose={onClose} isSheet>
      {device === undefined || room === undefined ? (
        <p class="soft">
          {texts.history.gone}. {texts.history.goneDetail}
        </p>
      ) : (
        <p class="history-state">
          <span class={room.on ? "tag tag-on" : "tag"}>{room.on ? texts.on : texts.off}</span>
          {sinceMs !== undefined && <span>{texts.since(format.moment(sinceMs, now()))}</span>}
          <span class="soft">
            {device.name} · {device.locationName}
          </span>
        </p>
      )}
      {part.kind === "failed" && <Unread text={texts.history.failed} onRetry={reload} />}
      {part.kind === "ready" && sales.length === 0 && <Nothing title={texts.history.none} />}
      {salesByDay(sales, format.day).map((day) => (
        <HistoryDay key={day.key} day={day} ongoing={ongoing} />
      ))}
      <div class="actions">
        <Link to={addressOf("records", { device: deviceId, room: roomId })} class="button">
          {texts.history.all}
        </Link>
      </div>
    </Dialog>
  );
}

async function loadHistory(api: Api, device: string, room: string): Promise<readonly Sale[]> {
  const filter = new URLSearchParams({ device, room }).toString();
  const sales: Sale[] = [];
  let next: string | null = null;
  for (let page = 0; page < MAX_PAGES && sales.length < SHOWN; page += 1) {
    const answer = await loadRecords(api, filter, next, SHOWN);
    sales.push(...answer.records);
    next = answer.next;
    if (next === null) break;
  }
  return sales.slice(0, SHOWN);
}

interface HistoryDayProps {
  readonly day: SalesDay;
  /** The sale that is still going on, if one is. */
  readonly ongoing: Sale | undefined;
}

function HistoryDay({ day, ongoing }: HistoryDayProps) {
  const { history } = useTexts(roomsTexts);
  const { format, now } = useVisit();
  const daysAgo = format.daysAgo(day.timeMs, now());
  const name =
    daysAgo === undefined ? format.longDay(day.timeMs) : daysAgo === 0 ? history.today : history.yesterday;
  return (
    <section class="history-day">
      <h3>{name}</h3>
      <ol>
        {day.sales.map((sale) => (
          <li
            key={sale.recordId}
            class={sale.voidReason === null ? "history-sale" : "history-sale history-void"}
          >
            <time dateTime={format.iso(sale.createdTimeMs)}>{format.time(sale.createdTimeMs)}</time>
            <span class="history-notes">
              <SaleNotes sale={sale} isOngoing={sale === ongoing} />
            </span>
            <b>{format.money(sale.valor)}</b>
          </li>
        ))}
      </ol>
    </section>
  );
}

function SaleNotes({ sale, isOngoing }: { readonly sale: Sale; readonly isOngoing: boolean }) {
  const { history } = useTexts(roomsTexts);
  const { duration } = useVisit().format;
  const notes = [
    sale.endedTimeMs !== null && history.lasted(duration(sale.endedTimeMs - sale.createdTimeMs)),
    sale.origin === "posted" && history.posted,
    sale.origin === "found_at_start" && history.foundAtStart,
    sale.isProvisional && history.provisional,
    sale.voidReason !== null && history.voided(sale.voidReason),
  ].filter((note) => note !== false);
  return (
    <>
      {isOngoing && <span class="tag tag-on">{history.ongoing}</span>} {notes.join(" · ")}
    </>
  );
}
