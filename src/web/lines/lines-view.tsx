import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { MINUTE_MS } from "../../domain/clock.ts";
import type { Line } from "../api/shapes.ts";
import { Button } from "../element/button.tsx";
import { useDialogs } from "../element/dialog.tsx";
import { FormFailure, useSending } from "../element/form.tsx";
import { NothingPanel, Notice, NotReadyPanel } from "../element/notice.tsx";
import { ViewFrame } from "../frame/view.tsx";
import { useGateway, useLiveEvents } from "../live/gateway.ts";
import { type Loaded, useLoaded, useNewDay, useTests } from "../live/use-loaded.ts";
import { linesTexts } from "../messages/lines.ts";
import { useTexts } from "../messages/use-language.ts";
import { addressOfRoom, type Board, linesOf, wiringName } from "./board.ts";
import { ChipPanel, type LineDoing, WiredPanel } from "./line-panels.tsx";
import { TestDialog, TestedPanel, TestPanel } from "./line-test.tsx";
import { useLineTest } from "./use-line-test.ts";
import { Unwire, WireForm } from "./wire-form.tsx";

/** The technician's page: which line is which room, live, and a way to find out. */
export function LinesView() {
  const texts = useTexts(linesTexts);
  const { api, format, now, user } = useGateway();
  const test = useLineTest();
  const { board: loaded, levels, note } = useBoard(test.change);
  const { open, finish } = useDialogs();
  const driving = useSending();
  const ending = useSending();
  const tests = useTests();
  // Also one that was begun on another screen, or before the page was opened.
  const firstEndMs = tests.map(({ untilTime }) => untilTime).sort()[0];
  const isTested = firstEndMs !== undefined;
  const testEndMs = useRef(firstEndMs);
  testEndMs.current = firstEndMs;
  useEffect(() => {
    if (isTested) test.begin();
  }, [isTested]);
  const board = loaded.value;
  const all = board === undefined ? [] : linesOf(board);

  const levelOf = (line: Line): boolean | null => {
    if (line.wired !== null) return line.watched ? (levels.get(line.address) ?? line.level) : null;
    return test.moves.levels.get(line.address) ?? levels.get(line.address) ?? line.level;
  };
  const drive = async (line: Line, high: boolean) => {
    if (!(await driving.send(() => api.send("post", "/api/line/drive", { line: line.address, level: high }))))
      return;
    // A line that is not watched sends no events.
    if (line.wired === null && !test.picked.has(line.address)) note(line.address, high);
  };
  const onDone = (text: string) => {
    finish(text);
    loaded.reload();
  };
  const doing: LineDoing = {
    levelOf,
    onWire: (line) => board && open(<WireForm line={line} board={board} onDone={onWired(line, board)} />),
    onUnwire: (line, wiring) => open(<Unwire line={line} wiring={wiring} onDone={onDone} />),
    onDrive: board?.simulated === true ? (line, high) => void drive(line, high) : undefined,
    test,
    tests: new Set(tests.map(({ line }) => line)),
  };
  const uncovered = (board?.wirings ?? []).filter(({ line }) => !doing.tests.has(line));
  const endTest = async () => {
    if (!isTested || (await ending.send(() => api.remove("/api/test")))) test.end();
  };
  const onWired = (line: Line, of: Board) => (text: string) => {
    // A line that is wired tells its own moves.
    test.drop(line.address);
    // What is wired during a test belongs to it.
    if (line.wired === null && testEndMs.current !== undefined) {
      const minutes = Math.ceil((testEndMs.current - now()) / MINUTE_MS);
      const added = { lines: [wiringName(of, line)], minutes };
      void ending.send(() => api.send("put", "/api/test", { test: added }));
    }
    onDone(text);
  };
  const beginTest = () => {
    if (board === undefined || board.wirings.length === 0) test.begin();
    else open(<TestDialog board={board} onDone={test.begin} />);
  };

  return (
    <ViewFrame
      title={texts.title}
      intro={texts.intro}
      actions={
        all.length > 0 && (
          <Button
            kind={test.isOn ? "plain" : "main"}
            isBusy={ending.isBusy}
            onPress={() => (test.isOn ? void endTest() : beginTest())}
          >
            {test.isOn ? texts.testStop : texts.test}
          </Button>
        )
      }
    >
      <FormFailure failure={ending.failure ?? driving.failure} />
      <NotReadyPanel of={loaded} />
      {board !== undefined && all.length === 0 && (
        <NothingPanel title={texts.none} detail={texts.noneDetail} />
      )}
      {test.isOn && uncovered.length > 0 && (
        <Notice kind="warn" title={texts.testCounts(format.count(uncovered.length))}>
          <p>{texts.testCountsDetail}</p>
        </Notice>
      )}
      {test.isOn && <TestPanel lines={all} doing={doing} />}
      {board !== undefined && all.length > 0 && (
        <>
          <WiredPanel board={board} doing={doing} onPriced={user.role === "owner" ? onDone : undefined} />
          {board.chips.map((chip) => (
            <ChipPanel key={chip.chip} chip={chip} doing={doing} />
          ))}
        </>
      )}
      {all.length > 0 && <TestedPanel />}
    </ViewFrame>
  );
}

interface LiveBoard {
  readonly board: Loaded<Board>;
  /** Address to level, for lines that moved since they were fetched. */
  readonly levels: ReadonlyMap<string, boolean>;
  /** Sets a level that is known by other means. */
  readonly note: (address: string, level: boolean) => void;
}

/** Every line with its room and its level, kept current. `onMove` is called for each room that is switched. */
function useBoard(onMove: (address: string, level: boolean, timeMs: number) => void): LiveBoard {
  const loaded = useLoaded<Board>(
    async (api) => {
      const [{ simulated, chips }, devices, wirings] = await Promise.all([
        api.data("/api/line"),
        api.data("/api/device"),
        api.data("/api/wiring"),
      ]);
      return { simulated, chips, devices, wirings };
    },
    "",
    ["locations"],
  );
  // A planned price begins with its day. No new key: where the answer does not come, a form in front would go.
  useNewDay(loaded.reload);
  const [levels, setLevels] = useState<ReadonlyMap<string, boolean>>(new Map());
  const note = useCallback(
    (address: string, level: boolean) => setLevels((before) => new Map(before).set(address, level)),
    [],
  );
  useLiveEvents((event) => {
    // Everything is fetched again, and what was known before is uncertain: a line may be another room by now.
    if (event.kind === "missed" || event.kind === "locations") setLevels(new Map());
    if (event.kind !== "actuator" || loaded.kind !== "ready") return;
    const { deviceId, actuatorId, value, time } = event.data;
    const address = addressOfRoom(loaded.value, deviceId, actuatorId);
    if (address === undefined) return;
    note(address, value);
    onMove(address, value, time);
  });
  const reload = () => {
    setLevels(new Map());
    loaded.reload();
  };
  return { board: { ...loaded, reload }, levels, note };
}
