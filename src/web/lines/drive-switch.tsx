import { linesTexts } from "../messages/lines.ts";
import { useTexts } from "../messages/speech.ts";

interface DriveSwitchProps {
  /** The line's name. */
  readonly line: string;
  readonly isHigh: boolean;
  readonly onDrive: (high: boolean) => void;
}

/** Stands for the relay of a simulated line. */
export function DriveSwitch({ line, isHigh, onDrive }: DriveSwitchProps) {
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
