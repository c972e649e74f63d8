import { useState } from "preact/hooks";
import { driveLine, type Line } from "../api/line.ts";
import { Button } from "../element/button.tsx";
import { Nothing, Unread } from "../element/nothing.tsx";
import { ViewFrame } from "../frame/view.tsx";
import { useVisit } from "../frame/visit.ts";
import { useSending } from "../live/use-sending.ts";
import { linesTexts } from "../messages/lines.ts";
import { useTexts } from "../messages/speech.ts";
import { linesOf, wiringOf } from "./board.ts";
import { ChipPanel } from "./chip-panel.tsx";
import type { LineDoing } from "./doing.ts";
import { TestPanel } from "./test-panel.tsx";
import { Unwire } from "./unwire.tsx";
import { type Board, useBoard } from "./use-board.ts";
import { useLineTest } from "./use-line-test.ts";
import { WireForm } from "./wire-form.tsx";
import { WiredPanel } from "./wired-panel.tsx";

type Work = { readonly kind: "wire" | "unwire"; readonly line: Line };

/** The technician's page: which line is which room, live, and a way to find out. */
export function LinesView() {
  const texts = useTexts(linesTexts);
  const { api } = useVisit();
  const test = useLineTest();
  const { part, levels, note, reload } = useBoard(test.change);
  const [work, setWork] = useState<Work | null>(null);
  const [done, setDone] = useState("");
  const driving = useSending();
  const board = part.kind === "ready" ? part.value : undefined;
  const all = board === undefined ? [] : linesOf(board.lines);

  const levelOf = (line: Line): boolean | null => {
    if (line.wired !== null) return line.isWatched ? (levels.get(line.address) ?? line.level) : null;
    return test.moves.levels.get(line.address) ?? levels.get(line.address) ?? line.level;
  };
  const drive = async (line: Line, high: boolean) => {
    if (!(await driving.send(() => driveLine(api, line.address, high)))) return;
    // A line that nobody watches tells nothing of itself.
    if (line.wired === null && !test.picked.has(line.address)) note(line.address, high);
  };
  const doing: LineDoing = {
    levelOf,
    onWire: (line) => setWork({ kind: "wire", line }),
    onUnwire: (line) => setWork({ kind: "unwire", line }),
    onDrive: board?.lines.isSimulated === true ? (line, high) => void drive(line, high) : undefined,
    test,
  };
  const finish = (text: string) => {
    // A line that is wired tells its own moves.
    if (work?.kind === "wire") test.drop(work.line.address);
    setWork(null);
    setDone(text);
    reload();
  };

  return (
    <ViewFrame
      title={texts.title}
      intro={texts.intro}
      actions={
        all.length > 0 && (
          <Button kind={test.isOn ? "plain" : "main"} onPress={test.isOn ? test.end : test.begin}>
            {test.isOn ? texts.testStop : texts.test}
          </Button>
        )
      }
    >
      <p class={done === "" ? "aloud" : "done-note"} role="status">
        {done}
      </p>
      {part.kind === "failed" && (
        <section class="panel">
          <Unread text={texts.failed} onRetry={reload} />
        </section>
      )}
      {board !== undefined && all.length === 0 && (
        <section class="panel">
          <Nothing title={texts.none} detail={texts.noneDetail} />
        </section>
      )}
      {test.isOn && <TestPanel lines={all} doing={doing} />}
      {board !== undefined && all.length > 0 && (
        <>
          <WiredPanel board={board} doing={doing} />
          {board.lines.chips.map((chip) => (
            <ChipPanel key={chip.chip} chip={chip} doing={doing} />
          ))}
        </>
      )}
      {work !== null && board !== undefined && (
        <WorkDialog work={work} board={board} onDone={finish} onClose={() => setWork(null)} />
      )}
    </ViewFrame>
  );
}

interface WorkDialogProps {
  readonly work: Work;
  readonly board: Board;
  readonly onDone: (text: string) => void;
  readonly onClose: () => void;
}

function WorkDialog({ work, board, onDone, onClose }: WorkDialogProps) {
  const wiring = wiringOf(work.line, board.wirings);
  if (work.kind === "wire")
    return <WireForm line={work.line} board={board} onDone={onDone} onClose={onClose} />;
  if (wiring === undefined) return null;
  return <Unwire line={work.line} wiring={wiring} onDone={onDone} onClose={onClose} />;
}
