import { useEffect, useRef, useState } from "preact/hooks";
import { HOUR_MS, MINUTE_MS } from "../../domain/clock.ts";
import { DEFAULT_COMMISSION_MS, MAX_FREE_LINES } from "../../domain/commission.ts";
import { CONFLICT, statusOf } from "../api/api.ts";
import type { Commission } from "../api/shapes.ts";
import { DataTable } from "../element/data-table.tsx";
import { Confirm, DialogButton, DialogForm, useDialogs } from "../element/dialog.tsx";
import { CheckField, SelectField, TextField } from "../element/field.tsx";
import { Form, useForm } from "../element/form.tsx";
import { Moment } from "../element/moment.tsx";
import { NothingPanel, Notice, NotReadyPanel, Panel } from "../element/notice.tsx";
import { ViewFrame } from "../frame/view.tsx";
import { isFree, linesOf, wiringName } from "../lines/board.ts";
import { RoomChoice, type RoomGroup } from "../lines/room-choice.tsx";
import { useFormat, useGateway } from "../live/gateway.ts";
import { useData } from "../live/use-loaded.ts";
import { commissionTexts } from "../messages/commission.ts";
import { locationsTexts } from "../messages/locations.ts";
import { useTexts } from "../messages/use-language.ts";
import { Link, useNavigation, useQuery } from "../navigation.tsx";
import { AcceptanceView } from "./acceptance-view.tsx";
import { RoomCard, RoomList } from "./rooms.tsx";
import { byDevice, holderOf, isSameRoom, movedRoom, nextRoom, roomsToTest } from "./round.ts";

/** The technician's round: each room's relay is switched, and what flanco sees of it is judged and ticked off; then the report. */
export function CommissionView() {
  const number = useQuery().get("report");
  return number === null ? <Round /> : <AcceptanceView number={number} />;
}

function Round() {
  const texts = useTexts(commissionTexts);
  const commission = useData("/api/commission", ["commission", "locations", "tests"]);
  return (
    <ViewFrame title={texts.title} intro={texts.intro}>
      <NotReadyPanel of={commission} />
      {commission.kind === "ready" && (
        <OpenRound commission={commission.value} onChanged={commission.reload} />
      )}
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
  const { begunTime, untilTime, rooms } = commission;
  const said = useAutomaticRound(commission, onChanged);
  const next = nextRoom(commission);
  const holder = holderOf(commission, next);
  const found = movedRoom(commission, next);
  const moved = found === holder ? undefined : found;
  const untested = roomsToTest(commission).filter(({ tick }) => tick === null).length;

  if (rooms.length === 0) {
    return (
      <NothingPanel title={texts.noRooms} detail={texts.noRoomsDetail}>
        <Link to="locations">{locationsTitle}</Link>
      </NothingPanel>
    );
  }
  if (begunTime === null) {
    return (
      <>
        <BeginPanel rooms={rooms} onBegun={onChanged} />
        <TestedPanel />
        <ReportList />
      </>
    );
  }
  const giveUp = (
    <Confirm
      title={texts.giveTitle}
      action={texts.give}
      meaning={texts.giveMeaning}
      onConfirm={() => api.remove("/api/commission")}
      onDone={onChanged}
    />
  );
  return (
    <>
      <Progress commission={commission} />
      <p class="aloud" role="status">
        {said}
      </p>
      {untilTime === null && <PausedPanel commission={commission} onBegun={onChanged} />}
      {untilTime !== null && next !== undefined && (
        <RoomCard key={`${next.dId} ${next.room}`} room={next} holder={holder} onChanged={onChanged} />
      )}
      {untilTime !== null && moved !== undefined && (
        <RoomCard key={`${moved.dId} ${moved.room}`} room={moved} isMoved onChanged={onChanged} />
      )}
      {next === undefined && (
        <Panel class="commission-card column" title={texts.allDone}>
          <p>{texts.allDoneDetail}</p>
        </Panel>
      )}
      <div class="actions commission-end commission-large row">
        <DialogButton
          kind={next === undefined ? "main" : "plain"}
          icon="report"
          dialog={<FinishDialog untested={untested} />}
        >
          {texts.finish}
        </DialogButton>
        <DialogButton kind="quiet" dialog={giveUp}>
          {texts.give}
        </DialogButton>
      </div>
      <RoomList commission={commission} isOpen={untilTime !== null} onChanged={onChanged} />
      <TestedPanel />
    </>
  );
}

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
    const isSent = sent.current === key;
    sent.current = key;
    if (key === "" || next === undefined || isSent) return;
    const send = async () => {
      try {
        const { dId, room } = next;
        if (work === "ask") await api.send("put", "/api/commission/room", { room: { dId, room } });
        else await api.send("put", "/api/commission/tick", { tick: { dId, room, note: "" } });
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
        const after = nextRoom({ ...commission, rooms });
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
    <section class="panel commission-progress stack" aria-label={texts.progressLabel}>
      <p class="words spread">
        <strong class="big">{text}</strong>
        {commission.untilTime !== null && <span class="soft">{texts.until(time(commission.untilTime))}</span>}
      </p>
      <progress value={done} max={Math.max(1, rooms.length)} aria-label={texts.progressLabel}>
        {text}
      </progress>
    </section>
  );
}

const MINUTES = [HOUR_MS / 4, HOUR_MS, DEFAULT_COMMISSION_MS, 4 * HOUR_MS, 8 * HOUR_MS].map(
  (ms) => ms / MINUTE_MS,
);

interface BeginProps {
  readonly onBegun: () => void;
}

/** Begins the round over all rooms, or those that are chosen: in a clinic that works, the others go on selling. */
function BeginPanel({ rooms, onBegun }: BeginProps & Pick<Commission, "rooms">) {
  const texts = useTexts(commissionTexts);
  const { api, format } = useGateway();
  const form = useForm({});
  const [minutes, setMinutes] = useState(DEFAULT_COMMISSION_MS / MINUTE_MS);
  const [withFree, setWithFree] = useState(true);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const board = useData("/api/line", ["locations"]).value;
  const free =
    board === undefined
      ? []
      : linesOf(board)
          .filter(isFree)
          .map((line) => wiringName(board, line));
  const send = () =>
    form.submit(true, async () => {
      const freeLines = withFree ? free.slice(0, MAX_FREE_LINES) : [];
      const lines = chosen.size > 0 ? [...chosen] : undefined;
      await api.send("put", "/api/commission", { commission: { lines, freeLines, minutes } });
      onBegun();
    });
  return (
    <Panel class="step-card commission-begin commission-large column" title={texts.begin.title}>
      <p>{texts.begin.how}</p>
      <Form form={form} onSubmit={send} action={texts.begin.action}>
        <SelectField
          label={texts.begin.for}
          value={String(minutes)}
          choices={MINUTES.map((each) => ({ value: String(each), text: format.duration(each * MINUTE_MS) }))}
          onValue={(value) => setMinutes(Number(value))}
          hint={texts.begin.forHint}
        />
        {free.length > 0 && (
          <CheckField
            label={texts.begin.free(format.count(Math.min(free.length, MAX_FREE_LINES)))}
            isChecked={withFree}
            onCheck={setWithFree}
          />
        )}
        <details>
          <summary class="good strong">{texts.begin.some}</summary>
          <p class="fine">{texts.begin.someHint}</p>
          <div class="room-numbers">
            <RoomChoice groups={wiredRooms(rooms)} chosen={chosen} onChosen={setChosen} />
          </div>
        </details>
      </Form>
    </Panel>
  );
}

function wiredRooms(rooms: Commission["rooms"]): readonly RoomGroup[] {
  return byDevice(rooms).map((ofDevice) => ({
    name: [ofDevice[0]?.deviceName, ofDevice[0]?.locationName].join(" · "),
    rooms: ofDevice.flatMap(({ room, wired }) => (wired === null ? [] : [{ line: wired.line, text: room }])),
  }));
}

/** What was switched on under test: kept apart from the sales. */
function TestedPanel() {
  const { tested, columns } = useTexts(commissionTexts);
  const edges = useData("/api/commission/edge", ["actuator", "tests"]).value ?? [];
  if (edges.length === 0) return null;
  return (
    <Panel title={tested.title}>
      <p class="soft">{tested.intro}</p>
      <DataTable
        caption={tested.title}
        rows={edges}
        keyOf={({ line, time }) => `${line} ${time}`}
        columns={[
          { title: columns.room, isName: true, cell: ({ room }) => room },
          { title: columns.line, cell: ({ line }) => line },
          { title: tested.time, cell: ({ time }) => <Moment timeMs={time} /> },
        ]}
      />
    </Panel>
  );
}

/** A test that ended by itself: the round goes on where it was. */
function PausedPanel({
  commission: { lines, freeLines },
  onBegun,
}: BeginProps & Pick<OpenRoundProps, "commission">) {
  const texts = useTexts(commissionTexts);
  const { api } = useGateway();
  const form = useForm({});
  const send = () =>
    form.submit(true, async () => {
      const commission = { lines: lines ?? undefined, freeLines, minutes: DEFAULT_COMMISSION_MS / MINUTE_MS };
      await api.send("put", "/api/commission", { commission });
      onBegun();
    });
  return (
    <Notice kind="warn" title={texts.paused}>
      <p>{texts.pausedDetail}</p>
      <Form form={form} onSubmit={send} action={texts.goOn} />
    </Notice>
  );
}

/** The reports of before, newest first. */
function ReportList() {
  const texts = useTexts(commissionTexts);
  const { count, dateTime } = useFormat();
  const reports = useData("/api/commission/reports", ["commission"]).value ?? [];
  if (reports.length === 0) return null;
  return (
    <Panel title={texts.reports}>
      <ul class="ruled">
        {reports.map(({ number, time, technician, clinic, good, rooms }) => (
          <li key={number} class="row">
            <Link to="commission" query={{ report: String(number) }}>
              {texts.reportOf(dateTime(time))}
            </Link>
            <span>{texts.counts(count(good), count(rooms))}</span>
            <span class="soft words">
              {technician} · {clinic}
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

/** Asks for the two names that sign, and ends the round with its report. `untested` rooms are not ticked off. */
function FinishDialog({ untested }: { readonly untested: number }) {
  const texts = useTexts(commissionTexts);
  const { api, self, format } = useGateway();
  const { go } = useNavigation();
  const { open } = useDialogs();
  const form = useForm({ technician: self.name, clinic: "" });
  const { technician, clinic } = form.values;
  const send = () =>
    form.submit(technician.trim() !== "" && clinic.trim() !== "", async () => {
      const { data } = await api.send("post", "/api/commission/report", { report: form.values });
      open(null);
      go("commission", { report: String(data.number) });
    });
  return (
    <DialogForm title={texts.finish} form={form} onSubmit={send} action={texts.finish}>
      <p>{texts.finishMeaning}</p>
      {untested > 0 && <Notice kind="warn" title={texts.untestedNow(format.count(untested))} />}
      <TextField label={texts.technician} autocomplete="name" {...form.required("technician")} />
      <TextField label={texts.clinic} autocomplete="name" {...form.required("clinic")} />
    </DialogForm>
  );
}
