import type { Chip, Line, Wiring } from "../api/shapes.ts";
import { Button } from "../element/button.tsx";
import { DataTable } from "../element/data-table.tsx";
import { Nothing, OnTag, Panel } from "../element/notice.tsx";
import { useFormat, useGateway } from "../live/gateway.ts";
import { frameTexts } from "../messages/frame.ts";
import { linesTexts } from "../messages/lines.ts";
import { useTexts } from "../messages/use-language.ts";
import { Link } from "../navigation.tsx";
import { maySee } from "../route.ts";
import { type Board, isFree, lineName, linesOf, wiringOf } from "./board.ts";

interface WiredPanelProps {
  readonly board: Board;
  readonly doing: LineDoing;
}

export function WiredPanel({ board, doing }: WiredPanelProps) {
  const texts = useTexts(linesTexts);
  const { prices } = useTexts(frameTexts).nav;
  const { format, self } = useGateway();
  const { compare } = format;
  const wired = linesOf(board)
    .flatMap((line) => {
      const wiring = wiringOf(line, board.wirings);
      return wiring === undefined ? [] : [{ line, wiring }];
    })
    .sort((one, other) => compare(one.wiring.actuatorId, other.wiring.actuatorId));
  const found = new Set(wired.map(({ wiring }) => wiring.line));
  const lost = board.wirings.filter(({ line }) => !found.has(line));
  return (
    <Panel title={texts.wiredTitle} beside={maySee(self, "prices") && <Link to="prices">{prices}</Link>}>
      {board.wirings.length === 0 ? (
        <Nothing title={texts.wiredNone} detail={texts.wiredNoneDetail} />
      ) : (
        <WiredTable
          rows={[...wired, ...lost.map((wiring) => ({ line: lostLine(wiring), wiring }))]}
          doing={doing}
        />
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

interface WiredTableProps {
  readonly rows: readonly { readonly line: Line; readonly wiring: Wiring }[];
  readonly doing: LineDoing;
}

function WiredTable({ rows, doing }: WiredTableProps) {
  const texts = useTexts(linesTexts);
  const { money } = useFormat();
  const { levelOf, onWire, onUnwire, onDrive, tests } = doing;
  return (
    <DataTable
      caption={texts.wiredTitle}
      rows={rows}
      keyOf={({ line }) => line.address}
      columns={[
        {
          title: texts.room,
          isName: true,
          cell: ({ line, wiring }) => (
            <span class="words">
              <strong class="large">{wiring.actuatorId}</strong>
              {tests.has(wiring.line) && <span class="tag is-warn">{texts.underTest}</span>}
              <span class="soft">{line.wired?.deviceName}</span>
            </span>
          ),
        },
        {
          title: texts.level,
          cell: ({ line }) =>
            line.watched ? (
              <LevelTag level={levelOf(line)} isRoom />
            ) : (
              <span class="tag is-bad">{texts.notWatched}</span>
            ),
        },
        {
          title: texts.line,
          class: "short",
          cell: ({ line }) => (
            <span class="words">
              <LineName line={line} />
              {line.problem !== null && (
                <span class="fine bad" lang="en">
                  {line.problem}
                </span>
              )}
            </span>
          ),
        },
        {
          title: texts.price,
          isNumber: true,
          cell: ({ wiring: { valor } }) => valor !== null && money(valor),
        },
      ]}
      actions={({ line, wiring }) => (
        <>
          {onDrive !== undefined && (
            <DriveSwitch
              line={lineName(line)}
              isHigh={(levelOf(line) ?? false) !== wiring.activeLow}
              onDrive={(high) => onDrive(line, high)}
            />
          )}
          <Button
            kind="quiet"
            icon="edit"
            label={texts.changeOf(lineName(line))}
            onPress={() => onWire(line)}
          />
          <Button
            kind="quiet"
            icon="unlink"
            label={texts.disconnectOf(lineName(line))}
            onPress={() => onUnwire(line, wiring)}
          />
        </>
      )}
    />
  );
}

/** The name that people give a line, with its address. */
function LineName({ line }: { readonly line: Line }) {
  return (
    <span>
      <strong>{lineName(line)}</strong> {line.name !== null && <span class="fine">{line.address}</span>}
    </span>
  );
}

export function ChipPanel({ chip, doing }: { readonly chip: Chip; readonly doing: LineDoing }) {
  const texts = useTexts(linesTexts);
  const { count } = useFormat();
  const { levelOf, onWire, onDrive } = doing;
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
      <DataTable
        caption={chip.chip}
        rows={chip.lines}
        keyOf={({ address }) => address}
        columns={[
          {
            title: texts.line,
            isName: true,
            class: "short",
            cell: (line) => <LineName line={line} />,
          },
          {
            title: texts.level,
            cell: (line) => {
              const level = levelOf(line);
              return level !== null && <LevelTag level={level} isRoom={line.wired !== null} />;
            },
          },
          { title: texts.use, cell: (line) => useText(line, texts) },
        ]}
        actions={(line) =>
          isFree(line) && (
            <>
              {onDrive !== undefined && (
                <DriveSwitch
                  line={lineName(line)}
                  isHigh={levelOf(line) ?? false}
                  onDrive={(high) => onDrive(line, high)}
                />
              )}
              <Button kind="quiet" label={texts.connectOf(lineName(line))} onPress={() => onWire(line)}>
                {texts.connect}
              </Button>
            </>
          )
        }
      />
    </Panel>
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
    <input
      type="checkbox"
      role="switch"
      class="drive unprinted"
      checked={isHigh}
      aria-checked={isHigh}
      aria-label={texts.drive(line)}
      title={texts.drive(line)}
      // It shows the line's level, not the press: that may fail.
      onClick={(event) => {
        event.preventDefault();
        onDrive(!isHigh);
      }}
    />
  );
}

/** The actions for a line, and its level now. */
export interface LineDoing {
  /** Null while it is unknown. */
  readonly levelOf: (line: Line) => boolean | null;
  /** Wires it, or changes how it is wired. */
  readonly onWire: (line: Line) => void;
  readonly onUnwire: (line: Line, wiring: Wiring) => void;
  /** Sets the physical level of a simulated line; undefined where lines are real. */
  readonly onDrive: ((line: Line, high: boolean) => void) | undefined;
  /** Names of the lines that do not count now. */
  readonly tests: ReadonlySet<string>;
}
