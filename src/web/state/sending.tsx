import { useState } from "preact/hooks";
import type { SetupName } from "../../domain/sink.ts";
import { CONFLICT } from "../api/api.ts";
import type { Answer, Setup, SinkState, Status } from "../api/shapes.ts";
import { Button } from "../element/button.tsx";
import { Confirm, Dialog, DialogButton, useFinish } from "../element/dialog.tsx";
import { FormFailure, useSending } from "../element/form.tsx";
import { Panel } from "../element/notice.tsx";
import { ageText } from "../format/format.ts";
import { useFormat, useGateway } from "../live/gateway.ts";
import { useLoaded } from "../live/use-loaded.ts";
import { sinkTexts } from "../messages/sinks.ts";
import { stateTexts } from "../messages/state.ts";
import { useTexts } from "../messages/use-language.ts";
import { Part } from "./parts.tsx";
import type { Recovery } from "./remote-sheet.tsx";
import { SetupForm } from "./setup-form.tsx";
import { UpdatesPanel } from "./updates.tsx";

interface SendingPanelProps {
  readonly title: string;
  /** Of a folded panel what unfolds it. */
  readonly intro: string;
  /** Those that are shown. */
  readonly names: readonly SetupName[];
  readonly sinks: readonly SinkState[];
  readonly updates?: Status["updates"];
  /** Its rows are folded away unless one of them is on. */
  readonly isFolded?: boolean;
  /** Is given what the recovery sheet shows, and no answer ever shows again. */
  readonly onRecovery?: (recovery: Recovery) => void;
}

/** What leaves the gateway, and the updates that come to it: how they fare, and for an owner how they are set up. */
export function SendingPanel({ title, intro, names, sinks, updates = null, ...props }: SendingPanelProps) {
  const { isFolded = false, onRecovery = () => {} } = props;
  const { self, reloadStatus } = useGateway();
  const isOwner = self.role === "owner";
  const loaded = useLoaded(async (of) => (isOwner ? of.data("/api/sink") : []), "");
  const onChanged = () => {
    loaded.reload();
    reloadStatus();
  };
  const rows = names.flatMap((name) => {
    const sink = sinks.find((one) => one.name === name);
    const setup = loaded.value?.find((one) => one.name === name);
    return sink === undefined && setup === undefined ? [] : [{ name, sink, setup }];
  });
  const [wasOn] = useState(() => sinks.some(({ name }) => names.includes(name)));
  const list = (
    <ul class="lines ruled">
      {rows.map((row) => (
        <Row key={row.name} {...row} onChanged={onChanged} onRecovery={onRecovery} />
      ))}
    </ul>
  );
  const update = loaded.value?.find(({ name }) => name === "update");
  return (
    <>
      {updates !== null && (
        <UpdatesPanel
          updates={updates}
          actions={update && <Actions setup={update} isOn onChanged={onChanged} onRecovery={onRecovery} />}
        />
      )}
      {rows.length > 0 && (
        <Panel title={title}>
          {isFolded ? (
            <details class="stack" open={wasOn}>
              <summary class="good strong">{intro}</summary>
              {list}
            </details>
          ) : (
            <>
              <p class="soft">{intro}</p>
              {list}
            </>
          )}
        </Panel>
      )}
    </>
  );
}

interface RowProps {
  readonly name: SetupName;
  /** Absent while it is off. */
  readonly sink: SinkState | undefined;
  readonly setup: Setup | undefined;
  readonly onChanged: () => void;
  readonly onRecovery: (recovery: Recovery) => void;
}

function Row({ name, sink, setup, ...told }: RowProps) {
  const texts = useTexts(sinkTexts);
  const states = useTexts(stateTexts);
  const format = useFormat();
  const shown = texts.names[name];
  const answer = () => {
    if (name === "notice") return setup?.isSet === true ? texts.noticeOwn : texts.noticeUsual;
    if (sink === undefined) return texts.off;
    if (setup !== undefined && lacksPassphrase(setup)) return texts.sheet.missing;
    if (sink.failure !== null) return texts.failing;
    const { waiting, behindMs } = sink;
    if (waiting === 0 || behindMs === 0) return texts.upToDate;
    const age = ageText(behindMs, states, format);
    // A role without money is told no number.
    return waiting === null ? texts.behind(age) : texts.waiting(format.count(waiting), age);
  };
  const isBad = sink !== undefined && sink.failure !== null;
  const kind = isBad ? "warn" : sink === undefined && name !== "notice" ? "off" : "well";
  return (
    <Part
      title={shown}
      answer={answer()}
      kind={kind}
      actions={setup !== undefined && <Actions setup={setup} isOn={sink !== undefined} {...told} />}
    >
      {sink === undefined && setup?.isSet === false && <p>{texts.means[name]}</p>}
      {sink !== undefined && <SinkDetail sink={sink} />}
    </Part>
  );
}

function SinkDetail({
  sink: { name, waiting, behindMs, deliveredMs, givenUp, backup, failure },
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
          <p>{texts.failingSince(format.count(failure.tries), format.dateTime(failure.sinceMs))}</p>
          {name !== "pulse" && waiting !== null && waiting > 0 && (
            <p>{texts.waiting(format.count(waiting), ageText(behindMs, states, format))}</p>
          )}
          <p>{name === "pulse" ? texts.pulseFailingTodo : texts.failingTodo}</p>
          <Technical message={failure.message} hint={failure.hint} />
        </>
      )}
      {waiting !== null && (
        <p>{deliveredMs === null ? texts.neverDelivered : texts.delivered(format.dateTime(deliveredMs))}</p>
      )}
      {typeof backup?.ageMs === "number" && <p>{texts.remoteAge(ageText(backup.ageMs, states, format))}</p>}
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

/** Whether backups wait for somebody to print what they are encrypted with. */
function lacksPassphrase({ name, isSet, stored }: Setup): boolean {
  return name === "remote" && isSet && !stored.includes("remote_passphrase");
}

interface ActionsProps extends Pick<RowProps, "onChanged" | "onRecovery"> {
  readonly setup: Setup;
  readonly isOn: boolean;
}

function Actions({ setup, isOn, onChanged, onRecovery }: ActionsProps) {
  const { name, isSet } = setup;
  const isSink = name !== "notice" && name !== "update";
  const texts = useTexts(sinkTexts);
  const { api, reloadStatus } = useGateway();
  const { isBusy, failure, send } = useSending();
  const [tested, setTested] = useState<Answer<"post", "/api/sink/test">["data"] | null>(null);
  const shown = texts.names[name];
  const of = (action: string) => texts.of(action, shown);
  const [setAction, clearAction] = [
    isSet || name === "update" ? texts.change : texts.setUp,
    isSink ? texts.turnOff : texts.usual,
  ];
  const offMeaning =
    name === "notice" ? texts.usualMeans : name === "pulse" ? texts.pulseOffMeans : texts.offMeans;
  const onDone = useFinish(onChanged);
  const set = (
    <Dialog title={shown}>
      <SetupForm setup={setup} onDone={() => onDone(isSink ? texts.saved(shown) : texts.savedNotice)} />
    </Dialog>
  );
  const clear = (
    <Confirm
      title={of(clearAction)}
      action={clearAction}
      meaning={offMeaning}
      onConfirm={() => api.remove("/api/sink", { name })}
      onDone={() => onDone(isSink ? texts.turnedOff(shown) : texts.savedNotice)}
    />
  );
  const passphrase = (
    <Confirm
      title={texts.sheet.title}
      action={texts.sheet.make}
      kind={lacksPassphrase(setup) ? "main" : "bad"}
      meaning={lacksPassphrase(setup) ? texts.sheet.firstMeans : texts.sheet.nextMeans}
      onConfirm={() => api.send("post", "/api/sink/passphrase")}
      onDone={({ data }) => {
        onChanged();
        onRecovery({ passphrase: data.passphrase, values: setup.values });
      }}
    />
  );
  const test = () => {
    if (!isSink) return;
    setTested(null);
    void send(async () => setTested((await api.send("post", "/api/sink/test", { name })).data)).then(
      reloadStatus,
    );
  };
  return (
    <div class="sink-actions stack">
      <div role="status">
        {isBusy && <p>{texts.testWaits}</p>}
        {tested !== null && (
          <>
            <p class={tested.reached ? "good strong" : "bad strong"}>
              {tested.reached ? texts.reached : texts.notReached}
            </p>
            <div class="fine">
              <Technical message={tested.message} hint={tested.hint} />
            </div>
          </>
        )}
      </div>
      <FormFailure failure={failure} texts={{ [CONFLICT]: texts.busy }} />
      <div class="actions row">
        {isOn && isSink && (
          <Button isBusy={isBusy} label={of(texts.test)} onPress={test}>
            {texts.test}
          </Button>
        )}
        {name === "remote" && isSet && (
          <DialogButton kind={lacksPassphrase(setup) ? "main" : "quiet"} dialog={passphrase}>
            {lacksPassphrase(setup) ? texts.sheet.make : texts.sheet.makeAnother}
          </DialogButton>
        )}
        <DialogButton label={of(setAction)} dialog={set}>
          {setAction}
        </DialogButton>
        {isSet && name !== "update" && (
          <DialogButton kind="quiet" label={of(clearAction)} dialog={clear}>
            {clearAction}
          </DialogButton>
        )}
      </div>
    </div>
  );
}
