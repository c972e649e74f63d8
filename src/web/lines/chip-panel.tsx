import { useId } from "preact/hooks";
import type { Chip, Line } from "../api/line.ts";
import { Button } from "../element/button.tsx";
import { useFormat } from "../frame/visit.ts";
import { linesTexts } from "../messages/lines.ts";
import { useTexts } from "../messages/speech.ts";
import { freeLines, isFree, lineName } from "./board.ts";
import type { LineDoing } from "./doing.ts";
import { DriveSwitch } from "./drive-switch.tsx";
import { LevelTag } from "./level-tag.tsx";

/** One chip with all its lines. */
export function ChipPanel({ chip, doing }: { readonly chip: Chip; readonly doing: LineDoing }) {
  const texts = useTexts(linesTexts);
  const { count } = useFormat();
  const id = useId();
  return (
    <section class="panel" aria-labelledby={id}>
      <div class="panel-head">
        <h2 id={id}>
          {chip.chip} <span class="chip-label">{chip.label}</span>
        </h2>
        <span class="soft">{texts.chipCount(count(chip.lines.length), count(freeLines(chip).length))}</span>
      </div>
      <ul class="chip-lines">
        {chip.lines.map((line) => (
          <ChipLine key={line.address} line={line} doing={doing} />
        ))}
      </ul>
    </section>
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
        <label class="chip-line-name" for={test.isOn && canWire ? id : undefined}>
          <strong>{name}</strong>
          {line.name !== null && <span class="soft">{line.address}</span>}
        </label>
        {level !== null && <LevelTag level={level} isRoom={line.wired !== null} />}
      </div>
      <div class="chip-line-foot">
        <span class="chip-line-use">{useText(line, texts)}</span>
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

function useText({ wired, isOthers, consumer }: Line, texts: typeof linesTexts.es): string {
  if (wired !== null) return texts.roomOf(wired.room, wired.deviceName);
  if (isOthers) return texts.others;
  return consumer === null ? texts.free : texts.usedBy(consumer);
}
