import type { Device } from "../api/device.ts";
import { Link } from "../element/link.tsx";
import { useFormat } from "../frame/visit.ts";
import type { Part } from "../live/part.ts";
import { panelTexts } from "../messages/panel.ts";
import { useTexts } from "../messages/speech.ts";
import { addressOf } from "../route.ts";

/** How many rooms are on, and which. */
export function NowPanel({ part }: { readonly part: Part<readonly Device[]> }) {
  const texts = useTexts(panelTexts);
  const { count } = useFormat();
  const devices = part.kind === "ready" ? part.value : [];
  const rooms = devices.flatMap((device) => device.rooms.map((room) => ({ ...room, device })));
  const on = rooms.filter((room) => room.on);
  return (
    <section class="panel now" aria-labelledby="now-title">
      <div class="panel-head">
        <h2 id="now-title">{texts.now.title}</h2>
        <Link to={addressOf("rooms")}>{texts.now.all}</Link>
      </div>
      {rooms.length > 0 && (
        <>
          <p class="now-count">
            <b>{count(on.length)}</b>
            <span>
              {texts.now.on(on.length)} {texts.now.of(count(rooms.length))}
            </span>
          </p>
          <ul class="now-rooms">
            {rooms.map((room) => (
              <li key={`${room.device.id}/${room.id}`} class={room.on ? "now-room now-room-on" : "now-room"}>
                <Link
                  to={addressOf("rooms", { device: room.device.id, room: room.id })}
                  label={texts.now.room(room.id, room.device.name, room.on)}
                >
                  {room.id}
                </Link>
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}
