import { askRoom } from "../api/commission.ts";
import type { Commission, CommissionedRoom } from "../api/shapes.ts";
import { Button } from "../element/button.tsx";
import { FormFailure, useSending } from "../element/form.tsx";
import { Icon } from "../element/icon.tsx";
import { useGateway } from "../live/gateway.ts";
import { commissionTexts } from "../messages/commission.ts";
import { useTexts } from "../messages/use-language.ts";
import { byDevice } from "./round.ts";

interface RoomListProps {
  readonly commission: Commission;
  /** The lines are under test: a room can be asked for. */
  readonly isOpen: boolean;
  readonly onChanged: () => void;
}

/** Every room with its result; one press makes it the next. */
export function RoomList({ commission: { rooms }, isOpen, onChanged }: RoomListProps) {
  const texts = useTexts(commissionTexts);
  const { api } = useGateway();
  const { isBusy, failure, send } = useSending();
  const ask = async (room: CommissionedRoom) => {
    if (!(await send(() => askRoom(api, room)))) return;
    onChanged();
    scrollTo(0, 0);
  };
  return (
    <section class="panel" aria-labelledby="commission-rooms">
      <h2 id="commission-rooms">{texts.rooms}</h2>
      <FormFailure failure={failure} />
      {byDevice(rooms).map(([first, ...others]) =>
        first === undefined ? null : (
          <div key={first.dId} class="commission-device">
            <h3>
              {first.deviceName} <span class="soft">{first.locationName}</span>
            </h3>
            <ul class="commission-rooms">
              {[first, ...others].map((room) => (
                <li key={room.room} class={classOf(room)}>
                  <Icon name={signOf(room)} />
                  <strong class="words">{room.room}</strong>
                  <span class="soft words">{room.wired?.line}</span>
                  <Result room={room} />
                  {isOpen && !room.withoutLine && !room.isAsked && (
                    <Button
                      kind="quiet"
                      isBusy={isBusy}
                      label={texts.ask(room.room)}
                      onPress={() => void ask(room)}
                    >
                      {texts.askShort}
                    </Button>
                  )}
                </li>
              ))}
            </ul>
          </div>
        ),
      )}
    </section>
  );
}

function Result({ room: { tick, withoutLine, isAsked } }: { readonly room: CommissionedRoom }) {
  const texts = useTexts(commissionTexts);
  if (tick === null) {
    return <span class="soft">{withoutLine ? texts.onPurpose : isAsked ? texts.now : texts.pending}</span>;
  }
  const { verdict, note } = tick;
  return (
    <span>
      {verdict !== null && texts.verdicts[verdict]}
      {note !== "" && <span class="soft words"> · {note}</span>}
    </span>
  );
}

function signOf({ tick, isAsked }: CommissionedRoom): "done" | "warning" | "forward" | "lines" {
  if (tick !== null) return tick.verdict === "good" ? "done" : "warning";
  return isAsked ? "forward" : "lines";
}

function classOf({ tick, isAsked }: CommissionedRoom): string {
  const kind = tick === null ? (isAsked ? "asked" : "pending") : tick.verdict === "good" ? "good" : "wrong";
  return `commission-room commission-room-${kind}`;
}
