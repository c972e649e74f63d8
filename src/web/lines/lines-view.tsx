import { useState } from "preact/hooks";
import type { Line } from "../api/shapes.ts";
import { useDialogs, useFinish } from "../element/dialog.tsx";
import { FormFailure, useSending } from "../element/form.tsx";
import { NothingPanel, NotReadyPanel } from "../element/notice.tsx";
import { ViewFrame } from "../frame/view.tsx";
import type { LiveEvent } from "../live/events.ts";
import { useGateway } from "../live/gateway.ts";
import { type LoadedPart, useLoaded, useNewDay, useTests } from "../live/use-loaded.ts";
import { commissionTexts } from "../messages/commission.ts";
import { linesTexts } from "../messages/lines.ts";
import { useTexts } from "../messages/use-language.ts";
import { Link } from "../navigation.tsx";
import { type Board, linesOf, switchLine } from "./board.ts";
import { ChipPanel, type LineDoing, WiredPanel } from "./line-panels.tsx";
import { Unwire, WireForm } from "./wire-form.tsx";

/** The technician's page: which line is which room, live. Which one moves, a commissioning tells. */
export function LinesView() {
  const texts = useTexts(linesTexts);
  const { title: commissionTitle } = useTexts(commissionTexts);
  const { api } = useGateway();
  const loaded = useBoard();
  /** Addresses of the simulated lines that were switched here: one that is free tells no level. */
  const [driven, setDriven] = useState<ReadonlyMap<string, boolean>>(new Map());
  const { open } = useDialogs();
  const { failure, send } = useSending();
  const tests = useTests();
  const board = loaded.value;
  const all = board === undefined ? [] : linesOf(board);

  const drive = ({ address }: Line, high: boolean) =>
    send(async () => {
      await api.send("post", "/api/line/drive", { line: address, level: high });
      setDriven((before) => new Map(before).set(address, high));
    });
  const onDone = useFinish(loaded.reload);
  const doing: LineDoing = {
    levelOf: (line) =>
      line.wired === null ? (driven.get(line.address) ?? null) : line.watched ? line.level : null,
    onWire: (line) => board && open(<WireForm line={line} board={board} onDone={onDone} />),
    onUnwire: (line, wiring) => open(<Unwire line={line} wiring={wiring} onDone={onDone} />),
    onDrive: board?.simulated === true ? (line, high) => void drive(line, high) : undefined,
    tests: new Set(tests.map(({ line }) => line)),
  };

  return (
    <ViewFrame
      title={texts.title}
      intro={texts.intro}
      actions={
        all.length > 0 && (
          <Link to="commission" class="button button-main">
            {commissionTitle}
          </Link>
        )
      }
    >
      <FormFailure failure={failure} />
      <NotReadyPanel of={loaded} />
      {board !== undefined && all.length === 0 && (
        <NothingPanel title={texts.none} detail={texts.noneDetail} />
      )}
      {board !== undefined && all.length > 0 && (
        <>
          <WiredPanel board={board} doing={doing} />
          {board.chips.map((chip) => (
            <ChipPanel key={chip.chip} chip={chip} doing={doing} />
          ))}
        </>
      )}
    </ViewFrame>
  );
}

/** Every line with its room and its level, kept current. */
function useBoard(): LoadedPart<Board> {
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
  return loaded;
}

function afterSwitch(board: Board, event: LiveEvent): Board {
  return event.kind === "actuator" ? switchLine(board, event.data) : board;
}
