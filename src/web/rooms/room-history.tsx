import { useState } from "preact/hooks";
import type { Role } from "../../domain/member.ts";
import type { RoomName } from "../../domain/wiring.ts";
import { CONFLICT } from "../api/api.ts";
import { loadRecords } from "../api/records.ts";
import type { Device, StoredRecord } from "../api/shapes.ts";
import { Dialog } from "../element/dialog.tsx";
import { SelectField } from "../element/field.tsx";
import { Form, useForm } from "../element/form.tsx";
import { Moment } from "../element/moment.tsx";
import { Nothing, NotReady, OnTag } from "../element/notice.tsx";
import { useFormat, useGateway } from "../live/gateway.ts";
import { useLoaded } from "../live/use-loaded.ts";
import { linesTexts } from "../messages/lines.ts";
import { roomsTexts } from "../messages/rooms.ts";
import { useTexts } from "../messages/use-language.ts";
import { Link } from "../navigation.tsx";
import { usePaidText } from "./paid-bar.tsx";
import { roomKey, type Tally } from "./rooms.ts";

interface RoomHistoryProps {
  readonly deviceId: string;
  readonly roomId: string;
  readonly devices: readonly Device[];
  readonly times: ReadonlyMap<string, number>;
  readonly tallies: ReadonlyMap<string, Tally> | undefined;
}

/** So many sales are shown; the rest is in the records. */
const SHOWN = 30;
/** The server looks at a bounded number of rows per request: a room that sells seldom lies behind many. */
const MAX_REQUESTS = 40;

/** The roles that may move what is paid. */
const MOVES: readonly Role[] = ["owner", "staff"];

export function RoomHistory({ deviceId, roomId, devices, times, tallies }: RoomHistoryProps) {
  const texts = useTexts(roomsTexts);
  const { format, now, self } = useGateway();
  const [moved, setMoved] = useState("");
  // It may be gone.
  const device = devices.find(({ _id }) => _id === deviceId);
  const paidText = usePaidText();
  /** What is paid of a room and not over; undefined where that is not known. */
  const paidOf = (id: string, room: string) => {
    const tally = tallies?.get(roomKey(id, room));
    return tally?.paid != null && tally.paid.until <= now() ? null : tally?.paid;
  };
  const paid = paidOf(deviceId, roomId) ?? null;
  const loaded = useLoaded(
    (api) => loadRecords(api, { device: deviceId, room: roomId }, SHOWN, MAX_REQUESTS),
    roomKey(deviceId, roomId),
    ["record", "void", "time", "paid", "actuator"],
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
      {paid !== null && <p>{paidText(paid)}</p>}
      {paid !== null && device !== undefined && MOVES.includes(self.role) && (
        <details class="stack">
          <summary class="button">{texts.move.it}</summary>
          <MoveForm
            from={{ dId: device.dId, room: roomId }}
            rooms={devices.flatMap((other) =>
              other.actuators
                .filter((room) => paidOf(other._id, room.id) === null)
                .map((room) => ({ dId: other.dId, room: room.id, deviceName: other.name })),
            )}
            onDone={setMoved}
          />
        </details>
      )}
      <p role="status">{moved}</p>
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

interface MoveFormProps {
  readonly from: RoomName;
  /** The rooms of which nothing is paid. */
  readonly rooms: readonly (RoomName & { readonly deviceName: string })[];
  readonly onDone: (text: string) => void;
}

/** Moves what is paid of a room with its patient. */
function MoveForm({ from, rooms, onDone }: MoveFormProps) {
  const { move } = useTexts(roomsTexts);
  const { roomOf } = useTexts(linesTexts);
  const { api } = useGateway();
  const form = useForm({ to: "" });
  const to = rooms.find(({ dId, room }) => roomKey(dId, room) === form.values.to);
  const send = () =>
    form.submit(to !== undefined, async () => {
      if (to === undefined) return;
      await api.send("post", "/api/room/paid-time", { move: { from, to: { dId: to.dId, room: to.room } } });
      onDone(move.done(to.room));
    });
  return (
    <Form form={form} onSubmit={send} action={move.it} failures={{ [CONFLICT]: move.refused }}>
      <p>{move.meaning}</p>
      <SelectField
        label={move.to}
        {...form.checked("to", to !== undefined, move.choose)}
        choices={[
          { value: "", text: move.choose },
          ...rooms.map(({ dId, room, deviceName }) => ({
            value: roomKey(dId, room),
            text: roomOf(room, deviceName),
          })),
        ]}
      />
    </Form>
  );
}

function SaleNotes({ sale, isOngoing }: { readonly sale: StoredRecord; readonly isOngoing: boolean }) {
  const { history } = useTexts(roomsTexts);
  const paidText = usePaidText();
  const { duration, money } = useFormat();
  const notes = [
    sale.endedTime !== null && history.lasted(duration(sale.endedTime - sale.createdTime)),
    sale.origin === "posted" && history.posted,
    sale.origin === "imported" && history.imported,
    sale.origin === "found_at_start" && history.foundAtStart,
    sale.origin === "by_hand" && history.byHand(sale.reason ?? ""),
    sale.refundOf !== null && history.refund(String(sale.refundOf), sale.reason ?? ""),
    sale.refunded > 0 && history.refunded(money(sale.refunded)),
    sale.paid !== null && paidText(sale.paid),
    sale.voided !== null && history.voided(sale.voided.reason),
  ].filter((note) => note !== false);
  return (
    <>
      {isOngoing && <span class="tag tag-on">{history.ongoing}</span>} {notes.join(" · ")}
    </>
  );
}
