import { useState } from "preact/hooks";
import { MINUTE_MS } from "../../domain/clock.ts";
import { DEFAULT_TEST_MS, MAX_TEST_MS } from "../../domain/line.ts";
import type { Line } from "../api/shapes.ts";
import { Button } from "../element/button.tsx";
import { DataTable } from "../element/data-table.tsx";
import { Dialog, useDialogs } from "../element/dialog.tsx";
import { SelectField } from "../element/field.tsx";
import { Form, useForm } from "../element/form.tsx";
import { Moment } from "../element/moment.tsx";
import { Panel } from "../element/notice.tsx";
import { useFormat, useGateway } from "../live/gateway.ts";
import { useData } from "../live/use-loaded.ts";
import { linesTexts } from "../messages/lines.ts";
import { useTexts } from "../messages/use-language.ts";
import { type Board, isFree, lineName } from "./board.ts";
import type { LineDoing } from "./line-panels.tsx";
import { RoomChoice } from "./room-choice.tsx";

const HOUR_MINUTES = 60;
const MINUTES = [15, DEFAULT_TEST_MS / MINUTE_MS, HOUR_MINUTES, 2 * HOUR_MINUTES, MAX_TEST_MS / MINUTE_MS];

interface TestDialogProps {
  readonly board: Board;
  readonly onDone: () => void;
}

/** Which rooms do not count while they are tested, and for how long. Without any, only free lines are looked at. */
export function TestDialog({ board: { devices, wirings }, onDone }: TestDialogProps) {
  const texts = useTexts(linesTexts);
  const { api, format } = useGateway();
  const { open } = useDialogs();
  const form = useForm({});
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [minutes, setMinutes] = useState(DEFAULT_TEST_MS / MINUTE_MS);
  const send = () =>
    form.submit(true, async () => {
      if (chosen.size > 0) await api.send("put", "/api/test", { test: { lines: [...chosen], minutes } });
      open(null);
      onDone();
    });
  return (
    <Dialog title={texts.test}>
      <Form form={form} onSubmit={send} action={chosen.size > 0 ? texts.testBegin : texts.testFreeOnly}>
        <p>{texts.testMeaning}</p>
        <SelectField
          label={texts.testFor}
          value={String(minutes)}
          choices={MINUTES.map((each) => ({ value: String(each), text: format.duration(each * MINUTE_MS) }))}
          onValue={(value) => setMinutes(Number(value))}
          hint={texts.testForHint}
        />
        <div class="test-form">
          <RoomChoice
            devices={devices}
            wirings={wirings}
            chosen={chosen}
            onChosen={setChosen}
            textOf={({ actuatorId }) => actuatorId}
          />
        </div>
      </Form>
    </Dialog>
  );
}

const SHOWN_MOVES = 6;

/** Says, large and aloud, which line moved when a relay is switched. */
export function TestPanel({ lines, doing }: { readonly lines: readonly Line[]; readonly doing: LineDoing }) {
  const texts = useTexts(linesTexts);
  const { count, exactTime } = useFormat();
  const { test, onWire } = doing;
  const free = lines.filter(isFree);
  const [last, ...before] = test.moves.moves;
  const lastLine = lines.find(({ address }) => address === last?.line);
  const room = lastLine?.wired?.actuatorId;
  const named = (address: string) => {
    const line = lines.find((candidate) => candidate.address === address);
    return line === undefined ? address : lineName(line);
  };
  const { size } = test.picked;
  return (
    <Panel class="test column" title={texts.testTitle}>
      <p>{texts.testHow}</p>
      <div class="screen" role="status">
        {last === undefined ? (
          <p class="soft">{texts.testWaiting}</p>
        ) : (
          <>
            <p class="test-line">
              {room === undefined ? texts.moved(named(last.line)) : texts.movedRoom(named(last.line), room)}
            </p>
            <p class="soft">
              {last.level ? texts.movedHigh : texts.movedLow} · {exactTime(last.timeMs)}
            </p>
          </>
        )}
      </div>
      {lastLine !== undefined && isFree(lastLine) && (
        <Button kind="main" onPress={() => onWire(lastLine)}>
          {texts.connectOf(lineName(lastLine))}
        </Button>
      )}
      {before.length > 0 && (
        <ol class="lines fine">
          {before.slice(0, SHOWN_MOVES).map((move) => (
            <li key={move.number}>
              <span class="soft">{exactTime(move.timeMs)}</span> {named(move.line)}{" "}
              {move.level ? texts.movedHigh : texts.movedLow}
            </li>
          ))}
        </ol>
      )}
      <div class="row soft">
        <p>{size === 0 ? texts.testCountZero : texts.testCount(count(size))}</p>
        <div class="actions row">
          <Button onPress={() => test.pick(free.map(({ address }) => address))}>{texts.testAll}</Button>
          {size > 0 && <Button onPress={() => test.pick([])}>{texts.testNone}</Button>}
        </div>
      </div>
      <p class="form-failure" role="alert">
        {test.refused !== null && texts.unreadable(named(test.refused))}
        {test.hasFailed && ` ${texts.testFailed}`}
      </p>
    </Panel>
  );
}

/** What was switched on under test: kept apart from the sales. */
export function TestedPanel() {
  const texts = useTexts(linesTexts);
  const { tested } = texts;
  const edges = useData("/api/test/edge", ["actuator", "tests"]).value ?? [];
  if (edges.length === 0) return null;
  return (
    <Panel title={tested.title}>
      <p class="soft">{tested.intro}</p>
      <DataTable
        caption={tested.title}
        rows={edges}
        keyOf={({ line, time }) => `${line} ${time}`}
        columns={[
          { title: texts.room, isName: true, cell: ({ room }) => room },
          { title: texts.line, cell: ({ line }) => line },
          { title: tested.time, cell: ({ time }) => <Moment timeMs={time} /> },
        ]}
      />
    </Panel>
  );
}
