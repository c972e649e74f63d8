import type { Line } from "../api/line.ts";
import { unwire, type Wiring } from "../api/wiring.ts";
import { Confirm } from "../element/confirm.tsx";
import { useVisit } from "../frame/visit.ts";
import { useSending } from "../live/use-sending.ts";
import { linesTexts } from "../messages/lines.ts";
import { useTexts } from "../messages/speech.ts";
import { lineName } from "./board.ts";

interface UnwireProps {
  readonly line: Line;
  readonly wiring: Wiring;
  readonly onDone: (text: string) => void;
  readonly onClose: () => void;
}

/** Asks before a line is unwired, and says what that means. */
export function Unwire({ line, wiring, onDone, onClose }: UnwireProps) {
  const texts = useTexts(linesTexts);
  const { api } = useVisit();
  const { isBusy, failure, send } = useSending();
  const name = lineName(line);
  const remove = async () => {
    if (await send(() => unwire(api, wiring.line))) onDone(texts.disconnected(name));
  };
  return (
    <Confirm
      title={texts.disconnectTitle(name, wiring.room)}
      action={isBusy ? texts.disconnecting : texts.disconnectOf(name)}
      isBusy={isBusy}
      failure={failure}
      onConfirm={() => void remove()}
      onClose={onClose}
    >
      <ul>
        <li>{texts.disconnectStops}</li>
        <li>{texts.disconnectKept}</li>
      </ul>
    </Confirm>
  );
}
