import { useId } from "preact/hooks";
import type { Chip, Line, Wiring } from "../api/shapes.ts";
import { Button } from "../element/button.tsx";
import { Nothing, OnTag, Panel } from "../element/notice.tsx";
import { useFormat } from "../live/gateway.ts";
import { linesTexts } from "../messages/lines.ts";
import { useTexts } from "../messages/use-language.ts";
import { type Board, isFree, lineName, linesOf, wiringOf } from "./board.ts";
import { PlannedPrices } from "./prices.tsx";
import type { LineTest } from "./use-line-test.ts";

interface WiredPanelProps {
  readonly board: Board;
  readonly doing: LineDoing;
  /** Undefined for a member who may not change prices. */
  readonly onPrices: (() => void) | undefined;
  /** Gets what was done in words. */
  readonly onDone: (text: string) => void;
}

export function WiredPanel({ board, doing, onPrices, onDone }: WiredPanelProps) {
  const texts = useTexts(linesTexts);
  const { compare } = useFormat();
  const wired = linesOf(board)
    .flatMap((line) => {
      const wiring = wiringOf(line, board.wirings);
      return wiring === undefined ? [] : [{ line, wiring }];
    })
    .sort((one, other) => compare(one.wiring.actuatorId, other.wiring.actuatorId));
  const found = new Set(wired.map(({ wiring }) => wiring.line));
  const lost = board.wirings.filter(({ line }) => !found.has(line));
  return (
    <Panel
      title={texts.wiredTitle}
      beside={
        onPrices !== undefined &&
        board.wirings.length > 0 && (
          <Button kind="quiet" onPress={onPrices}>
            {texts.prices}
          </Button>
        )
      }
    >
      {onPrices !== undefined && <PlannedPrices onDone={onDone} />}
      {board.wirings.length === 0 ? (
        <Nothing title={texts.wiredNone} detail={texts.wiredNoneDetail} />
      ) : (
        <ul class="wired-list lines">
          {wired.map(({ line, wiring }) => (
            <WiredLine key={line.address} line={line} wiring={wiring} doing={doing} />
          ))}
          {lost.map((wiring) => (
            <WiredLine key={wiring.line} line={lostLine(wiring)} wiring={wiring} doing={doing} />
          ))}
        </ul>
      )}
    </Panel>
  );
}

/** A wired line that no chip has: it can be unwired all the same. */
function lostLine({ line, dId, actuatorId }: Wiring): Line {
  return {
    address: line,
    name: null,
    consumer: null,
    wired: { deviceName: dId, dId, actuatorId },
    wiredByOther: false,
    watched: false,
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
  const { levelOf, onWire, onUnwire, onDrive, test, tests } = doing;
  const name = lineName(line);
  const level = levelOf(line);
  const isMoved = test.isOn && test.moves.moves[0]?.line === line.address;
  return (
    <li class={isMoved ? "wired wired-moved" : "wired"}>
      <div class="wired-level">
        {line.watched ? (
          <LevelTag level={level} isRoom />
        ) : (
          <span class="tag tag-bad">{texts.notWatched}</span>
        )}
      </div>
      <div class="wired-room words">
        <strong class="large">{wiring.actuatorId}</strong>
        {tests.has(wiring.line) && <span class="tag tag-warn">{texts.underTest}</span>}
        <span class="soft">{line.wired?.deviceName}</span>
      </div>
      <div class="wired-line words">
        <span>{name}</span>
        {line.name !== null && <span class="soft">{line.address}</span>}
      </div>
      <div class="wired-price number">{wiring.valor === null ? null : money(wiring.valor)}</div>
      <div class="wired-do">
        {onDrive !== undefined && (
          <DriveSwitch
            line={name}
            isHigh={(level ?? false) !== wiring.activeLow}
            onDrive={(high) => onDrive(line, high)}
          />
        )}
        <Button kind="quiet" icon="edit" label={texts.changeOf(name)} onPress={() => onWire(line)} />
        <Button kind="quiet" icon="unlink" label={texts.disconnectOf(name)} onPress={() => onUnwire(line)} />
      </div>
      {line.problem !== null && (
        <p class="wired-problem" lang="en">
          {line.problem}
        </p>
      )}
    </li>
  );
}

export function ChipPanel({ chip, doing }: { readonly chip: Chip; readonly doing: LineDoing }) {
  const texts = useTexts(linesTexts);
  const { count } = useFormat();
  return (
    <Panel
      title={
        <>
          {chip.chip} <span class="soft">{chip.label}</span>
        </>
      }
      beside={
        <span class="soft">
          {texts.chipCount(count(chip.lines.length), count(chip.lines.filter(isFree).length))}
        </span>
      }
    >
      <ul class="chip-lines">
        {chip.lines.map((line) => (
          <ChipLine key={line.address} line={line} doing={doing} />
        ))}
      </ul>
    </Panel>
  );
}

function ChipLine({ line, doing }: { readonly line: Line; readonly doing: LineDoing }) {
  const texts = useTexts(linesTexts);
  const id = useId();
  const { levelOf, onWire, onDrive, test } = doing;
  const name = lineName(line);
  const level = levelOf(line);
  const canWire = isFree(line);
  const isMoved = test.isOn && test.moves.moves[0]?.line === line.address;
  const styles = ["chip-line"];
  if (!canWire) styles.push("chip-line-used");
  if (isMoved) styles.push("chip-line-moved");
  return (
    <li class={styles.join(" ")}>
      <div class="chip-line-head">
        {test.isOn && canWire && (
          <input
            id={id}
            type="checkbox"
            aria-label={texts.testPick(name)}
            checked={test.picked.has(line.address)}
            onChange={() => test.toggle(line.address)}
          />
        )}
        <label class="chip-line-name words" for={test.isOn && canWire ? id : undefined}>
          <strong>{name}</strong>
          {line.name !== null && <span class="soft">{line.address}</span>}
        </label>
        {level !== null && <LevelTag level={level} isRoom={line.wired !== null} />}
      </div>
      <div class="chip-line-foot">
        <span class="chip-line-use fine">{useText(line, texts)}</span>
        {onDrive !== undefined && canWire && (
          <DriveSwitch line={name} isHigh={level ?? false} onDrive={(high) => onDrive(line, high)} />
        )}
        {canWire && (
          <Button label={texts.connectOf(name)} onPress={() => onWire(line)}>
            {texts.connect}
          </Button>
        )}
      </div>
    </li>
  );
}

function useText({ wired, wiredByOther, consumer }: Line, texts: typeof linesTexts.es): string {
  if (wired !== null) return texts.roomOf(wired.actuatorId, wired.deviceName);
  if (wiredByOther) return texts.others;
  return consumer === null ? texts.free : texts.usedBy(consumer);
}

interface LevelTagProps {
  /** Null while it is unknown. */
  readonly level: boolean | null;
  /** A room is on or off; a line that is no room is active or not. */
  readonly isRoom: boolean;
}

function LevelTag({ level, isRoom }: LevelTagProps) {
  const texts = useTexts(linesTexts);
  if (level === null) return <span class="tag">{texts.unknown}</span>;
  if (isRoom) return <OnTag isOn={level} />;
  return <span class={level ? "tag tag-on" : "tag"}>{level ? texts.high : texts.low}</span>;
}

interface DriveSwitchProps {
  readonly line: string;
  readonly isHigh: boolean;
  readonly onDrive: (high: boolean) => void;
}

/** Stands for the relay of a simulated line. */
function DriveSwitch({ line, isHigh, onDrive }: DriveSwitchProps) {
  const texts = useTexts(linesTexts);
  return (
    <button
      type="button"
      role="switch"
      class="drive"
      aria-checked={isHigh}
      aria-label={texts.drive(line)}
      title={texts.drive(line)}
      onClick={() => onDrive(!isHigh)}
    >
      <span class="drive-knob" aria-hidden="true" />
    </button>
  );
}

/** The actions for a line, and its level now. */
export interface LineDoing {
  /** Null while it is unknown. */
  readonly levelOf: (line: Line) => boolean | null;
  /** Wires it, or changes how it is wired. */
  readonly onWire: (line: Line) => void;
  readonly onUnwire: (line: Line) => void;
  /** Sets the physical level of a simulated line; undefined where lines are real. */
  readonly onDrive: ((line: Line, high: boolean) => void) | undefined;
  readonly test: LineTest;
  /** Names of the lines that do not count now. */
  readonly tests: ReadonlySet<string>;
}
