import { linesTexts } from "../messages/lines.ts";
import { useTexts } from "../messages/speech.ts";

interface LevelTagProps {
  /** Null while nobody knows. */
  readonly level: boolean | null;
  /** A room is on or off; a line that is no room is active or not. */
  readonly isRoom: boolean;
}

/** A line's level in a word. */
export function LevelTag({ level, isRoom }: LevelTagProps) {
  const texts = useTexts(linesTexts);
  if (level === null) return <span class="tag">{texts.unknown}</span>;
  const word = isRoom ? (level ? texts.on : texts.off) : level ? texts.high : texts.low;
  return <span class={level ? "tag tag-on" : "tag"}>{word}</span>;
}
