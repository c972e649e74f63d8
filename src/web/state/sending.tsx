import { useState } from "preact/hooks";
import { SETUP_NAMES, type SetupName } from "../../domain/sink-setting.ts";
import type { Setup, SinkState, SinkTestAnswer } from "../api/shapes.ts";
import { clearSetup, loadSetups, testSink } from "../api/sinks.ts";
import { Button } from "../element/button.tsx";
import { Confirm, Dialog } from "../element/dialog.tsx";
import { FormFailure, useSending } from "../element/form.tsx";
import { useFormat, useGateway } from "../live/gateway.ts";
import { readyValue } from "../live/loading.ts";
import { useLoaded } from "../live/use-loaded.ts";
import { sinkTexts } from "../messages/sinks.ts";
import { stateTexts } from "../messages/state.ts";
import { useTexts } from "../messages/use-language.ts";
import { ageText } from "./age.ts";
import { Part } from "./parts.tsx";
import { SetupForm } from "./setup-form.tsx";

interface SendingPanelProps {
  readonly sinks: readonly SinkState[];
}

/** What leaves the gateway: how it fares, and for an owner how it is set up. */
export function SendingPanel({ sinks }: SendingPanelProps) {
  const { user } = useGateway();
  if (user.role === "owner") return <OwnPanel sinks={sinks} />;
  return sinks.length === 0 ? null : <Panel sinks={sinks} setups={[]} done="" onWork={() => {}} />;
}

/** What is being done: one dialog at a time. */
interface Work {
  readonly kind: "set" | "clear";
  readonly setup: Setup;
}

function OwnPanel({ sinks }: SendingPanelProps) {
  const texts = useTexts(sinkTexts);
  const { api, reloadStatus } = useGateway();
  const { part, reload } = useLoaded(loadSetups, "");
  const [work, setWork] = useState<Work | null>(null);
  const [done, setDone] = useState("");
  const setups = readyValue(part) ?? [];
  if (sinks.length + setups.length === 0) return null;
  const finish = (text: string) => {
    setWork(null);
    setDone(text);
    reload();
    reloadStatus();
  };
  const begin = (next: Work | null) => {
    setDone("");
    setWork(next);
  };
  const name = work?.setup.name;
  const shown = name === undefined ? "" : texts.names[name];
  return (
    <>
      <Panel sinks={sinks} setups={setups} done={done} onWork={begin} />
      {work?.kind === "set" && (
        <Dialog title={shown} onClose={() => begin(null)}>
          <SetupForm
            name={work.setup.name}
            setup={work.setup}
            onDone={() => finish(name === "notice" ? texts.savedNotice : texts.saved(shown))}
            onCancel={() => begin(null)}
          />
        </Dialog>
      )}
      {work?.kind === "clear" && (
        <Confirm
          title={texts.of(name === "notice" ? texts.usual : texts.turnOff, shown)}
          action={name === "notice" ? texts.usual : texts.turnOff}
          busyText={texts.turningOff}
          meaning={name === "notice" ? texts.usualMeans : texts.offMeans}
          failures={{ 409: texts.conflict, 429: texts.tooMany }}
          onConfirm={() => clearSetup(api, work.setup.name)}
          onDone={() => finish(name === "notice" ? texts.savedNotice : texts.turnedOff(shown))}
          onClose={() => begin(null)}
        />
      )}
    </>
  );
}

interface PanelProps extends SendingPanelProps {
  /** None for a member who may not set them up. */
  readonly setups: readonly Setup[];
  /** What was done last. */
  readonly done: string;
  readonly onWork: (work: Work) => void;
}

function Panel({ sinks, setups, done, onWork }: PanelProps) {
  const texts = useTexts(sinkTexts);
  const rows = SETUP_NAMES.flatMap((name) => {
    const sink = sinks.find((one) => one.name === name);
    const setup = setups.find((one) => one.name === name);
    return sink === undefined && setup === undefined ? [] : [{ name, sink, setup }];
  });
  return (
    <section class="panel" aria-labelledby="state-sending">
      <h2 id="state-sending">{texts.title}</h2>
      <p class="soft">{texts.intro}</p>
      <p class={done === "" ? "aloud" : "done-note"} role="status">
        {done}
      </p>
      <ul class="parts">
        {rows.map((row) => (
          <Row key={row.name} {...row} onWork={onWork} />
        ))}
      </ul>
    </section>
  );
}

interface RowProps {
  readonly name: SetupName;
  /** Absent while it is off. */
  readonly sink: SinkState | undefined;
  readonly setup: Setup | undefined;
  readonly onWork: (work: Work) => void;
}

function Row({ name, sink, setup, onWork }: RowProps) {
  const texts = useTexts(sinkTexts);
  const states = useTexts(stateTexts);
  const format = useFormat();
  const shown = texts.names[name];
  const answer = () => {
    if (name === "notice") return setup?.madeIn == null ? texts.noticeUsual : texts.noticeOwn;
    if (sink === undefined) return texts.off;
    if (sink.failure !== null) return texts.failing;
    const { waiting, behindMs } = sink;
    return waiting === 0
      ? texts.upToDate
      : texts.waiting(format.count(waiting), ageText(behindMs, states, format));
  };
  const isBad = sink !== undefined && sink.failure !== null;
  const kind = isBad ? "warn" : sink === undefined && name !== "notice" ? "off" : "well";
  return (
    <Part
      title={shown}
      answer={answer()}
      kind={kind}
      actions={setup !== undefined && <Actions setup={setup} isOn={sink !== undefined} onWork={onWork} />}
    >
      {sink !== undefined && <SinkDetail sink={sink} />}
      {setup?.madeIn === "file" && <p>{texts.inFile}</p>}
    </Part>
  );
}

function SinkDetail({
  sink: { waiting, behindMs, deliveredTime, givenUp, failure },
}: {
  readonly sink: SinkState;
}) {
  const texts = useTexts(sinkTexts);
  const states = useTexts(stateTexts);
  const format = useFormat();
  return (
    <>
      {failure !== null && (
        <>
          <p>{texts.failingSince(format.count(failure.tries), format.dateTime(failure.sinceTime))}</p>
          {waiting > 0 && <p>{texts.waiting(format.count(waiting), ageText(behindMs, states, format))}</p>}
          <p>{texts.failingTodo}</p>
          <Technical message={failure.message} hint={failure.hint} />
        </>
      )}
      <p>{deliveredTime === null ? texts.neverDelivered : texts.delivered(format.dateTime(deliveredTime))}</p>
      {givenUp > 0 && <p>{texts.givenUp(format.count(givenUp))}</p>}
    </>
  );
}

/** The gateway's own words, which are English. */
function Technical({ message, hint }: { readonly message: string; readonly hint: string }) {
  const texts = useTexts(sinkTexts);
  return (
    <p>
      {texts.forTechnician}{" "}
      <span lang="en">
        {message} {hint}
      </span>
    </p>
  );
}

interface ActionsProps extends Pick<RowProps, "onWork"> {
  readonly setup: Setup;
  readonly isOn: boolean;
}

const CONFLICT = 409;

function Actions({ setup, isOn, onWork }: ActionsProps) {
  const { name, madeIn } = setup;
  const texts = useTexts(sinkTexts);
  const { api, reloadStatus } = useGateway();
  const { isBusy, failure, send } = useSending();
  const [tested, setTested] = useState<SinkTestAnswer["data"] | null>(null);
  const of = (action: string) => texts.of(action, texts.names[name]);
  const test = () => {
    if (name === "notice") return;
    setTested(null);
    void send(async () => setTested(await testSink(api, name))).then(reloadStatus);
  };
  return (
    <div class="sink-actions">
      <div role="status">
        {isBusy && <p>{texts.testWaits}</p>}
        {tested !== null && (
          <>
            <p class={tested.reached ? "sink-good" : "sink-bad"}>
              {tested.reached ? texts.reached : texts.notReached}
            </p>
            <div class="fine">
              <Technical message={tested.message} hint={tested.hint} />
            </div>
          </>
        )}
      </div>
      <FormFailure failure={failure} texts={{ [CONFLICT]: texts.busy }} />
      <div class="actions">
        {isOn && name !== "notice" && (
          <Button isBusy={isBusy} label={of(texts.test)} onPress={test}>
            {isBusy ? texts.testing : texts.test}
          </Button>
        )}
        {madeIn !== "file" && (
          <Button
            label={of(madeIn === null ? texts.setUp : texts.change)}
            onPress={() => onWork({ kind: "set", setup })}
          >
            {madeIn === null ? texts.setUp : texts.change}
          </Button>
        )}
        {madeIn === "page" && (
          <Button
            kind="quiet"
            label={of(name === "notice" ? texts.usual : texts.turnOff)}
            onPress={() => onWork({ kind: "clear", setup })}
          >
            {name === "notice" ? texts.usual : texts.turnOff}
          </Button>
        )}
      </div>
    </div>
  );
}
