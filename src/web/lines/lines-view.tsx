import { useEffect, useRef, useState } from "preact/hooks";
import { MINUTE_MS } from "../../domain/clock.ts";
import type { Line } from "../api/shapes.ts";
import { Button } from "../element/button.tsx";
import { useDialogs } from "../element/dialog.tsx";
import { FormFailure, useSending } from "../element/form.tsx";
import { NothingPanel, Notice, NotReadyPanel } from "../element/notice.tsx";
import { ViewFrame } from "../frame/view.tsx";
import type { LiveEvent } from "../live/events.ts";
import { useGateway, useLiveEvents } from "../live/gateway.ts";
import { type Loaded, useLoaded, useNewDay, useTests } from "../live/use-loaded.ts";
import { linesTexts } from "../messages/lines.ts";
import { useTexts } from "../messages/use-language.ts";
import { addressOfRoom, type Board, linesOf, switchLine, wiringName } from "./board.ts";
import { ChipPanel, type LineDoing, WiredPanel } from "./line-panels.tsx";
import { TestDialog, TestedPanel, TestPanel } from "./line-test.tsx";
import { useLineTest } from "./use-line-test.ts";
import { Unwire, WireForm } from "./wire-form.tsx";

/** The technician's page: which line is which room, live, and a way to find out. */
export function LinesView() {
  const texts = useTexts(linesTexts);
  const { api, format, now, user } = useGateway();
  const test = useLineTest();
  const loaded = useBoard(test.change);
  /** Addresses of the simulated lines that were switched here: one that is free tells no level. */
  const [driven, setDriven] = useState<ReadonlyMap<string, boolean>>(new Map());
  const { open, finish } = useDialogs();
  const driving = useSending();
  const ending = useSending();
  const tests = useTests();
  // Also one that was begun on another screen, or before the page was opened.
  const firstEndMs = tests.map(({ untilMs }) => untilMs).sort()[0];
  const isTested = firstEndMs !== undefined;
  const testEndMs = useRef(firstEndMs);
  testEndMs.current = firstEndMs;
  useEffect(() => {
    if (isTested) test.begin();
  }, [isTested]);
  const board = loaded.value;
  const all = board === undefined ? [] : linesOf(board);

  const levelOf = (line: Line): boolean | null => {
    if (line.wired !== null) return line.watched ? line.level : null;
    return test.moves.levels.get(line.address) ?? driven.get(line.address) ?? null;
  };
  const drive = ({ address }: Line, high: boolean) =>
    driving.send(async () => {
      await api.send("post", "/api/line/drive", { line: address, level: high });
      setDriven((before) => new Map(before).set(address, high));
    });
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

/** Every line with its room and its level, kept current. `onMove` is called for each room that is switched. */
function useBoard(onMove: (address: string, level: boolean, timeMs: number) => void): Loaded<Board> {
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
    afterSwitch,
  );
  // A planned price begins with its day. No new key: where the answer does not come, a form in front would go.
  useNewDay(loaded.reload);
  useLiveEvents((event) => {
    if (event.kind !== "actuator" || loaded.kind !== "ready") return;
    const address = addressOfRoom(loaded.value, event.data);
    if (address !== undefined) onMove(address, event.data.value, event.data.time);
  });
  return loaded;
}

function afterSwitch(board: Board, event: LiveEvent): Board {
  return event.kind === "actuator" ? switchLine(board, event.data) : board;
}
