import { useState } from "preact/hooks";
import { CONFLICT } from "../api/api.ts";
import type { Commission, CommissionedRoom } from "../api/shapes.ts";
import { Button } from "../element/button.tsx";
import { DataTable } from "../element/data-table.tsx";
import { Confirm, DialogButton } from "../element/dialog.tsx";
import { TextField } from "../element/field.tsx";
import { FormFailure, useSending } from "../element/form.tsx";
import { Icon } from "../element/icon.tsx";
import { OnTag, Panel } from "../element/notice.tsx";
import { useFormat, useGateway } from "../live/gateway.ts";
import { commissionTexts } from "../messages/commission.ts";
import { useTexts } from "../messages/use-language.ts";
import { byDevice } from "./round.ts";

interface RoomCardProps {
  readonly room: CommissionedRoom;
  /** It was switched although another one is asked for: it is ticked off with one press. */
  readonly isMoved?: boolean;
  /** The room that has the line that moved in place of this one's. */
  readonly holder?: CommissionedRoom | undefined;
  readonly onChanged: () => void;
}

/** The room whose relay is to be switched now: what was seen of its line, what mends it, and the tick. */
export function RoomCard({ room, isMoved = false, holder, onChanged }: RoomCardProps) {
  const texts = useTexts(commissionTexts);
  const { api } = useGateway();
  const { isBusy, failure, send } = useSending();
  const [note, setNote] = useState("");
  const { verdict, cause, mend, measured } = room.judgement;
  const isGood = verdict === "good";
  const { dId } = room;
  const ask = (asked: CommissionedRoom) =>
    api.send("put", "/api/commission/room", { room: { dId: asked.dId, room: asked.room } });
  /** What is proposed is applied, then the room is asked for again: the proof is the next switching. */
  const mendRoom = async () => {
    await api.send("post", "/api/commission/mend", { room: { dId, room: room.room } });
    await ask(room);
  };
  /** The round goes on at the room where the technician is. */
  const goOnAt = async (here: CommissionedRoom) => {
    if (here.tick === null && here.judgement.verdict === "good") {
      await api.send("put", "/api/commission/tick", { tick: { dId: here.dId, room: here.room, note: "" } });
    }
    await ask(here);
  };
  // Two devices may have a room of one number.
  const holderName = holder?.dId === dId ? holder.room : holder && `${holder.room} (${holder.deviceName})`;
  const act = async (work: () => Promise<unknown>) => {
    if (await send(work)) onChanged();
  };
  return (
    <Panel
      class={`commission-card commission-large column${isMoved ? " is-warn" : ""}`}
      title={isMoved ? texts.movedOther(room.room) : texts.room(room.room)}
      beside={!isMoved && <p class="good strong">{texts.now}</p>}
      // The button that ticked off the room before has gone with it: the keyboard goes on here.
      {...(!isMoved && { takesFocus: "free" })}
    >
      <p class="row">
        <span class="words">
          {room.deviceName} · {room.locationName}
        </span>
        {room.wired !== null && <span class="soft words">{room.wired.line}</span>}
        {room.level !== null && <OnTag isOn={room.level} />}
      </p>
      <div class={`screen stack${verdict === null ? "" : isGood ? " is-good" : " is-warn"}`} role="status">
        {verdict === null ? (
          <>
            <p class="large strong">{texts.switchIt}</p>
            <p class="soft">{(measured?.edges ?? 0) > 0 ? texts.movedSome : texts.waiting}</p>
          </>
        ) : (
          <p class="big row">
            <Icon name={isGood ? "done" : "warning"} />
            <strong class="capital">
              {holderName === undefined ? texts.verdicts[verdict] : texts.movedOther(holderName)}
            </strong>
          </p>
        )}
        {cause !== null && holderName === undefined && <p>{texts.causes[cause]}</p>}
        {/* Its line rests where it began: what is asked for while it is on would be judged as inverted. */}
        {holder?.level === true && <p>{texts.movedSome}</p>}
        {verdict !== null && <Bounce room={room} />}
      </div>
      {mend !== null && holder !== undefined && holderName !== undefined && (
        <>
          <p>{texts.whichRoom}</p>
          <Button
            isBusy={isBusy}
            isDisabled={holder.level === true}
            onPress={() => void act(() => goOnAt(holder))}
          >
            {texts.iAmAt(holderName)}
          </Button>
          <DialogButton
            isBusy={isBusy}
            dialog={
              <Confirm
                title={texts.swapTitle(room.room, holderName)}
                action={texts.swap}
                meaning={texts.swapMeaning(room.room, mend.line, holderName, room.wired?.line)}
                onConfirm={mendRoom}
                onDone={onChanged}
              />
            }
          >
            {texts.iAmAtSwapped(room.room)}
          </DialogButton>
        </>
      )}
      {mend !== null && holder === undefined && (
        <Button kind="main" isBusy={isBusy} onPress={() => void act(mendRoom)}>
          <MendText mend={mend} />
        </Button>
      )}
      {verdict !== null && (
        <>
          {!isGood && <TextField label={texts.note} value={note} onValue={setNote} />}
          <Button
            kind={mend === null ? "main" : "plain"}
            icon="done"
            isBusy={isBusy}
            onPress={() =>
              void act(() =>
                api.send("put", "/api/commission/tick", { tick: { dId, room: room.room, note } }),
              )
            }
          >
            {texts.tickOff(room.room)}
          </Button>
        </>
      )}
      <FormFailure failure={failure} texts={{ [CONFLICT]: texts.unknown }} />
    </Panel>
  );
}

function MendText({ mend }: { readonly mend: NonNullable<CommissionedRoom["judgement"]["mend"]> }) {
  const { mends } = useTexts(commissionTexts);
  const { count } = useFormat();
  const { setting, line, activeLow, bias, debounceMs } = mend;
  const texts = {
    debounce: () => mends.debounce(count(debounceMs)),
    bias: () => mends.bias(bias),
    polarity: () => mends.polarity(activeLow),
    line: () => mends.line(line),
  };
  return <>{texts[setting]()}</>;
}

/** What was measured of the contact, and what its debounce is. */
function Bounce({ room: { judgement, wired } }: Pick<RoomCardProps, "room">) {
  const texts = useTexts(commissionTexts);
  const { count } = useFormat();
  const { measured } = judgement;
  if (measured === null || measured.edges === 0 || wired === null) return null;
  const { mostEdges, longestMs } = measured;
  return (
    <p class="fine">
      {mostEdges <= 1 ? texts.bounceNone : texts.bounce(count(mostEdges), count(longestMs))}{" "}
      {texts.debounceNow(count(wired.debounceMs))}
    </p>
  );
}

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
  const ask = async ({ dId, room }: CommissionedRoom) => {
    if (!(await send(() => api.send("put", "/api/commission/room", { room: { dId, room } })))) return;
    onChanged();
    scrollTo(0, 0);
  };
  const askButton = (room: CommissionedRoom) =>
    !room.withoutLine &&
    !room.isAsked && (
      <Button kind="quiet" isBusy={isBusy} label={texts.ask(room.room)} onPress={() => void ask(room)}>
        {texts.askShort}
      </Button>
    );
  return (
    <Panel class="column" title={texts.rooms}>
      <FormFailure failure={failure} />
      {byDevice(rooms).map(([first, ...others]) =>
        first === undefined ? null : (
          <div key={first.dId} class="stack">
            <h3>
              {first.deviceName} <span class="soft">{first.locationName}</span>
            </h3>
            <DataTable
              class="report-table"
              caption={first.deviceName}
              rows={[first, ...others]}
              keyOf={({ room }) => room}
              columns={[
                {
                  title: texts.columns.room,
                  isName: true,
                  cell: (room) => (
                    <span class="row">
                      <Sign room={room} />
                      <strong class="words large">{room.room}</strong>
                    </span>
                  ),
                },
                { title: texts.columns.line, cell: ({ wired }) => wired?.line },
                {
                  title: texts.columns.result,
                  cell: (room) => <Result {...room} pending={room.isAsked ? texts.now : texts.pending} />,
                },
              ]}
              actions={isOpen ? askButton : undefined}
            />
          </div>
        ),
      )}
    </Panel>
  );
}

interface ResultProps extends Pick<CommissionedRoom, "tick" | "withoutLine"> {
  /** Of a room that is not ticked off. */
  readonly pending: string;
}

/** What a room was found to be. */
export function Result({ tick, withoutLine, pending }: ResultProps) {
  const texts = useTexts(commissionTexts);
  if (tick === null) return <span class="soft">{withoutLine ? texts.onPurpose : pending}</span>;
  const { verdict, note } = tick;
  return (
    <>
      {verdict !== null &&
        (verdict === "good" ? texts.verdicts.good : <strong>{texts.verdicts[verdict]}</strong>)}
      {note !== "" && <span class="fine words"> {note}</span>}
    </>
  );
}

function Sign({ room: { tick, isAsked } }: { readonly room: CommissionedRoom }) {
  const isGood = tick?.verdict === "good";
  if (tick !== null) {
    return (
      <span class={isGood ? "good" : "warn"}>
        <Icon name={isGood ? "done" : "warning"} />
      </span>
    );
  }
  return (
    <span class={isAsked ? "good" : "soft"}>
      <Icon name={isAsked ? "forward" : "lines"} />
    </span>
  );
}
