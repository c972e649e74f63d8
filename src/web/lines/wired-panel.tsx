import type { Line } from "../api/line.ts";
import type { Wiring } from "../api/wiring.ts";
import { Button } from "../element/button.tsx";
import { Nothing } from "../element/nothing.tsx";
import { useFormat } from "../frame/visit.ts";
import { linesTexts } from "../messages/lines.ts";
import { useTexts } from "../messages/speech.ts";
import { lineName, linesOf, wiringOf } from "./board.ts";
import type { LineDoing } from "./doing.ts";
import { DriveSwitch } from "./drive-switch.tsx";
import { LevelTag } from "./level-tag.tsx";
import type { Board } from "./use-board.ts";

/** The lines that are rooms. */
export function WiredPanel({ board, doing }: { readonly board: Board; readonly doing: LineDoing }) {
  const texts = useTexts(linesTexts);
  const { compare } = useFormat();
  const wired = linesOf(board.lines)
    .flatMap((line) => {
      const wiring = wiringOf(line, board.wirings);
      return wiring === undefined ? [] : [{ line, wiring }];
    })
    .sort((one, other) => compare(one.wiring.room, other.wiring.room));
  const found = new Set(wired.map(({ wiring }) => wiring.line));
  const lost = board.wirings.filter(({ line }) => !found.has(line));
  return (
    <section class="panel" aria-labelledby="lines-wired">
      <div class="panel-head">
        <h2 id="lines-wired">{texts.wiredTitle}</h2>
      </div>
      {board.wirings.length === 0 ? (
        <Nothing title={texts.wiredNone} detail={texts.wiredNoneDetail} />
      ) : (
        <ul class="wired-list">
          {wired.map(({ line, wiring }) => (
            <WiredLine key={line.address} line={line} wiring={wiring} doing={doing} />
          ))}
          {lost.map((wiring) => (
            <WiredLine key={wiring.line} line={lostLine(wiring)} wiring={wiring} doing={doing} />
          ))}
        </ul>
      )}
    </section>
  );
}

/** A wired line that no chip has: it can be unwired all the same. */
function lostLine({ line, dId, room }: Wiring): Line {
  return {
    address: line,
    name: null,
    consumer: null,
    wired: { deviceName: dId, dId, room },
    isOthers: false,
    isWatched: false,
    level: null,
    problem: null,
  };
}

interface WiredLineProps {
  readonly line: Line;
  readonly wiring: Wiring;
  readonly doing: LineDoing;
}

function WiredLine({ line, wiring, doing }: WiredLineProps) {
  const texts = useTexts(linesTexts);
  const { money } = useFormat();
  const { levelOf, onWire, onUnwire, onDrive, test } = doing;
  const name = lineName(line);
  const level = levelOf(line);
  const isMoved = test.isOn && test.moves.moves[0]?.line === line.address;
  return (
    <li class={isMoved ? "wired wired-moved" : "wired"}>
      <div class="wired-level">
        {line.isWatched ? (
          <LevelTag level={level} isRoom />
        ) : (
          <span class="tag tag-bad">{texts.notWatched}</span>
        )}
      </div>
      <div class="wired-room">
        <strong>{wiring.room}</strong>
        <span class="soft">{line.wired?.deviceName}</span>
      </div>
      <div class="wired-line">
        <span>{name}</span>
        {line.name !== null && <span class="soft">{line.address}</span>}
      </div>
      <div class="wired-price">{money(wiring.valor)}</div>
      <div class="wired-do">
        {onDrive !== undefined && (
          <DriveSwitch
            line={name}
            isHigh={(level ?? false) !== wiring.activeLow}
            onDrive={(high) => onDrive(line, high)}
          />
        )}
        <Button kind="quiet" icon="edit" label={texts.changeOf(name)} onPress={() => onWire(line)} />
        <Button kind="quiet" icon="remove" label={texts.disconnectOf(name)} onPress={() => onUnwire(line)} />
      </div>
      {line.problem !== null && (
        <p class="wired-problem" lang="en">
          {line.problem}
        </p>
      )}
    </li>
  );
}
