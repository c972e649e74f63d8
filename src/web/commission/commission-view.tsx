import { useEffect, useRef, useState } from "preact/hooks";
import { statusOf } from "../api/api.ts";
import { askRoom, endCommission, loadCommission, tickRoom } from "../api/commission.ts";
import type { Commission } from "../api/shapes.ts";
import { Button } from "../element/button.tsx";
import { Confirm } from "../element/dialog.tsx";
import { FailedPanel, Nothing } from "../element/notice.tsx";
import { ViewFrame } from "../frame/view.tsx";
import { useFormat, useGateway } from "../live/gateway.ts";
import { useLoaded } from "../live/use-loaded.ts";
import { commissionTexts } from "../messages/commission.ts";
import { locationsTexts } from "../messages/locations.ts";
import { useTexts } from "../messages/use-language.ts";
import { Link, useNavigation, useQuery } from "../navigation.tsx";
import { addressOf } from "../route.ts";
import { AcceptanceView } from "./acceptance-view.tsx";
import { BeginPanel, PausedPanel, ReportList } from "./begin-panel.tsx";
import { FinishDialog } from "./finish-dialog.tsx";
import { MovedCard, RoomCard } from "./room-card.tsx";
import { RoomList } from "./room-list.tsx";
import { isSameRoom, movedRoom, nextRoom, roomsToTest } from "./round.ts";

/** The technician's round: each room's relay is switched, and what flanco sees of it is judged and ticked off; then the report. */
export function CommissionView() {
  const number = useQuery().get("report");
  return number === null ? <Round /> : <AcceptanceView number={number} />;
}

function Round() {
  const texts = useTexts(commissionTexts);
  const { part, reload } = useLoaded(loadCommission, "", ["commission", "locations", "tests"]);
  return (
    <ViewFrame title={texts.title} intro={texts.intro}>
      <FailedPanel part={part} onRetry={reload} />
      {part.kind === "ready" && <OpenRound commission={part.value} onChanged={reload} />}
    </ViewFrame>
  );
}

interface OpenRoundProps {
  readonly commission: Commission;
  readonly onChanged: () => void;
}

function OpenRound({ commission, onChanged }: OpenRoundProps) {
  const texts = useTexts(commissionTexts);
  const { title: locationsTitle } = useTexts(locationsTexts);
  const { api } = useGateway();
  const { go } = useNavigation();
  const [ending, setEnding] = useState<"report" | "none" | null>(null);
  const { begunTime, untilTime, rooms } = commission;
  const said = useAutomaticRound(commission, onChanged);
  const next = nextRoom(commission);
  const moved = movedRoom(commission, next);
  const untested = roomsToTest(commission).filter(({ tick }) => tick === null).length;

  if (rooms.length === 0) {
    return (
      <section class="panel">
        <Nothing title={texts.noRooms} detail={texts.noRoomsDetail}>
          <Link to={addressOf("locations")}>{locationsTitle}</Link>
        </Nothing>
      </section>
    );
  }
  if (begunTime === null) {
    return (
      <>
        <BeginPanel onBegun={onChanged} />
        <ReportList />
      </>
    );
  }
  return (
    <>
      <Progress commission={commission} />
      <p class="aloud" role="status">
        {said}
      </p>
      {untilTime === null && <PausedPanel freeLines={commission.freeLines} onBegun={onChanged} />}
      {untilTime !== null && next !== undefined && (
        <RoomCard key={`${next.dId} ${next.room}`} room={next} onChanged={onChanged} />
      )}
      {untilTime !== null && moved !== undefined && (
        <MovedCard key={`${moved.dId} ${moved.room}`} room={moved} onChanged={onChanged} />
      )}
      {next === undefined && (
        <section class="panel commission-card">
          <h2>{texts.allDone}</h2>
          <p>{texts.allDoneDetail}</p>
        </section>
      )}
      <div class="actions commission-end">
        <Button
          kind={next === undefined ? "main" : "plain"}
          icon="report"
          onPress={() => setEnding("report")}
        >
          {texts.finish}
        </Button>
        <Button kind="quiet" onPress={() => setEnding("none")}>
          {texts.give}
        </Button>
      </div>
      <RoomList commission={commission} isOpen={untilTime !== null} onChanged={onChanged} />
      {ending === "report" && (
        <FinishDialog
          untested={untested}
          onDone={(number) => go(addressOf("commission", { report: String(number) }))}
          onClose={() => setEnding(null)}
        />
      )}
      {ending === "none" && (
        <Confirm
          title={texts.giveTitle}
          action={texts.give}
          busyText={texts.giving}
          meaning={texts.giveMeaning}
          onConfirm={() => endCommission(api)}
          onDone={() => {
            setEnding(null);
            onChanged();
          }}
          onClose={() => setEnding(null)}
        />
      )}
    </>
  );
}

const CONFLICT = 409;

/**
 * Asks for the next room by itself, and ticks off the one that is asked for once it is good: the technician's phone may stay in the
 * pocket. Gives what is to be said of the last one.
 */
function useAutomaticRound(commission: Commission, onChanged: () => void): string {
  const texts = useTexts(commissionTexts);
  const { api } = useGateway();
  const [said, setSaid] = useState("");
  /** What was sent last: an answer that is older than that asks for nothing again. */
  const sent = useRef("");
  const next = nextRoom(commission);
  const isOpen = commission.begunTime !== null && commission.untilTime !== null;
  const isGood = next?.isAsked === true && next.judgement.verdict === "good";
  const work = !isOpen || next === undefined ? "" : isGood ? "tick" : next.isAsked ? "" : "ask";
  const key = work === "" || next === undefined ? "" : `${work} ${next.dId} ${next.room}`;
  useEffect(() => {
    if (key === "" || next === undefined || sent.current === key) return;
    sent.current = key;
    const send = async () => {
      try {
        if (work === "ask") await askRoom(api, next);
        else await tickRoom(api, next, "");
      } catch (error) {
        // The test has ended meanwhile, or another page was faster: the state that follows shows it.
        if (statusOf(error) !== CONFLICT) console.warn(error);
        sent.current = "";
        return;
      }
      if (work === "tick") {
        const rooms = commission.rooms.map((room) =>
          isSameRoom(room, next)
            ? { ...room, tick: { ...room.judgement, note: "", time: 0, provisional: false } }
            : room,
        );
        const after = nextRoom({ rooms });
        const verdict = texts.verdicts.good;
        setSaid(
          after === undefined
            ? texts.saidLast(next.room, verdict)
            : texts.said(next.room, verdict, after.room),
        );
      }
      onChanged();
    };
    void send();
  }, [key]);
  return said;
}

/** How far the round is, and until when nothing is a sale. */
function Progress({ commission }: { readonly commission: Commission }) {
  const texts = useTexts(commissionTexts);
  const { count, time } = useFormat();
  const rooms = roomsToTest(commission);
  const done = rooms.filter(({ tick }) => tick !== null).length;
  const text = texts.progress(count(done), count(rooms.length));
  return (
    <section class="panel commission-progress" aria-label={texts.progressLabel}>
      <p>
        <strong>{text}</strong>
        {commission.untilTime !== null && <span class="soft">{texts.until(time(commission.untilTime))}</span>}
      </p>
      <progress value={done} max={Math.max(1, rooms.length)} aria-label={texts.progressLabel}>
        {text}
      </progress>
    </section>
  );
}
